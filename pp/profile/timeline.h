/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h -- the samples of each interval of a time, by image or by symbol.
 *
 * The intervals are read one by one. A timeline has a row for each interval, and in it a count for
 * each image or symbol with samples.
 */
#ifndef PP_PROFILE_TIMELINE_H
#define PP_PROFILE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "libop/session/paths.h"
#include "pp/base/block.h"
#include "pp/base/log.h"
#include "pp/image/demangle.h"
#include "pp/image/image.h"
#include "pp/session/spec.h"

struct pp_range;

/* Name of an image or of a symbol in an image. */
struct pp_timeline_name {
	const char *image;
	const char *symbol;		/* NULL: the whole image, or code without a symbol */
};

/* Samples of an event in an image or a symbol. */
struct pp_timeline_count {
	/* index of the name in .names, and of the event in .events */
	uint32_t name, event;
	uint64_t samples;
};

struct pp_timeline_row {
	int64_t begin, end;		/* start and end in UTC, seconds since 1970 */
	int64_t covered;		/* seconds of the interval without its gaps, at least 1 */
	unsigned int step;		/* length class of the interval, as in struct itv_entry */
	/* range of the interval's elements in .counts, which are sorted by name and event */
	size_t first, nr;
};

/* An event that was sampled, with its settings. */
struct pp_timeline_event {
	char *name;
	uint64_t count;
	uint32_t um;
	uint64_t samples;		/* number of samples in all intervals, more than 0 */
	uint64_t *of_names;		/* number of samples of each name in all intervals */
	/* indices of the names in .names; the name with the most samples is first */
	uint32_t *busiest;
};

struct pp_timeline {
	struct pp_range *range;
	struct pp_timeline_event *events;	/* events, sorted by name, count and unit mask */
	size_t nr_events;
	struct pp_timeline_row *rows;	/* intervals, sorted by begin */
	size_t nr_rows;
	struct pp_timeline_count *counts;
	size_t nr_counts;
	struct pp_timeline_name *names;
	size_t nr_names;
	struct pp_block *strings;
};

/* Return the samples of the event with the index @event in a row. */
uint64_t pp_timeline_samples(const struct pp_timeline *timeline, const struct pp_timeline_row *row,
			     size_t event);

/*
 * Read the intervals that the tag time: of @spec chooses in the session directory @paths. Other
 * tags choose samples. @images: the images of a report of the same time, to get a count for each
 * symbol; or NULL, to get a count for each image. @demangle: how names of symbols are written.
 * Return 0, or a negative errno with the cause in the log.
 */
int pp_timeline_read(struct pp_timeline *ret, const struct pp_spec *spec,
		     const struct op_session_paths *paths, struct pp_images *images,
		     enum pp_demangle demangle, struct pp_log *log);
/* Accepts a zeroed struct. */
void pp_timeline_release(struct pp_timeline *timeline);

#endif
