/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attribute.h -- whose sample is it: from a record's context to the sample file, according to
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

/* What --image said of the image it was last asked about. */
struct opd_filter_memory {
	const struct opd_image *image;
	bool named;
};

struct opd_attribution {
	struct opd_sink sink;		/* what sources are given */
	const struct opd_config *cfg;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	struct opd_stats *stats;
	struct opd_log *log;

	struct opd_jit *jit;		/* told of samples in anonymous memory; may be NULL */
	struct opd_paths *paths;	/* where paths are counted; NULL: they are not */
	struct opd_task_names *names;	/* told of tasks with samples of their own; may be NULL */

	struct opd_filter_memory program, library;
};

/* All are borrowed and must outlive @a. .jit, .paths and .names are NULL until set. */
void opd_attribution_init(struct opd_attribution *a, const struct opd_config *cfg,
			  struct opd_kernel *kernel, struct opd_sample_cache *cache,
			  struct opd_stats *stats, struct opd_log *log);

#endif
