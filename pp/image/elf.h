/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h -- the parts of an ELF file that symbols need, of any machine, word size and byte order.
 *
 * libbfd's public interface tells neither a symbol's size nor the program headers, which is what
 * attribution rests on, so these are read here. The file is copied by pread in bounded pieces and
 * never mapped: somebody may truncate it meanwhile. Nothing in it is trusted.
 */
#ifndef PP_IMAGE_ELF_H
#define PP_IMAGE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_elf_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, addr, offset, size;
};

struct pp_elf_segment {		/* PT_LOAD */
	uint64_t vaddr, offset, file_size;
	int executable;
};

struct pp_elf {
	int fd;			/* not owned */
	uint64_t file_size;
	bool is64, swap;
	uint16_t type, machine;
	int damaged;		/* headers contradict the file: what is left may still be of use */
	struct pp_elf_section *sections;
	size_t nr_sections;
	char *section_names;
	struct pp_elf_segment *segments;
	size_t nr_segments;
};

struct pp_elf_symbol {
	const char *name;
	uint64_t value, size;
	int defined;		/* in a section of this file; which one is not reliable, as objcopy
				 * does not renumber .dynsym's when it removes one */
	uint16_t section;	/* as the file says it */
	uint8_t type, bind;	/* STT_*, STB_* */
};

struct pp_elf_symbols {
	struct pp_elf_symbol *items;
	size_t nr;
	char *strings;
};

/* Fills *@ret from @fd, which must stay open as long as *@ret is used. -ENOEXEC: not ELF, or
 * damaged; -ENOMEM; -EIO. pp_elf_release() takes a zeroed struct. */
int pp_elf_read(struct pp_elf *ret, int fd);
void pp_elf_release(struct pp_elf *elf);

/* The first section of a type (SHT_*) or with a name; NULL when there is none. */
const struct pp_elf_section *pp_elf_section_by_type(const struct pp_elf *elf, uint32_t type);
const struct pp_elf_section *pp_elf_section_by_name(const struct pp_elf *elf, const char *name);

/* The symbols of a SHT_SYMTAB or SHT_DYNSYM section. -ENOEXEC also for names that no linker
 * makes. */
int pp_elf_symbols_read(struct pp_elf_symbols *ret, const struct pp_elf *elf,
			const struct pp_elf_section *section);
void pp_elf_symbols_release(struct pp_elf_symbols *symbols);

/* *@ret: a copy of the section's bytes, with a NUL behind. */
int pp_elf_section_data(char **ret, const struct pp_elf *elf, const struct pp_elf_section *section);

/* The build-id note in lower-case hex, malloc'd; NULL when there is none. */
char *pp_elf_build_id(const struct pp_elf *elf);

/* Virtual address of a file offset, through the segments, executable ones first. -ERANGE when no
 * segment holds it. */
int pp_elf_offset_to_vma(const struct pp_elf *elf, uint64_t offset, uint64_t *vma);

/* Exactly @size bytes of the file. 0, -ENOEXEC when the file is shorter, -EIO. */
int pp_elf_pread(const struct pp_elf *elf, void *buf, size_t size, uint64_t offset);

/* Numbers in the file's byte order, anywhere in memory. */
uint16_t pp_elf_get16(const struct pp_elf *elf, const void *p);
uint32_t pp_elf_get32(const struct pp_elf *elf, const void *p);
uint64_t pp_elf_get64(const struct pp_elf *elf, const void *p);

/* Up to @size bytes at @vma, as far as its segment is in the file. Returns how many. */
size_t pp_elf_code(const struct pp_elf *elf, uint64_t vma, void *buf, size_t size);

#endif
