/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h -- the samples of each interval of a range of time, by image or by symbol.
 *
 * The intervals are read one by one. A timeline has a row for each interval, with a count for each
 * image or symbol that has samples.
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

/* The name of an image, or of a symbol in an image. */
struct pp_timeline_name {
	const char *image;
	/* name of the symbol; NULL: the whole image, or code without a symbol */
	const char *symbol;
};

/* The samples of one event in one image or symbol. */
struct pp_timeline_count {
	/* indices into the timeline's .names and .events */
	uint32_t name, event;
	uint64_t samples;
};

struct pp_timeline_row {
	int64_t begin, end; /* begin and end of the interval, in seconds since 1970, UTC */
	/* length of the interval in seconds, without gaps in the recording; at least 1 */
	int64_t covered;
	/* kind of the interval's length, as in struct itv_entry: an original interval, hour, day or
	 * month */
	unsigned int step;
	/* the counts of the interval are .counts[first] to [first + nr - 1], sorted by name and
	 * event */
	size_t first, nr;
};

/* An event that was sampled, with its settings. */
struct pp_timeline_event {
	char *name;
	uint64_t count;
	uint32_t um;
	uint64_t samples;		/* number of samples in all intervals, at least 1 */
	uint64_t *of_names;		/* for each name: its samples in all intervals */
	/* indices into .names, sorted by the samples of this event, largest first */
	uint32_t *busiest;
};

struct pp_timeline {
	struct pp_range *range;
	struct pp_timeline_event *events;	/* events, sorted by name, count and unit mask */
	size_t nr_events;
	struct pp_timeline_row *rows;	/* one row for each interval, sorted by begin */
	size_t nr_rows;
	struct pp_timeline_count *counts;
	size_t nr_counts;
	struct pp_timeline_name *names;
	size_t nr_names;
	struct pp_block *strings;
};

/* Return the number of samples of event number @event in a row. */
uint64_t pp_timeline_samples(const struct pp_timeline *timeline, const struct pp_timeline_row *row,
			     size_t event);

/*
 * Read the intervals of the session directory @paths that the tag time: of @spec selects. The other
 * tags of @spec select samples. @images: open images of the same session, to count by symbol; NULL:
 * count by image. @demangle: style of symbol names. Return 0, or a negative errno with the cause in
 * the log.
 */
int pp_timeline_read(struct pp_timeline *ret, const struct pp_spec *spec,
		     const struct op_session_paths *paths, struct pp_images *images,
		     enum pp_demangle demangle, struct pp_log *log);
/* Free the contents of the timeline, which may be zeroed. */
void pp_timeline_release(struct pp_timeline *timeline);

#endif
