/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_paths.h -- tables of the images and frames of call paths, which the kernel module's stream
 * refers to by numbers (doc/event-buffer.md, "Call paths").
 *
 * The stream may contain any numbers. A node is accepted only if its parent and image are already
 * defined, so a loop over parents always ends.
 */
#ifndef OPD_STREAM_PATHS_H
#define OPD_STREAM_PATHS_H

#include <stdint.h>

#include "daemon/base/record.h"

struct opd_stream_paths;

/* Create an empty table. Return 0 or -ENOMEM. */
int opd_stream_paths_create(struct opd_stream_paths **ret);
void opd_stream_paths_destroy(struct opd_stream_paths *p);	/* @p may be NULL. */

/* Remove all images and nodes, because the module restarts their numbering. */
void opd_stream_paths_anew(struct opd_stream_paths *p);

/* Define an image from the operands @op of a PATH_IMAGE record. @image: the image of the record's
 * cookie; NULL: the image is unknown, and paths end there. Return 0, -EINVAL for invalid operands,
 * or -ENOMEM. */
int opd_stream_paths_image(struct opd_stream_paths *p, const unsigned long *op,
			   const struct opd_image *image);
/* Define a node from the operands @op of a PATH_NODE record. Return 0, -EINVAL for invalid
 * operands, or -ENOMEM. */
int opd_stream_paths_node(struct opd_stream_paths *p, const unsigned long *op);

/*
 * Return the call path of the sample at offset @offset in context @ctx, valid until the next call
 * of a function of this file. @user, @kernel: numbers of the innermost nodes of the user and the
 * kernel part. Return NULL if the nodes are invalid or belong to another sample.
 */
const struct opd_path *opd_stream_paths_find(struct opd_stream_paths *p,
					     const struct opd_context *ctx, uint64_t offset,
					     unsigned long user, unsigned long kernel);

#endif
