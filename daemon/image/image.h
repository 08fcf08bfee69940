/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h -- images: files that have samples. Images are interned: there is one object per
 * identity, compared by pointer, and alive until opd_images_destroy(). Two files that had the same
 * path at different times (a package was upgraded) are two images.
 */
#ifndef OPD_IMAGE_H
#define OPD_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libop/session/identity.h"

struct opd_image {
	/* absolute path of the file; ends in " (deleted)" if the kernel reports that */
	const char *path;
	uint64_t dev, ino;	/* device and inode of the file; 0: not known */
	uint64_t mtime;		/* time of modification, in seconds; 0: not known */
	uint8_t build_id[20];
	size_t build_id_len;	/* length of the build-id; 0: no build-id, or not known */
	struct op_identity identity;
	/* .is_elf: the file is an ELF file; .is_other: the file was read and is not an ELF file;
	 * both are false if the file could not be read */
	bool is_elf, is_other;
	bool used;		/* the image has samples in the session */
	bool kept;		/* the image's symbol table is kept, or cannot be kept */
	/* the callback set by opd_images_report_new() has been called for this image */
	bool reported;
};

/* Return whether @path, the kernel's name of a file, is the name of a memfd. */
static inline bool opd_is_memfd(const char *path)
{
	return !strncmp(path, "/memfd:", 7);
}

struct opd_finder;
struct opd_identity;
struct opd_images;
struct opd_made_tables;
struct opd_unwind_tables;

int opd_images_create(struct opd_images **ret);
void opd_images_destroy(struct opd_images *images);

/*
 * Find or make the image of a file. @dev, @ino and @mtime may be 0 if the source does not know
 * them. Return NULL if memory is short, or if there are too many different files; the caller then
 * counts the samples as "lost_image_table".
 */
const struct opd_image *opd_images_intern(struct opd_images *images, const char *path,
					  uint64_t dev, uint64_t ino, uint64_t mtime);

/* Find or make the image of a file that was opened; see opd_images_intern(). A file with another
 * build-id is another image, even if everything else is equal. */
const struct opd_image *opd_images_intern_build(struct opd_images *images, const char *path,
						uint64_t dev, uint64_t ino,
						const struct opd_identity *identity);

/* Find or make the image of a file without samples, as opd_images_intern_build() does, but do not
 * call the callback of opd_images_report_new(). */
const struct opd_image *opd_images_intern_quietly(struct opd_images *images, const char *path,
						  uint64_t dev, uint64_t ino,
						  const struct opd_identity *identity);

/* Set the finder that opens files (daemon/image/finder.h), borrowed. Without a finder, files are
 * opened directly. */
void opd_images_set_finder(struct opd_images *images, struct opd_finder *finder);
struct opd_finder *opd_images_finder(const struct opd_images *images);

/* Set the tables for unwinding stacks (unwind_tables.h), borrowed. Without tables, stacks are not
 * unwound. */
void opd_images_set_unwind(struct opd_images *images, struct opd_unwind_tables *unwind);
struct opd_unwind_tables *opd_images_unwind(const struct opd_images *images);
/* Set the unwind tables for code made at run time (made_tables.h), borrowed. Without them, callers
 * in this code are not found. */
void opd_images_set_made(struct opd_images *images, struct opd_made_tables *made);
struct opd_made_tables *opd_images_made(const struct opd_images *images);

/* Is called once for each image whose file was found and may be read, when the image is
 * interned. */
typedef void (*opd_image_fn)(void *arg, const struct opd_image *image,
			     const struct opd_identity *identity);
void opd_images_report_new(struct opd_images *images, opd_image_fn fn, void *arg);

void opd_image_set_kept(const struct opd_image *image);

/* Note that the session has samples of the image, until the next session begins. */
void opd_images_use(struct opd_images *images, const struct opd_image *image);
void opd_images_new_session(struct opd_images *images);
/* Return the number of images that have a build-id and samples in the session. */
size_t opd_images_nr_build_ids(const struct opd_images *images);

/* Call @fn for each image, in no particular order, until it returns a value other than 0. Return
 * that value, or 0. */
int opd_images_for_each(const struct opd_images *images,
			int (*fn)(void *arg, const struct opd_image *image), void *arg);

#endif
