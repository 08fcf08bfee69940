/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trees.h -- which trees of call paths a report is made of.
 */
#ifndef PP_SESSION_TREES_H
#define PP_SESSION_TREES_H

#include <stdbool.h>

#include "pp/session/session.h"

/* Finds the trees of the session's directories, and the images that they are in; those that can have nothing of
 * what was asked for are left out. -ENOMEM; what is damaged is told and left out. */
int pp_trees_find(struct pp_session *session, struct pp_log *log);

/* Does the report want samples that fell into @image, of those in @tree? Of a sample file its name would say. 0, 1 or
 * -ENOMEM. */
int pp_trees_want(const struct pp_session *session, const struct pp_sample_file *tree,
		  const struct op_image_name *image);
/*
 * Which of a session's images the report wants samples of, that the tree has: each is asked for once. .known is
 * calloc'd, and beside the session's list of images: 1 wanted, 2 not, 0 not asked yet.
 */
struct pp_tree_wants {
	const struct pp_session *session;
	const struct pp_sample_file *tree;
	uint8_t *known;
	bool all;		/* samples in any image are wanted */
	bool unknown;		/* samples whose image is unknown are wanted */
};

/* -ENOMEM. */
int pp_tree_wants_init(struct pp_tree_wants *wants, const struct pp_session *session,
		       const struct pp_sample_file *tree);
void pp_tree_wants_release(struct pp_tree_wants *wants);
/* Return 1 if samples in @image, an index into the session's images, are wanted, else 0 or -ENOMEM. Return .unknown if
 * the list has no such image. */
int pp_tree_wants_image(struct pp_tree_wants *wants, uint32_t image);

/* All of them, whichever image they are in. */
bool pp_trees_want_all(const struct pp_session *session);

#endif
