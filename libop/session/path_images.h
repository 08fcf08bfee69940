/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_images.h -- the list of images to which frames of call paths refer, by numbers from 1 on.
 *
 * Numbers are valid for the life of the session. The text file OP_PATH_IMAGES_FILE in a samples
 * directory has a line for each image: "=NUMBER CHECK BUILD OWNER MTIME KERNEL IMAGE". CHECK, BUILD
 * and OWNER are hexadecimal. CHECK is a hash of the id of the session's frames (libdb/frames.h),
 * the number, and the rest of the line. So a line of another session, or with a changed number, is
 * ignored.
 *
 * Earlier versions wrote "BUILD OWNER MTIME KERNEL IMAGE", and lines were numbered by their order.
 * IMAGE is the image in the name of a sample file, with '\' written as "\\" and a newline as "\n".
 * A line is on the disk before any frame refers to its number. A last line without a newline is
 * ignored. A line that cannot be parsed keeps its number.
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

/* An image, with those members of a sample file's header that describe it. */
struct op_path_image {
	struct op_image_name name;	/* name of the image; .path NULL: the line is invalid */
	struct op_identity identity;
	uint64_t mtime;			/* modification time of the file, in seconds; 0: unknown */
	bool is_kernel;
};

/* The images of a session: images[number - 1] is the image with the number @number. A zeroed struct
 * is empty. */
struct op_path_images {
	struct op_path_image *images;
	size_t nr;
};

/* Read the session's list of images. Return 0 or a negative errno; -ENOENT: the session has no
 * list. */
int op_path_images_read(struct op_path_images *p, int samples_dirfd);
void op_path_images_release(struct op_path_images *p);
/* Return the image with the number @number, or NULL if the list has no valid line for it. */
const struct op_path_image *op_path_image(const struct op_path_images *p, uint32_t number);

/* The writer of the list. It keeps only hashes and offsets of lines in memory. */
struct op_path_images_writer;

/*
 * Open the list of images for writing, and remove an incomplete last line. The directory paths/
 * must exist. @frames: id of the session's frames. @highest: highest number to which a frame
 * refers; no number up to it is assigned again, even if its line is missing. Return 0 or a negative
 * errno.
 */
int op_path_images_open(struct op_path_images_writer **ret, int samples_dirfd, uint64_t frames,
			uint32_t highest);
void op_path_images_close(struct op_path_images_writer *w);	/* Close @w, which may be NULL. */

/*
 * Set *@number to the number of the image; assign a new number if the image is not in the list. The
 * line of a new number is on the disk when this function returns. Return 0 or a negative errno;
 * -EFBIG: more than OP_PATH_IMAGES_MAX images; -EINVAL: the name could not be decoded again;
 * -EAGAIN: a new number is needed, but op_path_images_hold() forbids new numbers.
 */
int op_path_images_number(struct op_path_images_writer *w, const struct op_path_image *image,
			  uint32_t *number);

/* Do not wait for the disk after each new line. Only for a copy of a list, which is created again
 * after a power failure. */
void op_path_images_copy(struct op_path_images_writer *w);

/* While @held is true, op_path_images_number() must not assign new numbers. */
void op_path_images_hold(struct op_path_images_writer *w, bool held);

/* Return the size in bytes of the file that contains the list of images. */
uint64_t op_path_images_size(const struct op_path_images_writer *w);

#endif
