/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_images.h -- the images of call paths' frames, numbered from 1 on for the life of the session.
 *
 * On disk (OP_PATH_IMAGES_FILE in a samples directory), text, a line an image: "=NUMBER CHECK BUILD OWNER MTIME KERNEL
 * IMAGE", those from CHECK to OWNER in hexadecimal. CHECK is a hash of the id of the session's frames (libdb/frames.h),
 * the number and what follows, so a line of another session, or with a changed number, is ignored. Earlier versions
 * wrote "BUILD OWNER MTIME KERNEL IMAGE", numbered by their order. IMAGE is as in a sample file's name without version,
 * in which '\' is "\\" and an end of line "\n". A line is on the disk before any frame names its number. A last line
 * without an end is ignored. A line that cannot be parsed keeps its number.
 */
#ifndef OP_PATH_IMAGES_H
#define OP_PATH_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/hash.h"
#include "libop/session/identity.h"
#include "libop/session/mangle.h"

#define OP_PATH_IMAGES_FILE	"paths/images"
#define OP_PATH_IMAGES_MAX	(1u << 20)

/* An image, and what a sample file's header has of it. */
struct op_path_image {
	struct op_image_name name;	/* path NULL: the line made no sense */
	struct op_identity identity;
	uint64_t mtime;			/* seconds; 0: not known */
	bool is_kernel;
};

/* Zeroed is empty. images[number - 1]. */
struct op_path_images {
	struct op_path_image *images;
	size_t nr;
};

/* 0 or negative errno, -ENOENT: there is no such file. */
int op_path_images_read(struct op_path_images *p, int samples_dirfd);
void op_path_images_release(struct op_path_images *p);
/* NULL: no such number, or nothing is known of it. */
const struct op_path_image *op_path_image(const struct op_path_images *p, uint32_t number);

/* The writer: of its images it remembers what finds them again. */
struct op_path_images_writer;

/*
 * Open the list for writing; paths/ must exist. Reads the file and cuts off an incomplete last line. @frames: the id of
 * the session's frames. @highest: the highest number that any frame names, which is not assigned again even if the file
 * has lost it. Return 0 or a negative errno.
 */
int op_path_images_open(struct op_path_images_writer **ret, int samples_dirfd, uint64_t frames, uint32_t highest);
void op_path_images_close(struct op_path_images_writer *w);	/* takes NULL */

/*
 * The image's number, old or new; a new one is on the disk when this returns. -ENOSPC, -EFBIG (OP_PATH_IMAGES_MAX),
 * -EINVAL: a name that could not be read back, -EAGAIN: op_path_images_hold(), or another negative errno: it has none.
 */
int op_path_images_number(struct op_path_images_writer *w, const struct op_path_image *image, uint32_t *number);

/* While @held an image that is not there gets no number. */
void op_path_images_hold(struct op_path_images_writer *w, bool held);

/* Bytes of the file. */
uint64_t op_path_images_size(const struct op_path_images_writer *w);

#endif
