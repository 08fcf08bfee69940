/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h -- what a sampler wants to know of a binary: its build-id, and which address a place in it is linked at.
 *
 * Binaries are anybody's: every number is checked, and no more than a few kilobytes are read.
 */
#ifndef LIBOP_RAW_ELF_H
#define LIBOP_RAW_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "libop/raw/read.h"

#define RAW_BUILD_ID_MAX	20

struct raw_elf {
	uint64_t vaddr;			/* of the place asked for */
	uint8_t build_id[RAW_BUILD_ID_MAX];
	uint32_t build_id_len;		/* 0: it has none */
};

/*
 * Asks the ELF file that @read reads (of this machine's word size or the other, of its byte order), about the place
 * @offset. -ENOEXEC: it is no such file, or no segment has that place in it. Notes that are wrong are none.
 */
int raw_elf_read(struct raw_elf *ret, uint64_t offset, raw_read_fn read, void *arg);

#endif
