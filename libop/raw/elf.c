// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf.c -- parser of the program headers and notes of an ELF file.
 */
#include "libop/raw/elf.h"

#include <elf.h>
#include <errno.h>

#define MAX_SEGMENTS	64
/* maximum number of bytes to read from a note segment. The number is small, because the buffer is
 * on the stack of a signal handler. The build-id is near the start of the segment */
#define MAX_NOTES	512
#define MAX_PAGE	65536	/* largest page size of any machine, in bytes */

static uint16_t get16(uint16_t v, bool is_swapped)
{
	return is_swapped ? __builtin_bswap16(v) : v;
}

static uint32_t get32(uint32_t v, bool is_swapped)
{
	return is_swapped ? __builtin_bswap32(v) : v;
}

static uint64_t get64(uint64_t v, bool is_swapped)
{
	return is_swapped ? __builtin_bswap64(v) : v;
}

int raw_elf_headers_read(struct raw_elf_headers *ret, raw_read_fn read, void *arg)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} h = { { 0 } };
	const unsigned char native =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	struct raw_elf_headers headers = { .read = read, .arg = arg };
	long n = read(arg, 0, &h, sizeof(h));
	unsigned int size;

	if (n < 0)
		return (int)n;
	if (n < (long)sizeof(h.e32) || __builtin_memcmp(h.ident, ELFMAG, SELFMAG) ||
	    (h.ident[EI_CLASS] != ELFCLASS32 && h.ident[EI_CLASS] != ELFCLASS64) ||
	    (h.ident[EI_DATA] != ELFDATA2LSB && h.ident[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	headers.is_64 = h.ident[EI_CLASS] == ELFCLASS64;
	headers.is_swapped = h.ident[EI_DATA] != native;
	/* e_machine has the same offset in 32- and 64-bit files. */
	headers.machine = get16(h.e32.e_machine, headers.is_swapped);
	if (headers.is_64) {
		headers.at = get64(h.e64.e_phoff, headers.is_swapped);
		headers.nr = get16(h.e64.e_phnum, headers.is_swapped);
		size = get16(h.e64.e_phentsize, headers.is_swapped);
	} else {
		headers.at = get32(h.e32.e_phoff, headers.is_swapped);
		headers.nr = get16(h.e32.e_phnum, headers.is_swapped);
		size = get16(h.e32.e_phentsize, headers.is_swapped);
	}
	if ((headers.is_64 && n < (long)sizeof(h.e64)) || headers.at > INT64_MAX / 2 ||
	    size != (headers.is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return -ENOEXEC;
	*ret = headers;
	return 0;
}

int raw_elf_segment_read(struct raw_elf_segment *ret, const struct raw_elf_headers *headers,
			 unsigned int i)
{
	union {
		Elf32_Phdr p32;
		Elf64_Phdr p64;
	} p;
	const bool is_swapped = headers->is_swapped;
	long size = headers->is_64 ? sizeof(p.p64) : sizeof(p.p32);

	if (i >= headers->nr ||
	    headers->read(headers->arg, headers->at + (uint64_t)i * size, &p, size) != size)
		return -ENOEXEC;
	if (headers->is_64)
		*ret = (struct raw_elf_segment){
			.type = get32(p.p64.p_type, is_swapped),
			.flags = get32(p.p64.p_flags, is_swapped),
			.offset = get64(p.p64.p_offset, is_swapped),
			.vaddr = get64(p.p64.p_vaddr, is_swapped),
			.file_size = get64(p.p64.p_filesz, is_swapped),
			.memory_size = get64(p.p64.p_memsz, is_swapped),
			.align = get64(p.p64.p_align, is_swapped),
		};
	else
		*ret = (struct raw_elf_segment){
			.type = get32(p.p32.p_type, is_swapped),
			.flags = get32(p.p32.p_flags, is_swapped),
			.offset = get32(p.p32.p_offset, is_swapped),
			.vaddr = get32(p.p32.p_vaddr, is_swapped),
			.file_size = get32(p.p32.p_filesz, is_swapped),
			.memory_size = get32(p.p32.p_memsz, is_swapped),
			.align = get32(p.p32.p_align, is_swapped),
		};
	return 0;
}

bool raw_elf_next_note(struct raw_elf_note *ret, struct raw_elf_notes *notes)
{
	const uint64_t align = notes->align == 8 ? 8 : 4;
	uint64_t desc, end, next;
	Elf64_Nhdr n;	/* this struct is the same in 32- and 64-bit files */

	if (notes->len - notes->at < sizeof(n))
		return false;
	__builtin_memcpy(&n, notes->bytes + notes->at, sizeof(n));
	ret->type = get32(n.n_type, notes->is_swapped);
	ret->name_size = get32(n.n_namesz, notes->is_swapped);
	ret->desc_size = get32(n.n_descsz, notes->is_swapped);
	ret->name = notes->bytes + notes->at + sizeof(n);
	/* The descriptor is aligned relative to the segment, not to the note. */
	desc = (notes->at + sizeof(n) + ret->name_size + align - 1) & ~(align - 1);
	end = desc + ret->desc_size;
	if (end > notes->len)
		return false;
	ret->desc = notes->bytes + desc;
	next = (end + align - 1) & ~(align - 1);
	notes->at = next < notes->len ? next : notes->len;
	return true;
}

const uint8_t *raw_elf_find_build_id(struct raw_elf_notes notes, uint32_t *ret_len)
{
	struct raw_elf_note n;

	while (raw_elf_next_note(&n, &notes)) {
		if (n.type == NT_GNU_BUILD_ID && n.name_size == 4 &&
		    !__builtin_memcmp(n.name, "GNU", 4) && n.desc_size &&
		    n.desc_size <= RAW_BUILD_ID_MAX) {
			*ret_len = n.desc_size;
			return n.desc;
		}
	}
	return NULL;
}

static void find_build_id(struct raw_elf *ret, const struct raw_elf_headers *headers,
			  const struct raw_elf_segment *s)
{
	unsigned char bytes[MAX_NOTES];
	long want = s->file_size < sizeof(bytes) ? s->file_size : sizeof(bytes);
	long got = headers->read(headers->arg, s->offset, bytes, want);
	const uint8_t *id;

	if (got <= 0)
		return;
	id = raw_elf_find_build_id((struct raw_elf_notes){ .bytes = bytes, .len = got,
							   .align = s->align },
				   &ret->build_id_len);
	if (id)
		__builtin_memcpy(ret->build_id, id, ret->build_id_len);
}

/* Return how well the segment @s matches a mapping of code that begins at the file offset @offset.
 * A mapping may start up to a page before its segment. */
static int fit(const struct raw_elf_segment *s, uint64_t offset)
{
	if (s->type != PT_LOAD || !(s->flags & PF_X) ||
	    (offset >= s->offset && offset - s->offset >= s->file_size))
		return 0;
	if (offset >= s->offset)
		return 2;
	return s->offset - offset < MAX_PAGE;
}

int raw_elf_read(struct raw_elf *ret, uint64_t offset, raw_read_fn read, void *arg)
{
	struct raw_elf elf = { 0 };
	struct raw_elf_headers headers;
	struct raw_elf_segment s;
	int best = 0;

	if (raw_elf_headers_read(&headers, read, arg) || headers.is_swapped ||
	    headers.nr > MAX_SEGMENTS)
		return -ENOEXEC;
	for (unsigned int i = 0; i < headers.nr; i++) {
		if (raw_elf_segment_read(&s, &headers, i))
			return -ENOEXEC;
		if (fit(&s, offset) > best) {
			elf.vaddr = s.vaddr - s.offset + offset;
			best = fit(&s, offset);
		}
		if (s.type == PT_NOTE && !elf.build_id_len)
			find_build_id(&elf, &headers, &s);
	}
	if (!best)
		return -ENOEXEC;
	*ret = elf;
	return 0;
}
