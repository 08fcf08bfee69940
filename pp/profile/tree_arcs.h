/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_arcs.h -- who called whom, address by address, of each tree of call paths: what a call-graph file has.
 *
 * Arcs are those of path_arcs.h: added up by function they are the same, because a call from one function to another
 * that is on a path already, further out, is left out there too.
 */
#ifndef PP_PROFILE_TREE_ARCS_H
#define PP_PROFILE_TREE_ARCS_H

#include "pp/profile/path_frames.h"

struct pp_tree_arc {
	uint32_t caller, callee;	/* indices into the images of the tree's session */
	/*
	 * Keys as in a call-graph file. @from is the address that is returned to; where that is another function's,
	 * because the call was the last instruction, the byte before it.
	 */
	uint32_t from, to;
	uint64_t count;
};

struct pp_tree_arcs {
	/* Takes the arcs of one tree: each once, those from one image to another one after the other. May sort them
	 * anew. 0, or a negative error, which ends it all. */
	int (*take)(void *context, const struct pp_sample_file *tree, struct pp_tree_arc *arcs, size_t nr);
	void *context;
	uint64_t too_far;	/* is counted up: arcs with an end that 32 bits do not hold */
};

/* Of all trees, whose frames are in @sources and have become @places. Trees that cannot be read are left out, the
 * reader of frames has told them. */
int pp_tree_arcs_tell(struct pp_tree_arcs *to, const struct pp_session *session,
		      const struct pp_path_sources *sources, const struct pp_frame_places *places);

#endif
