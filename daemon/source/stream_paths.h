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
#include <sys/types.h>

#include "daemon/base/record.h"

struct opd_stream_paths;

/* Create an empty table. Return 0 or -ENOMEM. */
int opd_stream_paths_create(struct opd_stream_paths **ret);
void opd_stream_paths_destroy(struct opd_stream_paths *p);	/* @p may be NULL. */

/* Remove all images and nodes, because the module restarts their numbering. */
void opd_stream_paths_anew(struct opd_stream_paths *p);

/* Define an image from the operands @op of a PATH_IMAGE record. Return 0, -EINVAL for invalid
 * operands, or -ENOMEM. */
int opd_stream_paths_image(struct opd_stream_paths *p, const unsigned long *op);
/* Define a node from the operands @op of a PATH_NODE record. Return 0, -EINVAL for invalid
 * operands, or -ENOMEM. */
int opd_stream_paths_node(struct opd_stream_paths *p, const unsigned long *op);

/* A sample with a call path. */
struct opd_path_leaf {
	uint64_t cookie, offset;	/* sampled file, and the offset in the context */
	/* numbers of the innermost nodes of the user and the kernel part */
	unsigned long user, kernel;
};

/*
 * Return the call path of the sample @leaf in context @ctx, valid until the next call of a function
 * of this file. Return NULL if the nodes are invalid or belong to another sample. @image_of returns
 * the image of a cookie, or NULL if it is unknown: the path ends there. It is called for the files
 * of the path, with the process of @ctx, which has mapped them: a record that defines an image
 * precedes the record of the process.
 */
const struct opd_path *
opd_stream_paths_find(struct opd_stream_paths *p, const struct opd_context *ctx,
		      const struct opd_path_leaf *leaf,
		      const struct opd_image *(*image_of)(void *arg, uint64_t cookie, pid_t tgid),
		      void *image_of_arg);

#endif
