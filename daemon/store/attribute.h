/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attribute.h -- finds the sample file of each sample from a record's context, according to
 * --separate, --image and the events' flags. The sink of every source.
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

/* The last image for which --image was checked, with the result. */
struct opd_filter_memory {
	const struct opd_image *image;
	bool named;
};

struct opd_attribution {
	struct opd_sink sink;		/* the sink that sources get */
	const struct opd_config *cfg;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	struct opd_stats *stats;
	struct opd_log *log;

	/* is notified of samples in anonymous memory; may be NULL */
	struct opd_jit *jit;
	struct opd_paths *paths;	/* counts call paths; NULL: they are not counted */
	/* is notified of tasks with samples of their own; may be NULL */
	struct opd_task_names *names;

	struct opd_filter_memory program, library;
};

/* Initialize @a. All arguments are borrowed and must outlive @a. .jit, .paths and .names are NULL
 * until set. */
void opd_attribution_init(struct opd_attribution *a, const struct opd_config *cfg,
			  struct opd_kernel *kernel, struct opd_sample_cache *cache,
			  struct opd_stats *stats, struct opd_log *log);

#endif
