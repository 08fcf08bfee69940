/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_file.h -- the vmlinux or the module file behind the kernel's samples, with its debug data.
 *
 * Symbols need none of it, the session keeps those; lines and code do. Only a file that is proven
 * to be of the profiled kernel is taken: by the build-id, or by its functions being where the
 * session's are.
 */
#ifndef PP_IMAGE_KERNEL_FILE_H
#define PP_IMAGE_KERNEL_FILE_H

#include "libop/session/kernel_syms.h"
#include "pp/image/elf.h"
#include "pp/base/log.h"

struct pp_kernel_file {
	char *path;
	int fd;			/* -1: none */
	struct pp_elf elf;	/* when fd >= 0 */
	uint64_t bias;		/* of a vmlinux: address in the file minus sample key */
	uint64_t *bases;	/* a module's: key at which each of its sections begins */
	size_t nr_bases;
};

struct pp_kernel_file_options {
	const struct op_kernel_syms *syms;
	const struct op_kimage *image;	/* of @syms: the kernel, or a module */
	const char *root;		/* "" or what precedes every path */
	const char *image_path;		/* comma-separated directories to look into first; NULL */
};

/* *@ret untouched and -ENOENT when there is no file that fits; -ENOMEM. */
int pp_kernel_file_open(struct pp_kernel_file *ret, const struct pp_kernel_file_options *options,
			struct pp_log *log);
/* Takes a struct with .fd == -1 too. */
void pp_kernel_file_close(struct pp_kernel_file *file);

/* As pp_elf_code(), by sample key. A module's code is as it was before the kernel filled in
 * addresses. */
size_t pp_kernel_file_code(const struct pp_kernel_file *file, uint64_t key, void *buf, size_t size);

#endif
