// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf.c -- parser of an ELF file in memory, for the parts from which unwind tables are made.
 */
#include "libcfi/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* maximum number of sections; if a file has more sections, the parser ignores all of them */
#define MAX_SECTIONS	65536

/* Read a member of an ELF struct, which has a 32-bit and a 64-bit form. The value is 0 if the
 * member is beyond the end of the file. */
#define MEMBER(elf, at, type, field) \
	number(elf, (at) + offsetof(type, field), sizeof(((type *)0)->field))
#define FIELD(elf, at, type, field) \
	((elf)->is64 ? MEMBER(elf, at, Elf64_##type, field) : MEMBER(elf, at, Elf32_##type, field))

static __u64 number(const struct cfi_elf *elf, __u64 at, unsigned int size)
{
	__u64 value = 0;

	if (at <= elf->size && size <= elf->size - at)
		__builtin_memcpy(&value, elf->data + at, size);
	return value;
}

static __u8 machine_of(unsigned int machine, bool is64)
{
	switch (machine) {
	/* the x32 ABI (a 32-bit file for x86_64) is not supported */
	case EM_X86_64: return is64 ? OPROFILE_UW_X86_64 : 0;
	case EM_386: return is64 ? 0 : OPROFILE_UW_I386;
	case EM_AARCH64: return is64 ? OPROFILE_UW_AARCH64 : 0;
	}
	return 0;
}

static void add_segment(struct cfi_elf *elf, __u64 at)
{
	struct cfi_segment *segment = &elf->segments[elf->nr_segments];
	__u64 type = FIELD(elf, at, Phdr, p_type), address = FIELD(elf, at, Phdr, p_vaddr);
	__u64 offset = FIELD(elf, at, Phdr, p_offset), size = FIELD(elf, at, Phdr, p_filesz);

	if (type == PT_GNU_EH_FRAME) {
		elf->index_address = address;
		elf->index_size = size;
	}
	if (type != PT_LOAD || offset >= elf->size || elf->nr_segments == CFI_MAX_SEGMENTS)
		return;
	if (size > elf->size - offset)
		size = elf->size - offset;
	if (!size || address + size < address)
		return;
	segment->address = address;
	segment->offset = offset;
	segment->size = size;
	segment->executable = !!(FIELD(elf, at, Phdr, p_flags) & PF_X);
	elf->nr_segments++;
}

static void find_sections(struct cfi_elf *elf)
{
	__u64 at = FIELD(elf, 0, Ehdr, e_shoff), nr = FIELD(elf, 0, Ehdr, e_shnum);
	__u64 entry = elf->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr),
	      names = FIELD(elf, 0, Ehdr, e_shstrndx);

	if (!at || at >= elf->size || FIELD(elf, 0, Ehdr, e_shentsize) != entry)
		return;
	/* a number of sections of 0 in the ELF header means that the first section header contains
	 * the number */
	if (!nr)
		nr = FIELD(elf, at, Shdr, sh_size);
	if (names == SHN_XINDEX)
		names = FIELD(elf, at, Shdr, sh_link);
	if (nr > (elf->size - at) / entry || nr > MAX_SECTIONS || names >= nr)
		return;
	elf->names = FIELD(elf, at + names * entry, Shdr, sh_offset);
	elf->names_size = FIELD(elf, at + names * entry, Shdr, sh_size);
	if (elf->names > elf->size || elf->names_size > elf->size - elf->names)
		return;
	elf->sections = at;
	elf->nr_sections = nr;
}

int cfi_elf_open(struct cfi_elf *elf, const void *data, __u64 size)
{
	struct cfi_elf made = { .data = data, .size = size };
	__u64 at, nr, entry;

	if (size < sizeof(Elf32_Ehdr) || __builtin_memcmp(data, ELFMAG, SELFMAG) ||
	    made.data[EI_DATA] != ELFDATA2LSB ||
	    (made.data[EI_CLASS] != ELFCLASS64 && made.data[EI_CLASS] != ELFCLASS32))
		return -ENOEXEC;
	made.is64 = made.data[EI_CLASS] == ELFCLASS64;
	made.machine = machine_of(FIELD(&made, 0, Ehdr, e_machine), made.is64);
	if (!made.machine)
		return -ENOTSUP;
	made.entry = FIELD(&made, 0, Ehdr, e_entry);
	at = FIELD(&made, 0, Ehdr, e_phoff);
	nr = FIELD(&made, 0, Ehdr, e_phnum);
	entry = made.is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	if (FIELD(&made, 0, Ehdr, e_phentsize) != entry || at > size || nr > (size - at) / entry)
		return -ENOEXEC;
	for (__u64 i = 0; i < nr; i++)
		add_segment(&made, at + i * entry);
	find_sections(&made);
	*elf = made;
	return 0;
}

static bool named(const struct cfi_elf *elf, __u64 at, const char *name)
{
	for (; at < elf->names_size; at++, name++) {
		if ((char)elf->data[elf->names + at] != *name)
			return false;
		if (!*name)
			return true;
	}
	return false;
}

static int find_section(const struct cfi_elf *elf, const char *name, bool packed,
			struct cfi_elf_section *section)
{
	__u64 entry = elf->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);

	for (__u64 i = 0, at = elf->sections; i < elf->nr_sections; i++, at += entry) {
		__u64 offset, size;

		if (!named(elf, FIELD(elf, at, Shdr, sh_name), name))
			continue;
		offset = FIELD(elf, at, Shdr, sh_offset);
		size = FIELD(elf, at, Shdr, sh_size);
		if (FIELD(elf, at, Shdr, sh_type) == SHT_NOBITS || offset > elf->size ||
		    size > elf->size - offset ||
		    !(FIELD(elf, at, Shdr, sh_flags) & SHF_COMPRESSED) == packed)
			continue;
		*section = (struct cfi_elf_section){ FIELD(elf, at, Shdr, sh_addr), offset, size };
		return 0;
	}
	return -ENOENT;
}

int cfi_elf_section(const struct cfi_elf *elf, const char *name, struct cfi_elf_section *section)
{
	return find_section(elf, name, false, section);
}

int cfi_elf_packed(const struct cfi_elf *elf, const char *name, struct cfi_elf_section *section,
		   __u32 *packing, __u64 *unpacked)
{
	__u64 head = elf->is64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	struct cfi_elf_section found;

	if (find_section(elf, name, true, &found) || found.size < head)
		return -ENOENT;
	*packing = FIELD(elf, found.offset, Chdr, ch_type);
	*unpacked = FIELD(elf, found.offset, Chdr, ch_size);
	*section = (struct cfi_elf_section){
		found.address, found.offset + head, found.size - head };
	return 0;
}

/* Find the file offset of @address in a segment, and the number of bytes from there to the end of
 * the segment. @code: search only executable segments. Return false if no segment contains the
 * address. */
static bool loaded(const struct cfi_elf *elf, __u64 address, int code, __u64 *offset, __u64 *left)
{
	for (unsigned int i = 0; i < elf->nr_segments; i++) {
		const struct cfi_segment *segment = &elf->segments[i];

		if (address < segment->address || address - segment->address >= segment->size ||
		    (code && !segment->executable))
			continue;
		*offset = segment->offset + (address - segment->address);
		*left = segment->size - (address - segment->address);
		return true;
	}
	return false;
}

int cfi_elf_code(const struct cfi_elf *elf, __u64 address, __u64 *offset, __u64 *left)
{
	return loaded(elf, address, 1, offset, left);
}

/* Find .eh_frame by the address in .eh_frame_hdr (PT_GNU_EH_FRAME), for files without section
 * headers. */
static int frames_by_index(const struct cfi_elf *elf, struct cfi_section *section)
{
	unsigned int word = elf->is64 ? 8 : 4, encoding;
	__u64 address = elf->index_address, offset, left, value;
	struct cfi_elf_section found;

	if (!elf->index_size || !loaded(elf, address, 0, &offset, &left) || left < 12 ||
	    elf->data[offset] != 1)
		return -ENOENT;
	section->index = elf->data + offset;
	section->index_size = elf->index_size < left ? elf->index_size : left;
	section->index_address = address;
	/*
	 * .eh_frame_hdr (the index) contains the address of .eh_frame, four bytes after its start.
	 * Linkers encode this address either as a 32-bit number relative to its own location (0x1b)
	 * or as an absolute word (0).
	 */
	encoding = elf->data[offset + 1];
	value = number(elf, offset + 4, encoding == 0x1b ? 4 : word);
	if (encoding == 0x1b)
		value = address + 4 + (__s64)(__s32)value;
	else if (encoding != 0)
		return -ENOENT;
	if (word == 4)
		value = (__u32)value;
	if (!loaded(elf, value, 0, &offset, &left))
		return -ENOENT;
	section->data = elf->data + offset;
	section->address = value;
	section->size = left;
	if (!cfi_elf_section(elf, ".eh_frame", &found) && found.address == value &&
	    found.size < left)
		section->size = found.size;
	return 0;
}

int cfi_elf_frames(const struct cfi_elf *elf, enum cfi_form form, struct cfi_section *section)
{
	struct cfi_section made = { .machine = elf->machine, .form = form };
	struct cfi_elf_section found;

	if (form == CFI_DEBUG_FRAME && elf->debug_frame) {
		made.data = elf->debug_frame;
		made.size = elf->debug_frame_size;
	} else if (form != CFI_EH_FRAME || frames_by_index(elf, &made)) {
		made.index = NULL;
		if (cfi_elf_section(elf, form == CFI_EH_FRAME ? ".eh_frame" : ".debug_frame",
				    &found))
			return -ENOENT;
		made.data = elf->data + found.offset;
		made.size = found.size;
		made.address = found.address;
	}
	*section = made;
	return 0;
}
