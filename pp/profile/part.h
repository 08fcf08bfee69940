/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part.h -- the part of a profile in one binary, summed by one thread that shares no data. Then
 * make.c joins the parts. Indices of codes and details are local to the part.
 */
#ifndef PP_PROFILE_PART_H
#define PP_PROFILE_PART_H

#include <stdbool.h>

#include "pp/base/block.h"
#include "pp/base/log.h"
#include "pp/profile/arcs.h"
#include "pp/profile/path_frames.h"
#include "pp/profile/profile.h"

/* The sample files of one group. */
struct pp_group_files {
	const struct pp_sample_file *files;
	size_t nr;
};

struct pp_part {
	/* What to read. */
	const struct op_image_name *name;
	/* the profile's groups of this binary; their counts are filled in */
	struct pp_group *groups;
	const struct pp_group_files *group_files;	/* beside groups */
	uint32_t first_group, nr_groups;
	struct pp_arc_half *halves;		/* ends of arcs in this binary */
	size_t nr_halves;
	struct pp_frame_places paths;		/* frames to look up, and their places */

	/* The results. */
	struct pp_image_info info;
	/* of each build: the samples that it was begun with */
	struct pp_image_samples *builds;
	/* number of builds; the build that .info describes */
	uint32_t nr_builds, build;
	struct pp_code *codes;
	size_t nr_codes;
	struct pp_entry *entries;		/* .group is the profile's index */
	size_t nr_entries;
	struct pp_details *details;
	size_t nr_details;
	struct pp_block *blocks;
	struct pp_block *strings;
	size_t nr_files;
	uint64_t *read;			/* samples in the files of each session */
	uint32_t cpu_type;		/* CPU type of the first file */
	bool cpu_types_differ;
	double cpu_speed;
	size_t nr_bad_files;
	struct pp_log_queue log, bad_files;	/* messages; messages about single files */
};

#define PP_MAX_BAD_FILES 5	/* files named in warnings */

/* Takes a zeroed struct. */
void pp_part_release(struct pp_part *part);

/* Read and sum all files of a part. Return 0, -ENOMEM, or another error with the reason in the
 * part's log. */
int pp_part_read(struct pp_part *part, const struct pp_session *session, struct pp_images *images,
		 const struct pp_profile_options *options, const struct pp_log *log);

#endif
