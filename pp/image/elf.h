/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h -- the parts of an ELF file that symbols need, for any machine, word size and byte order.
 *
 * libbfd's public interface provides neither symbol sizes nor program headers. The file is read by
 * pread() in limited pieces instead of being mapped, because it may be truncated at any time. Its
 * contents are not trusted.
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

struct pp_elf_segment {		/* A loadable segment (PT_LOAD). */
	uint64_t vaddr, offset, file_size;
	bool executable;
};

struct pp_elf {
	int fd;			/* descriptor of the ELF file, which the caller owns and closes */
	uint64_t file_size;
	bool is64, swap;
	uint16_t type, machine;
	/* some headers contradict the file; the other parts of the file may still be useful */
	bool damaged;
	struct pp_elf_section *sections;
	size_t nr_sections;
	char *section_names;
	struct pp_elf_segment *segments;
	size_t nr_segments;
};

struct pp_elf_symbol {
	const char *name;
	uint64_t value, size;
	/* The symbol is in a section of this file. Do not test .section instead: objcopy does not
	 * update .dynsym when it removes a section. */
	bool defined;
	uint16_t section;	/* number of the symbol's section, as in the symbol table */
	uint8_t type, bind;	/* type STT_* and binding STB_* of the symbol */
};

struct pp_elf_symbols {
	struct pp_elf_symbol *items;
	size_t nr;
	char *strings;
};

/* Read the headers of @fd, which must stay open as long as *@ret is used. Return 0, -ENOEXEC (not
 * ELF, or damaged), -ENOMEM or -EIO. */
int pp_elf_read(struct pp_elf *ret, int fd);
void pp_elf_release(struct pp_elf *elf);

/* Return the first section of the type @type (SHT_*), or NULL. */
const struct pp_elf_section *pp_elf_section_by_type(const struct pp_elf *elf, uint32_t type);
/* Return the first section with the name @name, or NULL. */
const struct pp_elf_section *pp_elf_section_by_name(const struct pp_elf *elf, const char *name);

/* Read the symbols of a section of type SHT_SYMTAB or SHT_DYNSYM. Return 0 or a negative errno;
 * -ENOEXEC also if all names together are too long. */
int pp_elf_symbols_read(struct pp_elf_symbols *ret, const struct pp_elf *elf,
			const struct pp_elf_section *section);
void pp_elf_symbols_release(struct pp_elf_symbols *symbols);

/* Copy the section's bytes to *@ret, malloc'd, and append a NUL. Return 0 or a negative errno. */
int pp_elf_section_data(char **ret, const struct pp_elf *elf, const struct pp_elf_section *section);

/* Return the build-id in lower-case hex, malloc'd, or NULL if the file has no build-id. */
char *pp_elf_build_id(const struct pp_elf *elf);

/* Convert a file offset to a virtual address by the program headers. Prefer executable segments.
 * Return 0, or -ERANGE if no segment contains the offset. */
int pp_elf_offset_to_vma(const struct pp_elf *elf, uint64_t offset, uint64_t *vma);

/* Read exactly @size bytes of the file. Return 0, -EIO, or -ENOEXEC if the file is too short. */
int pp_elf_pread(const struct pp_elf *elf, void *buf, size_t size, uint64_t offset);

/* Read a number in the file's byte order. @p need not be aligned. */
uint16_t pp_elf_get16(const struct pp_elf *elf, const void *p);
uint32_t pp_elf_get32(const struct pp_elf *elf, const void *p);
uint64_t pp_elf_get64(const struct pp_elf *elf, const void *p);

/* Read at most @size bytes at @vma, up to the end of the segment's data in the file. Return the
 * number of bytes. */
size_t pp_elf_code(const struct pp_elf *elf, uint64_t vma, void *buf, size_t size);

#endif
