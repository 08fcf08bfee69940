/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h -- the places that call paths lead through, numbered once per session: trees name frames by
 * these numbers (libdb/tree.h). The file is told in doc/path-tree.md.
 *
 * The promise: a number means one frame for ever, or nothing. After a power cut frames that were made
 * last may be gone, and trees may name them: such a number is no frame, and no other gets it. The
 * file's generation is in each tree; a file that is made anew has another one. Else as libdb/odb.h
 * says: one writer beside any number of readers, kill -9 at any moment.
 */
#ifndef ODB_FRAMES_H
#define ODB_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "libdb/odb.h"

struct frames;

/* Numbers of frames that are in no file. */
#define FRAME_FOLDED	1u	/* stands for the rarest subtrees below a node, put together */
#define FRAME_LOST	2u	/* below the root: counts whose path a power cut has taken */
#define FRAME_FIRST	4u

/* A place that a path leads through. */
struct frame {
	uint64_t offset;	/* in the image; @how may give it another meaning */
	uint32_t image;		/* the caller's number of an image; must mean that image for ever */
	/* of the caller's: how the frame was found (table, frame pointer), or why a path ends */
	uint16_t how;
};

/*
 * As odb_open(): @fd is the handle's from success on. @boot is any number that is another one after
 * each start of the machine (of its boot id); ODB_READ does not need it. Waits for the disk when the
 * file is opened, and whenever it grows.
 */
int frames_open(struct frames **ret, int fd, enum odb_mode mode, uint64_t boot);
void frames_close(struct frames *f);	/* takes NULL */

/* For tree_open(). Never 0. */
uint64_t frames_generation(const struct frames *f);

/* Finds or makes the number of @frame. -EFBIG, -ENOSPC, -ENOMEM: a new one has no room. */
int frames_number(struct frames *f, const struct frame *frame, uint32_t *number);
/* False: there is no such frame, or a power cut has taken it. */
bool frames_get(const struct frames *f, uint32_t number, struct frame *frame);

/* One more than the highest number; a reader's stays as it was when the file was opened. The frames that are made from now on have numbers below @end. */
uint32_t frames_end(const struct frames *f);
void frames_limit(struct frames *f, uint32_t end);

int frames_sync(struct frames *f, int wait);

#endif
