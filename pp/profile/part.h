/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part.h -- a part of a profile: the samples in one binary. One thread sums a part and shares no
 * data with other threads. Later pp/join/make.c joins the parts. Until then, indices of codes and
 * details refer to the arrays of the part.
 */
#ifndef PP_PROFILE_PART_H
#define PP_PROFILE_PART_H

#include <stdbool.h>

#include "pp/base/block.h"
#include "pp/base/log.h"
#include "pp/profile/arcs.h"
#include "pp/profile/path_frames.h"
#include "pp/profile/profile.h"

/* The sample files of one group (the samples of one program in the binary). */
struct pp_group_files {
	const struct pp_sample_file *files;
	size_t nr;
};

/* The messages about a binary, and about single sample files of it. They are not members of struct
 * pp_part, because a report may have tens of thousands of parts, and both logs take 4 kB. */
struct pp_part_logs {
	struct pp_log_queue binary, bad_files;
};

struct pp_part {
	/* From here on: input of pp_part_read(), which selects the samples to read. .name: name of
	 * the binary. */
	const struct op_image_name *name;
	/* the profile's groups (programs) with samples in this binary; pp_part_read() sets their
	 * counts */
	struct pp_group *groups;
	/* for each group (program) of the binary: its sample files */
	const struct pp_group_files *group_files;
	uint32_t first_group, nr_groups;
	/* for each call-graph file with arcs in this binary: the callers or the callees that are in
	 * this binary */
	struct pp_arc_half *halves;
	size_t nr_halves;
	/* the call-path frames in this binary, and the functions at these frames */
	struct pp_frame_places paths;

	/* From here on: output of pp_part_read(). .info describes the binary. */
	struct pp_image_info info;
	/* for each build of the binary with samples: facts that identify the build */
	struct pp_image_samples *builds;
	/* .nr_builds: number of builds; .build: the build that .info describes */
	uint32_t nr_builds, build;
	struct pp_code *codes;
	size_t nr_codes;
	/* entries (a program's samples in a function); .group is an index into the groups of the
	 * profile, not of the part */
	struct pp_entry *entries;
	size_t nr_entries;
	struct pp_details *details;
	size_t nr_details;
	struct pp_block *blocks;
	struct pp_block *strings;
	size_t nr_files;
	uint64_t *read; /* for each session: number of samples that were read from its files */
	uint32_t cpu_type;		/* CPU type in the first sample file of the binary */
	bool cpu_types_differ;
	double cpu_speed;
	size_t nr_bad_files;
	/* messages of pp_part_read(), which allocates them; NULL: not read yet */
	struct pp_part_logs *logs;
};

#define PP_MAX_BAD_FILES 5	/* maximum number of files that are named in warnings */

/* Free the contents of @part, which may be zeroed. */
void pp_part_release(struct pp_part *part);

/* Read and sum all files of a part. Return 0, -ENOMEM, or another error with the reason in
 * part->logs->binary. */
int pp_part_read(struct pp_part *part, const struct pp_session *session, struct pp_images *images,
		 const struct pp_profile_options *options, const struct pp_log *log);

#endif
