/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_code.h -- the kernel's code without a vmlinux: from the session or, if the profiled kernel
 * is running, from /proc/kcore, which only root may read.
 *
 * Code is addressed by sample key: the offset from _stext or from a module's base. So the stored
 * file does not reveal addresses of the kernel. It is OP_KERNEL_CODE_DIR/IMAGE beside the sample
 * files: a line of text in 64 bytes, followed by the code.
 */
#ifndef PP_IMAGE_KERNEL_CODE_H
#define PP_IMAGE_KERNEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/kernel_syms.h"

#define PP_KERNEL_CODE_DIR	"kernel-code"

struct pp_kernel_code {
	int fd; /* descriptor of the file that contains the kernel's code; -1: no code */
	uint16_t machine;	/* ELF machine of the code, EM_* */
	bool is64, big_endian;
	uint64_t size; /* size of the stored code in bytes; 0: read the running kernel's code */
	/* address, in the running kernel, of the sample key 0 (start of the kernel's or module's
	 * code) */
	uint64_t base;
};

/* Open the code of the kernel of @syms. Return 0, -ENOENT if the code is not available, or -EACCES
 * if only root may read it. */
int pp_kernel_code_open(struct pp_kernel_code *ret, const struct op_kernel_syms *syms,
			const struct op_kimage *image, char *const *samples_dirs, size_t nr);
/* If the kernel of @syms is running but its code cannot be read, return the reason for a message,
 * else NULL. */
const char *pp_kernel_code_hindrance(const struct op_kernel_syms *syms);
/* Close the file with the code. .fd may be -1. */
void pp_kernel_code_close(struct pp_kernel_code *code);

/* Read at most @size bytes of code at the sample key @key. Return the number of bytes read. */
size_t pp_kernel_code_read(const struct pp_kernel_code *code, uint64_t key, void *buf, size_t size);

/* Copy the code of @image (the kernel or a module), as it is in the running kernel's memory, to a
 * file below @samples_dirfd. Only the file's owner may read the file. Return 0 or a negative
 * errno. */
int pp_kernel_code_copy(const struct pp_kernel_code *code, const struct op_kimage *image,
			int samples_dirfd);

#endif
