/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h -- images: files that have samples. Each identity of a file (path, device, inode,
 * modification time, build-id) has one object, so images are compared by pointer. The object lives
 * until opd_images_destroy(). If a package was upgraded, the old and the new file at the same path
 * are two images.
 */
#ifndef OPD_IMAGE_H
#define OPD_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libop/session/identity.h"

struct opd_image {
	/* absolute path; ends in " (deleted)" if the kernel reports so */
	const char *path;
	uint64_t dev, ino;	/* device and inode; 0: unknown */
	uint64_t mtime;		/* modification time in seconds; 0: unknown */
	uint8_t build_id[20];
	size_t build_id_len;	/* length of the build-id; 0: no build-id, or unknown */
	struct op_identity identity;
	/* .is_elf: the file is an ELF file; .is_other: the file was read and is not an ELF file;
	 * both false: the file could not be read */
	bool is_elf, is_other;
	bool used;		/* the session has samples of the image */
	/* the session contains the image's symbol table, or the table cannot be made */
	bool kept;
	/* the callback of opd_images_report_new() was called for the image */
	bool reported;
};

/* The image that stands for the program of the kernel's threads. Root pays for its files. */
extern const struct opd_image opd_kernel_threads;

/* Return true if @path, a path that the kernel reported, is the name of a memfd. */
static inline bool opd_is_memfd(const char *path)
{
	return !strncmp(path, "/memfd:", 7);
}

struct opd_cgroups;
struct opd_finder;
struct opd_identity;
struct opd_images;
struct opd_made_tables;
struct opd_unwind_tables;

int opd_images_create(struct opd_images **ret);
void opd_images_destroy(struct opd_images *images);

/*
 * Find or create the image of a file. @dev, @ino and @mtime are 0 if unknown. Return NULL if
 * memory is short or if the table is full; the caller then counts the samples as
 * "lost_image_table".
 */
const struct opd_image *opd_images_intern(struct opd_images *images, const char *path,
					  uint64_t dev, uint64_t ino, uint64_t mtime);

/* Find or create the image of a file that the daemon has opened; otherwise like
 * opd_images_intern(). Files with different build-ids are different images, even if path and inode
 * are equal. */
const struct opd_image *opd_images_intern_build(struct opd_images *images, const char *path,
						uint64_t dev, uint64_t ino,
						const struct opd_identity *identity);

/* Find or create the image of a file that has no samples: like opd_images_intern_build(), but do
 * not call the callback of opd_images_report_new(). */
const struct opd_image *opd_images_intern_quietly(struct opd_images *images, const char *path,
						  uint64_t dev, uint64_t ino,
						  const struct opd_identity *identity);

/* Set the finder that opens files in a worker process (daemon/image/finder.h), borrowed. Without a
 * finder, the daemon opens files itself. */
void opd_images_set_finder(struct opd_images *images, struct opd_finder *finder);
struct opd_finder *opd_images_finder(const struct opd_images *images);

/* Set the unwind tables (unwind_tables.h), borrowed. Without tables, stacks are not unwound. */
void opd_images_set_unwind(struct opd_images *images, struct opd_unwind_tables *unwind);
struct opd_unwind_tables *opd_images_unwind(const struct opd_images *images);
/* Set the unwind tables of JIT code (made_tables.h), borrowed. Without them, callers in JIT code
 * are not found. */
void opd_images_set_made(struct opd_images *images, struct opd_made_tables *made);
struct opd_made_tables *opd_images_made(const struct opd_images *images);

/* Set the names of control groups (cgroups.h), borrowed. Without them, samples have no unit. */
void opd_images_set_cgroups(struct opd_images *images, struct opd_cgroups *cgroups);
struct opd_cgroups *opd_images_cgroups(const struct opd_images *images);

/* The type of a callback for each new image whose file was found and may be read. */
typedef void (*opd_image_fn)(void *arg, const struct opd_image *image,
			     const struct opd_identity *identity);
void opd_images_report_new(struct opd_images *images, opd_image_fn fn, void *arg);

void opd_image_set_kept(const struct opd_image *image);

/* Record that the current session has samples of the image. */
void opd_images_use(struct opd_images *images, const struct opd_image *image);
void opd_images_new_session(struct opd_images *images);
/* Return the number of images with a build-id and with samples in the session. */
size_t opd_images_nr_build_ids(const struct opd_images *images);

/* Call @fn for each image, in no particular order. If @fn returns a value other than 0, stop and
 * return this value; otherwise return 0. */
int opd_images_for_each(const struct opd_images *images,
			int (*fn)(void *arg, const struct opd_image *image), void *arg);

#endif
