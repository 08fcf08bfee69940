/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h -- the file of frames: the places that call paths lead through, numbered once per
 * session. Trees (libdb/tree.h) refer to frames by these numbers. doc/path-tree.md describes the
 * file.
 *
 * Guarantee: a number always means the same frame, or no frame. After a power cut the newest frames
 * may be missing although trees refer to them: such a number is invalid and is never given to
 * another frame. Each tree stores the generation of its frames file; a new file has a new
 * generation. As for libdb/odb.h, there is one writer and any number of readers, and the writer may
 * be killed at any moment.
 */
#ifndef ODB_FRAMES_H
#define ODB_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "libdb/odb.h"

struct frames;

/* Numbers of frames that are not stored in the file. */
/* frame that stands for the rarest subtrees of a node, merged into one child */
#define FRAME_FOLDED	1u
#define FRAME_LOST	2u	/* child of the root: counts whose path was lost in a power cut */
#define FRAME_FIRST	4u

/* A place in the code that a call path leads through. */
struct frame {
	uint64_t offset;	/* offset in the image, unless @how gives it another meaning */
	/* the caller's number of the image; must never mean another image */
	uint32_t image;
	/* defined by the caller: how the frame was found (table, frame pointer), or why the path
	 * ends */
	uint16_t how;
};

/*
 * Open the frames file behind @fd, as odb_open() does: on success the handle owns @fd. @boot is a
 * number that differs after each boot of the machine, for example a hash of its boot id; ODB_READ
 * ignores it. Waits for the disk when the file is opened, and each time that it grows.
 */
int frames_open(struct frames **ret, int fd, enum odb_mode mode, uint64_t boot);
void frames_close(struct frames *f);	/* @f may be NULL. */

/* Return the generation of the file of frames, for tree_open(); never 0. */
uint64_t frames_generation(const struct frames *f);

/* Set *@number to the number of @frame, and add the frame if it is new. -EFBIG, -ENOSPC,
 * -ENOMEM: no room to add it. */
int frames_number(struct frames *f, const struct frame *frame, uint32_t *number);
/* Copy frame @number to *@frame. False: the frame does not exist, or a power cut destroyed it. */
bool frames_get(const struct frames *f, uint32_t number, struct frame *frame);

/* Return the highest number of a frame plus one; for a reader, as it was when the reader opened the
 * file. */
uint32_t frames_end(const struct frames *f);
/* For a reader: raise frames_end() to include the frames that were added since. Return true if the
 * file may have grown, so that only another frames_open() shows more. */
bool frames_more(struct frames *f);
/* Give new frames only numbers below @end. */
void frames_limit(struct frames *f, uint32_t end);

int frames_sync(struct frames *f, int wait);	/* Write the frames to disk as odb_sync() does. */

#endif
