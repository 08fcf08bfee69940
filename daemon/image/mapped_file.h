/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped_file.h -- files that processes have mapped, with or without samples.
 *
 * On a busy machine most mappings never get a sample. A file is opened (for its modification time
 * and build-id) and gets an opd_image, which is never freed, only when it has a sample. The entry
 * of any other file is freed together with the last address space that maps the file. Not
 * thread-safe.
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
	/* device number, as returned by makedev(); .dev and .ino both 0: unknown */
	uint64_t dev;
	uint64_t ino;
	/* distinguishes files that had the same inode number one after the other; 0: unknown */
	uint64_t generation;
};

int opd_mapped_files_create(struct opd_mapped_files **ret, struct opd_images *images);
/* Destroy the table. All references must have been released. @files may be NULL. */
void opd_mapped_files_destroy(struct opd_mapped_files *files);

/* Return a new reference to the file with path @path and identity @id, or NULL if memory is
 * short. */
struct opd_mapped_file *opd_mapped_files_get(struct opd_mapped_files *files, const char *path,
					     const struct opd_file_id *id);

/* Acquire another reference to @file, which may be NULL. */
void opd_mapped_file_get(struct opd_mapped_file *file);
/* Release a reference to @file, which may be NULL. */
void opd_mapped_file_put(struct opd_mapped_file *file);

/* Return true if the file is a jit-PID.dump, which describes JIT code of its process. */
bool opd_mapped_file_is_dump(const struct opd_mapped_file *file);

/* Return the memory in bytes of the file's entry, which contains the path. Users choose the lengths
 * of paths. */
size_t opd_mapped_file_bytes(const struct opd_mapped_file *file);
/* Return the memory in bytes of the entries of all files. */
size_t opd_mapped_files_bytes(const struct opd_mapped_files *files);

/* Numbers of images so far whose files are not below the daemon's root directory, without deleted
 * files and memfds. */
struct opd_files_apart {
	/* files that were opened through a process with another mount namespace or root
	 * directory */
	size_t opened;
	size_t missed;		/* files that did not exist any more */
};
struct opd_files_apart opd_mapped_files_apart(const struct opd_mapped_files *files);

/* Free the entries of files that no address space maps any more, which were kept for the files'
 * images. */
void opd_mapped_files_forget_unused(struct opd_mapped_files *files);
/* Return free heap memory to the system if many files were freed. */
void opd_mapped_files_trim(struct opd_mapped_files *files);

/* Read the mappings of process @tgid: call opd_finder_maps() with the finder of @files. */
int opd_mapped_files_of(const struct opd_mapped_files *files, int proc_fd, pid_t tgid,
			opd_proc_map_fn fn, void *arg);
/* Set *@ret to the identity of the program that process @tgid executes. Return 0 or a negative
 * errno. */
int opd_mapped_files_exe(const struct opd_mapped_files *files, struct opd_file_id *ret, pid_t tgid);

/* For tests: return the path of the file. */
const char *opd_mapped_file_path(const struct opd_mapped_file *file);

/*
 * Return the file's image. The first call opens the file, also below the root directory of process
 * @tgid if this differs from the daemon's. Return NULL if the table of images is full or memory is
 * short.
 */
const struct opd_image *opd_mapped_file_image(struct opd_mapped_file *file, pid_t tgid);

#endif
