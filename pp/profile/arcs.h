/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arcs.h -- callers and callees, from call-graph sample files. A file has the arcs from one binary
 * to another. The symbol at each end of an arc is looked up while the binary of that end is open;
 * then the two ends are joined.
 */
#ifndef PP_PROFILE_ARCS_H
#define PP_PROFILE_ARCS_H

#include <stdbool.h>

#include "libop/session/sample_header.h"
#include "pp/profile/profile.h"

#define PP_NO_CODE UINT32_MAX	/* an end that an option excludes, or that could not be looked up */

/* The number of samples of calls from one address to another. */
struct pp_arc_node {
	uint32_t from, to;		/* keys in the two binaries; @from is a return address */
	/* indices of codes: in a part while the part is read, then in the profile */
	uint32_t caller, callee;
	uint32_t count;
};

struct pp_arc_file {
	const struct pp_sample_file *file;
	struct op_sample_header header;
	struct pp_arc_node *nodes;
	size_t nr;
	uint32_t caller_group, callee_group;
};

/* The callers, or the callees, of all arcs in a file. */
struct pp_arc_half {
	struct pp_arc_file *file;
	bool is_callee;
};

/* Read the file into .header and .nodes. Return 0 or an error of pp_samples_open(). */
int pp_arc_file_read(struct pp_arc_file *file);
void pp_arc_file_release(struct pp_arc_file *file);

/* An arc of one class, before equal arcs are summed. */
struct pp_loose_arc {
	struct pp_end caller, callee;
	uint32_t class;
	uint64_t count;
};

/* Sort @loose, sum equal arcs into the profile's arcs, and add an entry without counts for each end
 * of an arc that has no entry. Return 0 or -ENOMEM. */
int pp_arcs_make(struct pp_profile *profile, struct pp_loose_arc *loose, size_t nr);
/* Set the profile's arcs as pp_arcs_make() does, from call-graph files whose nodes have the
 * profile's codes. Return 0 or -ENOMEM. */
int pp_arc_files_make(struct pp_profile *profile, const struct pp_arc_file *files, size_t nr);

/* Return the number of arcs from the function @caller, which are adjacent, and the index of the
 * first arc in *@first. */
size_t pp_arcs_from(const struct pp_profile *profile, struct pp_end caller, size_t *first);
/* Return the number of arcs to the function @callee, and the index of the first arc in *@first. The
 * index is into .arcs_by_callee, where the arcs are adjacent. */
size_t pp_arcs_to(const struct pp_profile *profile, struct pp_end callee, size_t *first);

#endif
