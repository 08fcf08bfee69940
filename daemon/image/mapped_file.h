/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped_file.h -- files that are mapped by processes, before it is known whether they have
 * samples.
 *
 * Most mappings of a busy machine never get a sample. Only a file with a sample is opened (for its
 * time of modification and build-id) and gets an opd_image, which is never freed. All other files
 * are freed with the last address space that maps them. Not thread-safe.
 */
#ifndef OPD_MAPPED_FILE_H
#define OPD_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/proc_maps.h"

struct opd_image;
struct opd_images;
struct opd_mapped_file;
struct opd_mapped_files;

struct opd_file_id {
	/* device number as makedev() returns it; .dev and .ino both 0: unknown */
	uint64_t dev;
	uint64_t ino;
	/* number that distinguishes the file from an earlier file with the same inode number; 0:
	 * unknown */
	uint64_t generation;
};

int opd_mapped_files_create(struct opd_mapped_files **ret, struct opd_images *images);
/* Destroy the table. All references must have been put. @files may be NULL. */
void opd_mapped_files_destroy(struct opd_mapped_files *files);

/* Return a reference to the file with the path @path and identity @id, or NULL if there is no
 * memory. */
struct opd_mapped_file *opd_mapped_files_get(struct opd_mapped_files *files, const char *path,
					     const struct opd_file_id *id);

/* Get or put a reference. @file may be NULL. */
void opd_mapped_file_get(struct opd_mapped_file *file);
void opd_mapped_file_put(struct opd_mapped_file *file);

/* Return whether the file is a jit-PID.dump, which describes code that its process makes at run
 * time. */
bool opd_mapped_file_is_dump(const struct opd_mapped_file *file);

/* Return the memory, in bytes, that the file takes, or that all files take. The amount depends on
 * the lengths of file names, which users choose. */
size_t opd_mapped_file_bytes(const struct opd_mapped_file *file);
size_t opd_mapped_files_bytes(const struct opd_mapped_files *files);
/* Free files that are not mapped by an address space any more, and that were kept because they have
 * an image. */
void opd_mapped_files_forget_unused(struct opd_mapped_files *files);
/* Return free memory of the heap to the system, after many files were freed. */
void opd_mapped_files_give_back(struct opd_mapped_files *files);

/* Call opd_finder_maps() with the finder of @files. */
int opd_mapped_files_of(const struct opd_mapped_files *files, int proc_fd, pid_t tgid,
			opd_proc_map_fn fn, void *arg);
/* Set *@ret to the identity of the program that process @tgid runs. Return 0 or a negative errno.
 */
int opd_mapped_files_exe(const struct opd_mapped_files *files, struct opd_file_id *ret, pid_t tgid);

/* Return the path of the file, for tests. */
const char *opd_mapped_file_path(const struct opd_mapped_file *file);

/*
 * Return the file's image. The first call looks for the file on disk, in the root directory of
 * process @tgid if it differs from the daemon's root directory. Return NULL if the table of images
 * is full, or if memory is short.
 */
const struct opd_image *opd_mapped_file_image(struct opd_mapped_file *file, pid_t tgid);

#endif
