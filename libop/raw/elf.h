/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h -- parser of the program headers and notes of an ELF file. Signal handlers may call the
 * functions.
 *
 * ELF files are untrusted: all numbers are checked, and the caller limits the number of headers and
 * the bytes of notes that are read.
 */
#ifndef LIBOP_RAW_ELF_H
#define LIBOP_RAW_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/read.h"

#define RAW_BUILD_ID_MAX	20

/* The location of a file's program headers. */
struct raw_elf_headers {
	raw_read_fn read;
	void *arg;		/* argument for calls of .read */
	uint64_t at;		/* offset of the first program header in the file */
	unsigned int nr;	/* number of program headers, from the ELF header; at most 65535 */
	uint16_t machine;	/* machine type of the file, EM_* */
	bool is_64;
	bool is_swapped;	/* the byte order of the file differs from this machine's */
};

/* A program header, converted from the word size and byte order of the file. */
struct raw_elf_segment {
	uint32_t type, flags;	/* type (PT_*) and flags (PF_*) of the segment */
	uint64_t offset, vaddr, file_size, memory_size, align;
};

/* The notes of a segment, which were read into memory, and the position of the next note. */
struct raw_elf_notes {
	const unsigned char *bytes;
	/* .len: number of bytes of the notes; .at: offset of the next note, initially 0 */
	size_t len, at;
	/* alignment of the notes in bytes: 8, or 4 for any other value */
	uint64_t align;
	/* the byte order of the file differs from this machine's */
	bool is_swapped;
};

struct raw_elf_note {
	uint32_t type, name_size, desc_size;
	/* name and descriptor of the note; pointers to bytes of the struct raw_elf_notes */
	const unsigned char *name, *desc;
};

/* Read the header of an ELF file, of any word size and byte order, by the function @read. Return
 * 0, -ENOEXEC if the file is not a valid ELF file, or the negative result of @read. */
int raw_elf_headers_read(struct raw_elf_headers *ret, raw_read_fn read, void *arg);

/* Read program header @i. Return 0, or -ENOEXEC if the file does not contain it. */
int raw_elf_segment_read(struct raw_elf_segment *ret, const struct raw_elf_headers *headers,
			 unsigned int i);

/* Parse the next note. Return false after the last valid note. */
bool raw_elf_next_note(struct raw_elf_note *ret, struct raw_elf_notes *notes);

/* Return the first build-id in @notes that has at most RAW_BUILD_ID_MAX bytes, or NULL. Set
 * *@ret_len to the build-id's length. */
const uint8_t *raw_elf_find_build_id(struct raw_elf_notes notes, uint32_t *ret_len);

/* The properties of an ELF file that a sampler records for a mapping. */
struct raw_elf {
	/* link address (virtual address in the ELF file) of the requested file offset */
	uint64_t vaddr;
	uint8_t build_id[RAW_BUILD_ID_MAX];
	uint32_t build_id_len;		/* length of the build-id; 0: the file has no build-id */
};

/*
 * Read an ELF file, of any word size, in this machine's byte order, by the function @read. @offset:
 * file offset at which a mapping of the file begins. Return 0, or -ENOEXEC if the file is not a
 * valid ELF file or has no segment at @offset. Invalid notes are ignored.
 */
int raw_elf_read(struct raw_elf *ret, uint64_t offset, raw_read_fn read, void *arg);

#endif
