/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h -- the file of frames: the code addresses that occur in call paths, numbered once per
 * session. Trees (libdb/tree.h) refer to frames by these numbers. doc/path-tree.md describes the
 * file.
 *
 * Guarantee: a number always means the same frame, or no frame. After a power cut the newest
 * frames may be missing although trees refer to them. The number of a missing frame is invalid and
 * is never given to another frame. Each tree stores the generation number of its frames file, and
 * a new frames file has a new generation number. The file has one writer and any number of
 * readers, and the writer may be killed at any moment.
 */
#ifndef ODB_FRAMES_H
#define ODB_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "libdb/odb.h"

struct frames;

/* Special frame numbers, which are not stored in the file. */
/* frame number of a node that replaces its parent's rarest subtrees; the node's count is the sum of
 * all counts in these subtrees */
#define FRAME_FOLDED	1u
/* frame number of a child of the root; the child's count is the number of samples whose path was
 * lost in a power cut */
#define FRAME_LOST	2u
#define FRAME_FIRST	4u

/* A code address in a call path: an image and an offset. */
struct frame {
	uint64_t offset;	/* offset in the image, unless @how gives it another meaning */
	/* number that the caller assigned to the image; the caller must never reuse it for another
	 * image */
	uint32_t image;
	/* how the unwinder found the frame (for example by an unwind table or a frame pointer), or
	 * why the path ends here; the caller defines the values */
	uint16_t how;
};

/*
 * Open the frames file of descriptor @fd, as odb_open() does. On success *@ret owns @fd. @boot is
 * a number that is different after each boot of the machine, for example a hash of the boot id;
 * ODB_READ ignores @boot. The function waits until the disk has stored the file's new length, and
 * so does each call that makes the file grow.
 */
int frames_open(struct frames **ret, int fd, enum odb_mode mode, uint64_t boot);
void frames_close(struct frames *f);	/* Close @f, which may be NULL. */

/* Return the number, never 0, that identifies this frames file; pass it to tree_open(). */
uint64_t frames_generation(const struct frames *f);

/* Set *@number to the number of @frame, and store the frame if it is new. Errors: -EFBIG, -ENOSPC
 * and -ENOMEM if the file cannot store a new frame. */
int frames_number(struct frames *f, const struct frame *frame, uint32_t *number);
/* Copy frame @number to *@frame. Return false if the frame does not exist or a power cut destroyed
 * it. */
bool frames_get(const struct frames *f, uint32_t number, struct frame *frame);

/* Return the highest frame number plus one. For a reader, the result is a snapshot that
 * frames_open() or frames_more() made. */
uint32_t frames_end(const struct frames *f);
/*
 * For a reader: raise the result of frames_end() by the frames that were added in the meantime.
 * Return true if the file may have grown beyond the mapping, so that the reader has to open the
 * file again.
 */
bool frames_more(struct frames *f);
/* Limit the numbers of new frames to numbers below @end. */
void frames_limit(struct frames *f, uint32_t end);

/* Write the frames to disk; @wait as in odb_sync(). */
int frames_sync(struct frames *f, int wait);

#endif
