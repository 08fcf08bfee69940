/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h -- copies in memory of the executable files that the sampled processes have mapped.
 *
 * Each file is copied once, even if it is mapped several times. All copies together have at most
 * ATTACH_FILES_MAX bytes, because the sampled processes determine the files. The files are copied
 * and not mapped, because access to a mapping would fault if the file were truncated.
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
	/* device number, inode number and change time of the file; .dev is 0 for code that is not
	 * from a file, whose copy is not shared */
	dev_t dev;
	ino_t ino;
	struct timespec changed;
	/* malloc'd copy of the file; NULL: the file is not an ELF file, or is too large */
	unsigned char *data;
	size_t size;
	struct cfi_elf elf;
	/* unwind sections of the file, indexed by enum cfi_form; .data NULL: the section is
	 * missing */
	struct cfi_section frames[2];
};

struct attach_files {
	struct attach_file *first;
	uint64_t bytes;			/* total size of all copies of files, in bytes */
};

/* Return the copy of the file that is open as descriptor @fd. The caller closes @fd. Return NULL if
 * out of memory. */
struct attach_file *attach_files_get(struct attach_files *files, int fd);

/* Create a struct attach_file for code that is not from a file. It owns @data, which malloc()
 * allocated. Return NULL if out of memory. */
struct attach_file *attach_files_memory(struct attach_files *files, unsigned char *data,
					size_t size);

void attach_files_put(struct attach_files *files, struct attach_file *file);

#endif
