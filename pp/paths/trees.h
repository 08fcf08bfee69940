/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trees.h -- construction of calling context trees.
 */
#ifndef PP_PATHS_TREES_H
#define PP_PATHS_TREES_H

#include <stdbool.h>

#include "pp/profile/path_frames.h"
#include "pp/profile/profile.h"

/* The calling context tree of a profile. It is made from the trees of a session, after the
 * functions at all frames were looked up. */

/* Make the call paths of @profile from the trees of @session, without totals (pp_paths_finish()).
 * @places: the places (functions) of all frames, which are copied to the profile. Return 0 or
 * -ENOMEM. */
int pp_paths_build(struct pp_profile *profile, const struct pp_session *session,
		   const struct pp_path_sources *sources, const struct pp_frame_places *places,
		   const struct pp_profile_options *options, struct pp_log *log);

/*
 * A calling context tree joined from the trees of two profiles. Two paths are joined if their
 * functions and binaries have the same names.
 */

/* Make the call paths of @diff if both profiles have call paths. @diff must have the codes
 * (functions) of @first, followed by the codes of @second. The callback @add adds the counts of a
 * node of @first or @second to the counts of the joined node. Counts of @first are not scaled.
 * Return 0 or -ENOMEM. */
int pp_path_diff_make(struct pp_profile *diff, const struct pp_profile *first,
		      const struct pp_profile *second,
		      void (*add)(const struct pp_profile *diff, uint64_t *to, const uint64_t *from,
				  bool first));

/*
 * A tree for a profile without call paths. Its levels are program, binary and function. Functions
 * of the program's own file are directly below the program. Samples in a binary without symbols are
 * counted at the node of the binary.
 */

/* Make a finished tree in *@ret from the flat profile. @blocks will own its counts. Return 0 or
 * -ENOMEM. */
int pp_paths_of_flat(struct pp_paths **ret, const struct pp_profile *profile,
		     struct pp_block **blocks);

/*
 * A tree for samples of wakers (pp/session/wakers.h), which have no call paths. Its levels are the
 * functions of wakers (PP_PLACE_WAKER), and the programs whose waits they ended. Samples count at
 * the program that waited.
 */

/* Make .paths of @profile, without totals (pp_paths_finish()), from its entries. Return 0 or
 * -ENOMEM. */
int pp_paths_of_wakers(struct pp_profile *profile);

/* Make a finished copy of @paths with only the nodes in @kept. If a node is in @kept, its parent
 * must be in @kept, too. One node below the root sums all other branches. @format: printf() format
 * of that node's name; its arguments are the number of branches and a word for branches. @blocks
 * will own the counts and the name. Return 0 or -ENOMEM. */
int pp_paths_prune(struct pp_paths **ret, const struct pp_paths *paths,
		   const struct pp_profile *profile, const bool *kept, const char *format,
		   struct pp_block **blocks);

#endif
