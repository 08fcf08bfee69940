/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h -- a reader of a binary's build-id and link addresses for samplers.
 *
 * Binaries are untrusted: all numbers are checked, and at most a few kilobytes are read.
 */
#ifndef LIBOP_RAW_ELF_H
#define LIBOP_RAW_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "libop/raw/read.h"

#define RAW_BUILD_ID_MAX	20

struct raw_elf {
	uint64_t vaddr;			/* link address of the requested offset */
	uint8_t build_id[RAW_BUILD_ID_MAX];
	uint32_t build_id_len;		/* 0: the file has no build-id */
};

/*
 * Read the ELF file, of either word size in this machine's byte order, through @read, and look up
 * the file offset @offset. Return 0, or -ENOEXEC if it is another kind of file, or no segment
 * contains the offset. Ignore invalid notes.
 */
int raw_elf_read(struct raw_elf *ret, uint64_t offset, raw_read_fn read, void *arg);

#endif
