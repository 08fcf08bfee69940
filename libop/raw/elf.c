// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf.c -- a reader of a binary's build-id and link addresses for samplers.
 */
#include "libop/raw/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>

#define MAX_SEGMENTS	64
/* bytes read of a note segment: the build-id is near the beginning, a handler's stack is small */
#define MAX_NOTES	512
#define MAX_PAGE	65536	/* largest page size of any machine */

/* A program header of either class, in the wider types. */
struct segment {
	uint32_t type, flags;
	uint64_t offset, vaddr, size, align;
};

struct heads {
	bool is_64;
	uint64_t at;
	unsigned int nr, size;
};

static bool read_heads(struct heads *ret, raw_read_fn read, void *arg)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} h;
	const unsigned char order =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	if (read(arg, 0, &h, sizeof(h)) != (long)sizeof(h) ||
	    __builtin_memcmp(h.ident, ELFMAG, SELFMAG) || h.ident[EI_DATA] != order)
		return false;
	ret->is_64 = h.ident[EI_CLASS] == ELFCLASS64;
	ret->at = ret->is_64 ? h.e64.e_phoff : h.e32.e_phoff;
	ret->nr = ret->is_64 ? h.e64.e_phnum : h.e32.e_phnum;
	ret->size = ret->is_64 ? h.e64.e_phentsize : h.e32.e_phentsize;
	return ret->size >= (ret->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) &&
	       ret->nr <= MAX_SEGMENTS;
}

static bool read_segment(struct segment *ret, const struct heads *heads, unsigned int i,
			 raw_read_fn read, void *arg)
{
	union {
		Elf32_Phdr p32;
		Elf64_Phdr p64;
	} p;
	long size = heads->is_64 ? sizeof(p.p64) : sizeof(p.p32);

	if (read(arg, heads->at + (uint64_t)i * heads->size, &p, size) != size)
		return false;
	if (heads->is_64)
		*ret = (struct segment){ p.p64.p_type, p.p64.p_flags, p.p64.p_offset, p.p64.p_vaddr,
					 p.p64.p_filesz, p.p64.p_align };
	else
		*ret = (struct segment){ p.p32.p_type, p.p32.p_flags, p.p32.p_offset, p.p32.p_vaddr,
					 p.p32.p_filesz, p.p32.p_align };
	return true;
}

/* Notes are padded to the alignment of their segment: 8 or, as most are, 4. */
static uint64_t padded(uint32_t size, uint64_t align)
{
	return align == 8 ? ((uint64_t)size + 7) & ~7ULL : ((uint64_t)size + 3) & ~3ULL;
}

static void find_build_id(struct raw_elf *ret, const struct segment *s, raw_read_fn read, void *arg)
{
	unsigned char notes[MAX_NOTES];
	long want = s->size < sizeof(notes) ? s->size : sizeof(notes);
	long got = read(arg, s->offset, notes, want);
	uint64_t len = got > 0 ? got : 0, at = 0;

	while (len - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr n;		/* the same in both classes */
		uint64_t name = at + sizeof(n), desc, next;

		__builtin_memcpy(&n, notes + at, sizeof(n));
		desc = name + padded(n.n_namesz, s->align);
		next = desc + padded(n.n_descsz, s->align);
		if (desc + n.n_descsz > len)
			return;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    !__builtin_memcmp(notes + name, "GNU", 4) && n.n_descsz &&
		    n.n_descsz <= RAW_BUILD_ID_MAX) {
			__builtin_memcpy(ret->build_id, notes + desc, n.n_descsz);
			ret->build_id_len = n.n_descsz;
			return;
		}
		if (next > len)
			return;
		at = next;
	}
}

/* Rate how well segment @s fits a mapping of code at @offset. A mapping begins at a page
 * boundary before the segment. */
static int fit(const struct segment *s, uint64_t offset)
{
	if (s->type != PT_LOAD || !(s->flags & PF_X) ||
	    (offset >= s->offset && offset - s->offset >= s->size))
		return 0;
	if (offset >= s->offset)
		return 2;
	return s->offset - offset < MAX_PAGE;
}

int raw_elf_read(struct raw_elf *ret, uint64_t offset, raw_read_fn read, void *arg)
{
	struct raw_elf elf = { 0 };
	struct heads heads;
	struct segment s;
	int best = 0;

	if (!read_heads(&heads, read, arg))
		return -ENOEXEC;
	for (unsigned int i = 0; i < heads.nr; i++) {
		if (!read_segment(&s, &heads, i, read, arg))
			return -ENOEXEC;
		if (fit(&s, offset) > best) {
			elf.vaddr = s.vaddr - s.offset + offset;
			best = fit(&s, offset);
		}
		if (s.type == PT_NOTE && !elf.build_id_len)
			find_build_id(&elf, &s, read, arg);
	}
	if (!best)
		return -ENOEXEC;
	*ret = elf;
	return 0;
}
