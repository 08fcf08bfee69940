/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped_file.h -- files that are mapped somewhere, before anybody knows whether a sample will fall
 * into them.
 *
 * Most mappings of a busy machine never get a sample. Only one that does is looked at on disk
 * (time of modification, build-id) and becomes an opd_image, which lives for good; the others
 * go when the last address space that maps them goes. One thread.
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
	uint64_t dev;		/* makedev(); 0, 0: not known */
	uint64_t ino;
	uint64_t generation;	/* tells a reused inode number from the old file; 0: not known */
};

int opd_mapped_files_create(struct opd_mapped_files **ret, struct opd_images *images);
/* All references must have been put. Takes NULL. */
void opd_mapped_files_destroy(struct opd_mapped_files *files);

/* A reference to the file of that path and identity; NULL: out of memory. */
struct opd_mapped_file *opd_mapped_files_get(struct opd_mapped_files *files, const char *path,
					     const struct opd_file_id *id);

/* Both take NULL. */
void opd_mapped_file_get(struct opd_mapped_file *file);
void opd_mapped_file_put(struct opd_mapped_file *file);

/* Return whether the file is a jit-PID.dump, which names code that its process makes. */
bool opd_mapped_file_is_dump(const struct opd_mapped_file *file);

/* The memory that the file takes, or all of them: users choose names, so they choose how much that is. */
size_t opd_mapped_file_bytes(const struct opd_mapped_file *file);
size_t opd_mapped_files_bytes(const struct opd_mapped_files *files);
/* Forgets files that no address space maps any more, and that were kept because they have an image. */
void opd_mapped_files_forget_unused(struct opd_mapped_files *files);
/* Gives memory back to the system, after many files were forgotten. */
void opd_mapped_files_give_back(struct opd_mapped_files *files);

/* opd_finder_maps(). */
int opd_mapped_files_of(const struct opd_mapped_files *files, int proc_fd, pid_t tgid, opd_proc_map_fn fn, void *arg);
/* Which file process @tgid runs: 0 or negative errno. */
int opd_mapped_files_exe(const struct opd_mapped_files *files, struct opd_file_id *ret, pid_t tgid);

const char *opd_mapped_file_path(const struct opd_mapped_file *file);

/*
 * The file as an image. The first time this looks for the file on disk, in the root directory of
 * process @tgid if that is another one. NULL: the image table is full, or out of memory.
 */
const struct opd_image *opd_mapped_file_image(struct opd_mapped_file *file, pid_t tgid);

#endif
