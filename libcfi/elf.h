/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h -- of an ELF file in memory, what a table of its code is made from.
 *
 * The bytes may be a stranger's: every number is checked, and read once. Who maps a file rather than copies it must
 * mind that it may be truncated meanwhile (SIGBUS). The file need not be aligned.
 */
#ifndef LIBCFI_ELF_H
#define LIBCFI_ELF_H

#include "libcfi/cfi.h"

#define CFI_MAX_SEGMENTS	32

struct cfi_segment {			/* a PT_LOAD, cut where the file ends */
	__u64 address, offset, size;
	__u8 executable;
};

struct cfi_elf {
	const unsigned char *data;
	__u64 size;
	__u8 machine;			/* enum oprofile_uw_machine */
	__u8 is64;
	__u64 entry;			/* 0: none */
	unsigned int nr_segments;
	struct cfi_segment segments[CFI_MAX_SEGMENTS];
	__u64 sections, names, names_size, index_address, index_size;
	__u32 nr_sections;
	/* .debug_frame, unpacked by who can (cfi_elf_packed()) and sets this; NULL: the file's own */
	const unsigned char *debug_frame;
	__u64 debug_frame_size;
};

struct cfi_elf_section {
	__u64 address, offset, size;
};

/* -ENOEXEC: no such file, or damaged; -ENOTSUP: another machine. */
int cfi_elf_open(struct cfi_elf *elf, const void *data, __u64 size);

/* A section that has bytes in the file and is not packed. -ENOENT. */
int cfi_elf_section(const struct cfi_elf *elf, const char *name, struct cfi_elf_section *section);

/* The same of one that is packed (SHF_COMPRESSED): its bytes behind their header. *@packing: ELFCOMPRESS_...; *@unpacked: how
 * many bytes it says that they become. -ENOENT. */
int cfi_elf_packed(const struct cfi_elf *elf, const char *name, struct cfi_elf_section *section, __u32 *packing,
		   __u64 *unpacked);

/* The call frame information of a form. -ENOENT. */
int cfi_elf_frames(const struct cfi_elf *elf, enum cfi_form form, struct cfi_section *section);

/* Where in the file code lies, and how much of it follows. 1; 0: @address is in no code. */
int cfi_elf_code(const struct cfi_elf *elf, __u64 address, __u64 *offset, __u64 *left);

#endif
