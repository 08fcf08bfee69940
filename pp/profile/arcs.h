/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arcs.h -- callers and callees from call-graph sample files. A file has the arcs from one binary
 * to another. The symbols of callers are looked up while the caller's binary is open, the symbols
 * of callees while the callee's binary is open. Then both ends are joined.
 */
#ifndef PP_PROFILE_ARCS_H
#define PP_PROFILE_ARCS_H

#include <stdbool.h>

#include "libop/session/sample_header.h"
#include "pp/profile/profile.h"

/* an end of an arc that an option excludes, or whose symbol could not be looked up */
#define PP_NO_CODE UINT32_MAX

/* An arc between two addresses, and its samples. */
struct pp_arc_node {
	/* addresses of caller and callee, as keys of their binaries; @from is a return address */
	uint32_t from, to;
	/* indices of the codes (functions) at both ends: in the part of a binary at first, in the
	 * profile after the parts are joined */
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

/* One end, caller or callee, of all arcs in a file. */
struct pp_arc_half {
	struct pp_arc_file *file;
	bool is_callee;
};

/* Read the file into .header and .nodes. Return 0 or an error of pp_samples_open(). */
int pp_arc_file_read(struct pp_arc_file *file);
void pp_arc_file_release(struct pp_arc_file *file);

/* An arc of one class, before arcs with equal ends are summed. */
struct pp_loose_arc {
	struct pp_end caller, callee;
	uint32_t class;
	uint64_t count;
};

/* Sort @loose, sum arcs with equal ends into the profile's arcs, and add an entry without counts
 * for each end that has no entry. Return 0 or -ENOMEM. */
int pp_arcs_make(struct pp_profile *profile, struct pp_loose_arc *loose, size_t nr);
/* Make the profile's arcs, as pp_arcs_make() does, from call-graph files. The nodes of @files have
 * indices of the profile's codes. Return 0 or -ENOMEM. */
int pp_arc_files_make(struct pp_profile *profile, const struct pp_arc_file *files, size_t nr);

/* Return the number of arcs from the function @caller. These arcs are adjacent; store the index of
 * the first in *@first. */
size_t pp_arcs_from(const struct pp_profile *profile, struct pp_end caller, size_t *first);
/* Return the number of arcs to the function @callee. These arcs are adjacent in .arcs_by_callee;
 * store the index of the first in *@first. */
size_t pp_arcs_to(const struct pp_profile *profile, struct pp_end callee, size_t *first);

#endif
