/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attribute.h -- attribution: finds the sample file of each sample from the record's context,
 * according to --separate, --image and the events' flags. It is the sink of every source of
 * samples.
 */
#ifndef OPD_ATTRIBUTE_H
#define OPD_ATTRIBUTE_H

#include <stdbool.h>

#include "daemon/base/record.h"

struct opd_config;
struct opd_jit;
struct opd_kernel;
struct opd_log;
struct opd_paths;
struct opd_sample_cache;
struct opd_stats;
struct opd_task_names;

/* The image that was compared last with the arguments of --image, and the result. */
struct opd_filter_memory {
	const struct opd_image *image;
	bool named;
};

struct opd_attribution {
	struct opd_sink sink;		/* the functions that a source of samples calls */
	const struct opd_config *cfg;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	struct opd_stats *stats;
	struct opd_log *log;

	/* receives notes of samples in anonymous memory; may be NULL */
	struct opd_jit *jit;
	struct opd_paths *paths;	/* counts call paths; NULL: call paths are not counted */
	/* receives the ids of tasks with samples; may be NULL */
	struct opd_task_names *names;

	struct opd_filter_memory program, library;
};

/* Initialize @a. All arguments are borrowed and must outlive @a. The members .jit, .paths and
 * .names are NULL until the caller sets them. */
void opd_attribution_init(struct opd_attribution *a, const struct opd_config *cfg,
			  struct opd_kernel *kernel, struct opd_sample_cache *cache,
			  struct opd_stats *stats, struct opd_log *log);

#endif
