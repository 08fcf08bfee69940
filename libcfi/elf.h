/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h -- parser of an ELF file in memory, for the parts from which unwind tables are made.
 *
 * The bytes of the file are not trusted: each number is read once and checked. A caller that maps
 * the file instead of copying it must handle SIGBUS, because another process may truncate the file.
 * The bytes need not be aligned in memory.
 */
#ifndef LIBCFI_ELF_H
#define LIBCFI_ELF_H

#include <stdbool.h>

#include "libcfi/cfi.h"

#define CFI_MAX_SEGMENTS	32

struct cfi_segment {			/* a segment (PT_LOAD), truncated at the end of the file */
	__u64 address, offset, size;
	__u8 executable;
};

struct cfi_elf {
	const unsigned char *data;
	__u64 size;
	__u8 machine;			/* machine of the code, enum oprofile_uw_machine */
	bool is64;
	__u64 entry;			/* address of the entry point; 0: no entry point */
	unsigned int nr_segments;
	struct cfi_segment segments[CFI_MAX_SEGMENTS];
	__u64 sections, names, names_size, index_address, index_size;
	__u32 nr_sections;
	/* bytes of .debug_frame that the caller has uncompressed (cfi_elf_packed()); NULL: use the
	 * file's section */
	const unsigned char *debug_frame;
	__u64 debug_frame_size;
};

struct cfi_elf_section {
	__u64 address, offset, size;
};

/* Initialize @elf from the @size bytes of a file. Return 0; -ENOEXEC: not an ELF file, or damaged;
 * -ENOTSUP: a file for an unsupported machine. */
int cfi_elf_open(struct cfi_elf *elf, const void *data, __u64 size);

/* Find the uncompressed section @name, whose bytes must be in the file. Return 0 or -ENOENT. */
int cfi_elf_section(const struct cfi_elf *elf, const char *name, struct cfi_elf_section *section);

/*
 * Find the compressed section @name (SHF_COMPRESSED). Set *@section to the bytes after the
 * compression header, *@packing to the method (ELFCOMPRESS_...), and *@unpacked to the uncompressed
 * size according to the header. Return 0 or -ENOENT.
 */
int cfi_elf_packed(const struct cfi_elf *elf, const char *name, struct cfi_elf_section *section,
		   __u32 *packing, __u64 *unpacked);

/* Find the section with call frame information of the form @form. Return 0 or -ENOENT. */
int cfi_elf_frames(const struct cfi_elf *elf, enum cfi_form form, struct cfi_section *section);

/* Find the file offset of the code at @address, and the number of bytes from @address to the end
 * of the executable segment. Return 1, or 0 if @address is not in an executable segment. */
int cfi_elf_code(const struct cfi_elf *elf, __u64 address, __u64 *offset, __u64 *left);

#endif
