/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attribute.h -- attribution: finds the sample file of each sample from the context of its run, as
 * --separate, --image and the events' flags require. It is the sink of every source of samples.
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

/* Cache of the comparison with --image: the last image that was compared, and the result. */
struct opd_filter_memory {
	const struct opd_image *image;
	bool named;
};

struct opd_attribution {
	struct opd_sink sink;		/* functions that a source of samples calls */
	const struct opd_config *cfg;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	struct opd_stats *stats;
	struct opd_log *log;

	/* records the processes that have samples in anonymous memory; may be NULL */
	struct opd_jit *jit;
	struct opd_paths *paths;	/* trees of call paths; NULL: do not count call paths */
	/* records the names of tasks that have samples; may be NULL */
	struct opd_task_names *names;

	struct opd_filter_memory program, library;
};

/* Initialize @a. All arguments are borrowed and must outlive @a. The caller may then set .jit,
 * .paths and .names, which are NULL. */
void opd_attribution_init(struct opd_attribution *a, const struct opd_config *cfg,
			  struct opd_kernel *kernel, struct opd_sample_cache *cache,
			  struct opd_stats *stats, struct opd_log *log);

#endif
