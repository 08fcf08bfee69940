/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trees.h -- makers of calling context trees.
 */
#ifndef PP_PATHS_TREES_H
#define PP_PATHS_TREES_H

#include "pp/profile/path_frames.h"
#include "pp/profile/profile.h"

/* Making the tree of a profile from the trees of a session, after all frames were looked up. */

/* Set the profile's paths, without totals (pp_paths_finish()). @places: those of all frames,
 * which are copied to the profile. Return 0 or -ENOMEM. */
int pp_paths_build(struct pp_profile *profile, const struct pp_session *session,
		   const struct pp_path_sources *sources, const struct pp_frame_places *places,
		   const struct pp_profile_options *options, struct pp_log *log);

/*
 * One calling context tree of two profiles. Paths are equal if their functions and binaries have
 * equal names.
 */

/* Set the paths of @diff, whose codes are those of @first and then those of @second, if both
 * profiles have paths. Counts before are not scaled. Return 0 or -ENOMEM. */
int pp_path_diff_make(struct pp_profile *diff, const struct pp_profile *first,
		      const struct pp_profile *second);

/*
 * A tree of a profile without call paths: program, image, function. A program's own file has no
 * node, nor has a code that is a whole image.
 */

/* Make a finished tree; @blocks own its counts. Return 0 or -ENOMEM. */
int pp_paths_of_flat(struct pp_paths **ret, const struct pp_profile *profile,
		     struct pp_block **blocks);

#endif
