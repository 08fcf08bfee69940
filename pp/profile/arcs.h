/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arcs.h -- callers and callees from call-graph sample files.
 *
 * A file has the arcs (calls) from one binary to another. The symbols of callers are looked up
 * while the caller's binary is open, and the symbols of callees while the callee's binary is open.
 * After both lookups, arcs between the same functions are summed.
 */
#ifndef PP_PROFILE_ARCS_H
#define PP_PROFILE_ARCS_H

#include <stdbool.h>

#include "libop/session/sample_header.h"
#include "pp/profile/profile.h"

/* used instead of the index of a caller or callee: an option excludes the code, or its symbol could
 * not be looked up */
#define PP_NO_CODE UINT32_MAX

/* An arc between two addresses, and its samples. */
struct pp_arc_node {
	/* addresses of caller and callee, relative to their binaries as in sample files; @from is a
	 * return address */
	uint32_t from, to;
	/* indices of the functions (codes) of caller and callee: while binaries are read, in the
	 * part of the binary; after the parts are joined, in the profile */
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

/* Either the callers or the callees of all arcs in a file. All of these functions are in one
 * binary. */
struct pp_arc_half {
	struct pp_arc_file *file;
	bool is_callee;
};

/* Read the call-graph file into .header and .nodes of @file. Return 0 or an error of
 * pp_samples_open(). */
int pp_arc_file_read(struct pp_arc_file *file);
void pp_arc_file_release(struct pp_arc_file *file);

/* An arc with samples of one class (event, for example). Several such arcs may have the same caller
 * and callee, until pp_arcs_make() sums them. */
struct pp_loose_arc {
	struct pp_end caller, callee;
	uint32_t class;
	uint64_t count;
};

/* Sort @loose, and sum arcs with the same caller and callee into the profile's arcs. For each
 * caller or callee without samples, add an entry without counts to the profile. Return 0 or
 * -ENOMEM. */
int pp_arcs_make(struct pp_profile *profile, struct pp_loose_arc *loose, size_t nr);
/* Make the profile's arcs from call-graph files, as pp_arcs_make() does from a list of arcs.
 * Callers and callees in @files must already be indices of the profile's codes (functions). Return
 * 0 or -ENOMEM. */
int pp_arc_files_make(struct pp_profile *profile, const struct pp_arc_file *files, size_t nr);

/* Return the number of arcs whose caller is @caller. These arcs are adjacent; store the index of
 * the first in *@first. */
size_t pp_arcs_from(const struct pp_profile *profile, struct pp_end caller, size_t *first);
/* Return the number of arcs whose callee is @callee. These arcs are adjacent in .arcs_by_callee;
 * store the index of the first in *@first. */
size_t pp_arcs_to(const struct pp_profile *profile, struct pp_end callee, size_t *first);

#endif
