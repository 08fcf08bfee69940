/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arcs.h -- who called whom, from call-graph sample files. A file has the arcs from one binary to
 * another; each end is looked up when its binary is open, and in the end the two are joined.
 */
#ifndef PP_PROFILE_ARCS_H
#define PP_PROFILE_ARCS_H

#include "libop/session/sample_header.h"
#include "pp/profile/profile.h"

#define PP_NO_CODE UINT32_MAX	/* an end the user did not want, or could not be looked up */

/* How often one address was seen calling another. */
struct pp_arc_node {
	uint32_t from, to;		/* keys in the two binaries; @from is a return address */
	uint32_t caller, callee;	/* codes: first the part's, then the profile's */
	uint32_t count;
};

struct pp_arc_file {
	const struct pp_sample_file *file;
	struct op_sample_header header;
	struct pp_arc_node *nodes;
	size_t nr;
	uint32_t caller_group, callee_group;
};

/* One side of a file. */
struct pp_arc_half {
	struct pp_arc_file *file;
	int is_callee;
};

/* Fills in .header and .nodes; 0 or an error of pp_samples_open(). */
int pp_arc_file_read(struct pp_arc_file *file);
void pp_arc_file_release(struct pp_arc_file *file);

/* An arc of one class, before equal ones are added up. */
struct pp_loose_arc {
	struct pp_end caller, callee;
	uint32_t class;
	uint64_t count;
};

/* Sets the profile's arcs, and adds an entry without counts for each function that has none yet; sorts @loose.
 * -ENOMEM. */
int pp_arcs_make(struct pp_profile *profile, struct pp_loose_arc *loose, size_t nr);
/* The same of the arcs of all files, codes being the profile's by now. */
int pp_arc_files_make(struct pp_profile *profile, const struct pp_arc_file *files, size_t nr);

/* The arcs that leave a function, one after the other from *@first; returns how many. */
size_t pp_arcs_from(const struct pp_profile *profile, struct pp_end caller, size_t *first);
/* Those that enter it: indices into .arcs_by_callee. */
size_t pp_arcs_to(const struct pp_profile *profile, struct pp_end callee, size_t *first);

#endif
