/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arcs.h -- callers and callees, from call paths: of a profile, and of each tree by address.
 */
#ifndef PP_PATHS_ARCS_H
#define PP_PATHS_ARCS_H

#include "pp/profile/arcs.h"
#include "pp/profile/path_frames.h"

/* Set the profile's arcs from its call paths, which must have totals. The arcs are like those of
 * pp_arcs_make(). Return 0 or -ENOMEM. */
int pp_path_arcs_make(struct pp_profile *profile, bool libs_merged);

/*
 * The arcs of each tree of call paths by address, as in a call-graph file.
 *
 * Summed by function, they equal the arcs that pp_path_arcs_make() makes: a call is skipped if the
 * path has a call between the same functions nearer to the root.
 */

struct pp_tree_arc {
	/* indexes of the images in the list of the tree's session */
	uint32_t caller, callee;
	/*
	 * Keys as in a call-graph file. @from is the return address or, if that belongs to another
	 * function because the call is the last instruction, the byte before.
	 */
	uint32_t from, to;
	uint64_t count;
};

struct pp_tree_arcs {
	/* Take the arcs of one tree, without duplicates, with arcs between the same two images
	 * adjacent. The function may sort them. Return 0, or a negative error, which ends the
	 * work. */
	int (*take)(void *context, const struct pp_sample_file *tree, struct pp_tree_arc *arcs,
		    size_t nr);
	void *context;
	/* incremented by the samples of arcs that were skipped, because an address needs more than
	 * 32 bits */
	uint64_t too_far;
};

/* Pass the arcs of all trees to @to->take(). @sources has the frames, @places their functions.
 * Trees that cannot be read are skipped: pp_path_sources_read() has reported them. */
int pp_tree_arcs_each(struct pp_tree_arcs *to, const struct pp_session *session,
		      const struct pp_path_sources *sources, const struct pp_frame_places *places);

#endif
