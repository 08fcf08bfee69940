/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arcs.h -- callers and callees from call paths: arcs between functions of a profile, and arcs
 * between addresses of each tree.
 */
#ifndef PP_PATHS_ARCS_H
#define PP_PATHS_ARCS_H

#include "pp/profile/arcs.h"
#include "pp/profile/path_frames.h"

/* Make the arcs of the profile from its call paths; pp_arcs_make() makes them from call-graph files
 * instead. The totals of the call paths must be complete. Return 0 or -ENOMEM. */
int pp_path_arcs_make(struct pp_profile *profile, bool libs_merged);

/*
 * Arcs between addresses from each tree of call paths, in the form of a call-graph file.
 *
 * Their sums by function equal the arcs of pp_path_arcs_make(): a call is skipped if the path has a
 * call between the same functions nearer to the root.
 */

struct pp_tree_arc {
	/* indices, into the session's list of images, of the images of caller and callee */
	uint32_t caller, callee;
	/*
	 * Addresses as in a call-graph file. @from is the return address. If the call is the last
	 * instruction of its function, the return address may belong to another function, so @from
	 * is then the byte before the return address.
	 */
	uint32_t from, to;
	uint64_t count;
};

struct pp_tree_arcs {
	/* Callback for the arcs of one tree. The arcs have no duplicates, and arcs between the same
	 * two images are adjacent. The callback may sort them. Return 0, or a negative error to
	 * stop. */
	int (*take)(void *context, const struct pp_sample_file *tree, struct pp_tree_arc *arcs,
		    size_t nr);
	void *context;
	/* number of samples in skipped arcs: arcs with an address of more than 32 bits */
	uint64_t too_far;
};

/* Call @to->take() with the arcs of each tree of call paths. @sources: the frames of the trees.
 * @places: the functions at the frames. Skip unreadable trees; pp_path_sources_read() has already
 * reported them. */
int pp_tree_arcs_each(struct pp_tree_arcs *to, const struct pp_session *session,
		      const struct pp_path_sources *sources, const struct pp_frame_places *places);

#endif
