/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_code.h -- the kernel's code without a vmlinux: as it was kept with the session, or as it
 * runs here (/proc/kcore, which only root may read), if that is the kernel that was profiled.
 *
 * By sample key: offset from _stext, or from a module's base, so that no address is kept. What is
 * kept has the name OP_KERNEL_CODE_DIR/IMAGE beside the sample files: a line of text in 64 bytes,
 * then bytes.
 */
#ifndef PP_IMAGE_KERNEL_CODE_H
#define PP_IMAGE_KERNEL_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "libop/session/kernel_syms.h"

#define PP_KERNEL_CODE_DIR	"kernel-code"

struct pp_kernel_code {
	int fd;			/* -1: none */
	uint16_t machine;	/* EM_* */
	int is64, big_endian;
	uint64_t size;		/* of what is kept; 0: it is the running kernel's */
	uint64_t base;		/* ... and this its address at key 0 */
};

/* -ENOENT when there is none of that kernel, -EACCES when only root would see it. */
int pp_kernel_code_open(struct pp_kernel_code *ret, const struct op_kernel_syms *syms,
			const struct op_kimage *image, char *const *samples_dirs, size_t nr);
/* Why the kernel of @syms, when it is the one that runs, cannot be read here; for a message, or
 * NULL. */
const char *pp_kernel_code_hindrance(const struct op_kernel_syms *syms);
/* Takes one with .fd == -1. */
void pp_kernel_code_close(struct pp_kernel_code *code);

/* Up to @size bytes; returns how many. */
size_t pp_kernel_code_read(const struct pp_kernel_code *code, uint64_t key, void *buf, size_t size);

/* Keeps the running kernel's @image below @samples_dirfd, for its owner alone. 0 or negative
 * errno. */
int pp_kernel_code_keep(const struct pp_kernel_code *code, const struct op_kimage *image,
			int samples_dirfd);

#endif
