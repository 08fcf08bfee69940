/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_file.h -- the vmlinux or module file of the profiled kernel, with debug data.
 *
 * It provides source lines and code; the symbols come from the session. A file is used only if it
 * certainly belongs to the profiled kernel: it has the same build-id, or its functions have the
 * same addresses as in the session.
 */
#ifndef PP_IMAGE_KERNEL_FILE_H
#define PP_IMAGE_KERNEL_FILE_H

#include "libop/session/kernel_syms.h"
#include "pp/image/elf.h"
#include "pp/base/log.h"

struct pp_kernel_file {
	char *path;
	int fd;			/* descriptor of the vmlinux or module file; -1: no file */
	struct pp_elf elf;	/* headers of the file; valid only if .fd is not negative */
	/* only for a vmlinux: an address in the file minus the sample key of the same code */
	uint64_t bias;
	uint64_t *bases;	/* only for a module: the sample key of each section's start */
	size_t nr_bases;
};

struct pp_kernel_file_options {
	const struct op_kernel_syms *syms;
	const struct op_kimage *image;	/* the kernel or a module; an element of @syms */
	const char *root;		/* prefix of all paths at which files are searched, or "" */
	/* directories to search first, separated by commas; NULL: none */
	const char *image_path;
};

/* Find the file of the kernel or module. Return 0, -ENOMEM, or -ENOENT if no file belongs to the
 * profiled kernel; then *@ret is unchanged. */
int pp_kernel_file_open(struct pp_kernel_file *ret, const struct pp_kernel_file_options *options,
			struct pp_log *log);
/* Close .fd, which may be -1, and free the contents of @file. */
void pp_kernel_file_close(struct pp_kernel_file *file);

/* Copy code of the file as pp_elf_code() does, but at a sample key instead of an address.
 * Relocations of a module's code are not applied. */
size_t pp_kernel_file_code(const struct pp_kernel_file *file, uint64_t key, void *buf, size_t size);

#endif
