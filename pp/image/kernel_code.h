/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_code.h -- the kernel's code without a vmlinux: from the session, or from the running
 * kernel (/proc/kcore, which only root may read) if the running kernel is the profiled kernel.
 *
 * Code is addressed by sample key: the offset from _stext, or from a module's base, so the file
 * does not contain addresses of the kernel. The file is OP_KERNEL_CODE_DIR/IMAGE next to the sample
 * files: a line of text in 64 bytes, then the code.
 */
#ifndef PP_IMAGE_KERNEL_CODE_H
#define PP_IMAGE_KERNEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/kernel_syms.h"

#define PP_KERNEL_CODE_DIR	"kernel-code"

struct pp_kernel_code {
	int fd;			/* descriptor of the file with the code; -1: no code */
	uint16_t machine;	/* type of the machine, EM_* */
	bool is64, big_endian;
	uint64_t size;		/* size of the stored code; 0: use the running kernel */
	uint64_t base;		/* address that key 0 has in the running kernel */
};

/* Open the code. Return 0, -ENOENT if there is no code of the kernel of @syms, or -EACCES if only
 * root may read it. */
int pp_kernel_code_open(struct pp_kernel_code *ret, const struct op_kernel_syms *syms,
			const struct op_kimage *image, char *const *samples_dirs, size_t nr);
/* Return the reason, for a message, why the code of the kernel of @syms cannot be read although
 * that kernel is running; else NULL. */
const char *pp_kernel_code_hindrance(const struct op_kernel_syms *syms);
/* Close the code. Accepts a struct with .fd == -1. */
void pp_kernel_code_close(struct pp_kernel_code *code);

/* Read up to @size bytes from @key on. Return the number of bytes read. */
size_t pp_kernel_code_read(const struct pp_kernel_code *code, uint64_t key, void *buf, size_t size);

/* Write the code of @image in the running kernel to a file below @samples_dirfd. Only the owner may
 * read the file. Return 0 or a negative errno. */
int pp_kernel_code_keep(const struct pp_kernel_code *code, const struct op_kimage *image,
			int samples_dirfd);

#endif
