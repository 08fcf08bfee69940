/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h -- interface of the sources of samples: kernel module, perf_events, recorded stream.
 *
 * Each source implements the functions of struct opd_source_ops. The daemon calls the operations
 * from one thread, in the order create, start, (process | flush)*, stop, flush, destroy. It may
 * repeat start and stop.
 */
#ifndef OPD_SOURCE_H
#define OPD_SOURCE_H

#include <poll.h>
#include <stddef.h>

#include "libop/base/reason.h"

struct opd_config;	/* see daemon/base/configuration.h */
struct opd_sink;	/* see daemon/base/record.h */
/* see daemon/image/image.h */
struct opd_images;
struct op_session_stats;

struct opd_source;	/* the state of a source; each source defines the struct */

struct opd_source_ops {
	const char *name;	/* "module", "perf" or "replay" */

	/* Open the source without starting to sample. On failure, set @error to the cause and the
	 * remedy. On success, set @error to a message about samples that the source cannot take,
	 * or to "". */
	int (*create)(struct opd_source **ret, const struct opd_config *cfg,
		      struct opd_images *images, struct opd_sink *sink, struct op_reason *error);
	int (*start)(struct opd_source *s);
	int (*stop)(struct opd_source *s);

	/* Store in @fds up to @max descriptors that the daemon polls for the source. Return their
	 * number. */
	size_t (*fds)(struct opd_source *s, struct pollfd *fds, size_t max);

	/* Read the available data and deliver its samples, without blocking. Return 0, 1 at the
	 * end of a recorded stream, or a negative errno. */
	int (*process)(struct opd_source *s);

	/* Deliver to the sink all samples that were taken before this call. */
	int (*flush)(struct opd_source *s);

	/* Deliver to the sink the samples that are available without waiting. NULL: process() does
	 * this. */
	int (*refresh)(struct opd_source *s);

	/* Add the source's counters to @stats: number of interrupts, and number of lost samples by
	 * cause. */
	int (*stats)(struct opd_source *s, struct op_session_stats *stats);

	/* Write the name of the source's backend to @name, and the reason for its choice to
	 * @reason; each buffer has @size bytes. NULL: the source has only one backend. */
	int (*backend)(struct opd_source *s, char *name, char *reason, size_t size);

	/* Set @text to the size of the source's buffers, and to the limit that reduced the size, if
	 * any. NULL: the user sets the size. */
	void (*buffers)(const struct opd_source *s, struct op_reason *text);

	void (*destroy)(struct opd_source *s);
};

extern const struct opd_source_ops opd_source_oprofilefs;
extern const struct opd_source_ops opd_source_perf;
extern const struct opd_source_ops opd_source_replay;

#endif
