/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build.h -- makes intervals of the samples of one slice of time and one column. */
#ifndef PP_STORE_BUILD_H
#define PP_STORE_BUILD_H

#include <stdint.h>

#include "intervals/interval.h"
#include "pp/source/names.h"
#include "pp/store/samples.h"
#include "pp/store/sessions.h"
#include "pp/store/stacks.h"

struct store_builder {
	const struct pp_names *names;
	const struct store_stacks *stacks;
	const struct store_samples *samples;
	/* CPU of the hosts; 0: unknown */
	uint32_t cpu_type;
	double mhz;
	/* For each image of the names, and for each frame: its index in the current interval, if
	 * the element of the second array is the number of the current interval. */
	uint32_t *image_at, *image_of, *frame_at, *frame_of;
	/* For each stack the number of its program, which is a path in a unit. For each program its
	 * index in the current interval, if the element of the third array is the number of the
	 * current interval. */
	uint32_t *program_of, *program_at, *program_in;
	uint32_t interval;		/* number of the current interval */
	uint64_t unknown;		/* sum of the samples without a row of table stacks */
};

/* Allocate the arrays of @builder, whose other members are set. Return 0 or -ENOMEM. */
int store_builder_init(struct store_builder *builder);
void store_builder_release(struct store_builder *builder);

/* Add the @nr samples from @first on to the interval *@v, of which only the accounting is set, and
 * sort it. Return 0 or a negative errno; the caller releases *@v. */
int store_build(struct store_builder *builder, struct itv *v, size_t first, size_t nr);

#endif
