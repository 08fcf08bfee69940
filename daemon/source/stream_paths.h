/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_paths.h -- the frames that the module's stream has numbered, and from two of these numbers to a path of calls
 * (doc/event-buffer.md, "Call paths").
 *
 * Whatever the numbers are, nothing but what the stream told of is followed: a node is taken when all that it names is
 * known, so a path ends where its first node does.
 */
#ifndef OPD_STREAM_PATHS_H
#define OPD_STREAM_PATHS_H

#include <stdint.h>

#include "daemon/base/record.h"

struct opd_stream_paths;

/* 0 or -ENOMEM. */
int opd_stream_paths_create(struct opd_stream_paths **ret);
void opd_stream_paths_destroy(struct opd_stream_paths *p);	/* takes NULL */

/* Forgets all numbers. */
void opd_stream_paths_anew(struct opd_stream_paths *p);

/*
 * Take the operands of PATH_IMAGE and PATH_NODE. @image: of the cookie, NULL when it has none; samples that lead
 * through it are then short of it. 0, -EINVAL: they make no sense, -ENOMEM.
 */
int opd_stream_paths_image(struct opd_stream_paths *p, const unsigned long *op, const struct opd_image *image);
int opd_stream_paths_node(struct opd_stream_paths *p, const unsigned long *op);

/*
 * Returns how the sample at @offset in @ctx was come to, or NULL: that is no sample's path, or another one's. Valid
 * until the next call of any of these.
 */
const struct opd_path *opd_stream_paths_find(struct opd_stream_paths *p, const struct opd_context *ctx,
					     uint64_t offset, unsigned long user, unsigned long kernel);

#endif
