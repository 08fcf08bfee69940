/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h -- copies of the files whose code runs in the sampled processes. Each file is copied
 * once, even if it is mapped several times. All copies together have at most ATTACH_FILES_MAX
 * bytes, because the sampled processes choose the files. A mapping of a file would fault if the
 * file were truncated; a copy does not.
 */
#ifndef UTILS_OPATTACH_FILES_H
#define UTILS_OPATTACH_FILES_H

#include <stdint.h>
#include <sys/stat.h>

#include "libcfi/elf.h"

#define ATTACH_FILES_MAX	(1ull << 30)

struct attach_file {
	struct attach_file *next;
	unsigned int users;
	dev_t dev;			/* 0: memory without a file, not shared */
	ino_t ino;
	struct timespec changed;
	unsigned char *data;		/* malloc'd; NULL: not a program, or too large */
	size_t size;
	struct cfi_elf elf;
	/* indexed by enum cfi_form; .data NULL: the file has no such section */
	struct cfi_section frames[2];
};

struct attach_files {
	struct attach_file *first;
	uint64_t bytes;			/* of all copies */
};

/* Return the copy of the file open as @fd, which the caller closes. NULL without memory. */
struct attach_file *attach_files_get(struct attach_files *files, int fd);

/* Return a copy for code without a file. Takes over @data, which is malloc'd. NULL without
 * memory. */
struct attach_file *attach_files_memory(struct attach_files *files, unsigned char *data,
					size_t size);

void attach_files_put(struct attach_files *files, struct attach_file *file);

#endif
