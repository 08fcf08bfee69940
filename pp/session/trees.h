/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trees.h -- finds the trees of call paths that belong to a report.
 */
#ifndef PP_SESSION_TREES_H
#define PP_SESSION_TREES_H

#include <stdbool.h>

#include "pp/session/session.h"

/* Find the trees of call paths in the session's directories, and read the lists of images. Skip
 * trees that cannot match the specification. Skip damaged trees with a warning. Return 0 or
 * -ENOMEM. */
int pp_trees_find(struct pp_session *session, struct pp_log *log);

/*
 * Cache for one tree: which images have samples that match the specification. .known is calloc'd
 * and has the same indices as the session's list of images: 1: matches, 2: does not match, 0: not
 * tested yet.
 */
struct pp_tree_wants {
	const struct pp_session *session;
	const struct pp_sample_file *tree;
	uint8_t *known;
	bool all;		/* samples in all images match the specification */
	bool unknown;		/* samples whose image is unknown match the specification */
};

/* Initialise the cache for @tree. Return 0 or -ENOMEM. */
int pp_tree_wants_init(struct pp_tree_wants *wants, const struct pp_session *session,
		       const struct pp_sample_file *tree);
void pp_tree_wants_release(struct pp_tree_wants *wants);
/* Return 1 if samples in @image, an index into the session's images, match the specification, else
 * 0 or -ENOMEM. Return .unknown for an index beyond the list of images. */
int pp_tree_wants_image(struct pp_tree_wants *wants, uint32_t image);

/* Return whether the specification accepts samples in all images. */
bool pp_trees_match_all(const struct pp_session *session);

#endif
