/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h -- interface of sources of samples: the kernel module, perf_events, or a recorded
 * stream.
 *
 * Each source has a const table of operations. The daemon calls the operations from one thread, in
 * the order create, start, (process | flush)*, stop, flush, destroy; start and stop may be
 * repeated.
 */
#ifndef OPD_SOURCE_H
#define OPD_SOURCE_H

#include <poll.h>
#include <stddef.h>

#include "libop/base/reason.h"

struct opd_config;	/* see daemon/base/configuration.h */
struct opd_sink;	/* see daemon/base/record.h */
/* see daemon/image/image.h; makes one object for each file that has samples */
struct opd_images;
struct op_session_stats;

struct opd_source;	/* the state of a source; private to each source */

struct opd_source_ops {
	const char *name;	/* name of the source: "module", "perf" or "replay" */

	/* Opens the source, without starting to sample. After a failure, @error contains the cause
	 * and the remedy. After success, @error contains a text about samples that the source
	 * cannot take, or is empty. */
	int (*create)(struct opd_source **ret, const struct opd_config *cfg,
		      struct opd_images *images, struct opd_sink *sink, struct op_reason *error);
	int (*start)(struct opd_source *s);
	int (*stop)(struct opd_source *s);

	/* Fills in up to @max descriptors to poll; returns the number of descriptors. */
	size_t (*fds)(struct opd_source *s, struct pollfd *fds, size_t max);

	/* Reads the available data and delivers its samples, without blocking. Returns 0, 1 at the
	 * end of a recorded stream, or a negative errno. */
	int (*process)(struct opd_source *s);

	/* Delivers to the sink all samples that were taken before this call. */
	int (*flush)(struct opd_source *s);

	/* Delivers the samples that can be delivered without waiting. NULL: process() does so. */
	int (*refresh)(struct opd_source *s);

	/* Adds the source's own counters to @stats: the number of interrupts, and the number of
	 * samples for each cause of loss. */
	int (*stats)(struct opd_source *s, struct op_session_stats *stats);

	/* Writes the backend's name to @name and the reason for its choice to @reason. Each buffer
	 * has @size bytes. NULL: the source has only one backend. */
	int (*backend)(struct opd_source *s, char *name, char *reason, size_t size);

	/* Sets @text to the size of the buffers and the limit that made them small. NULL: the user
	 * sets the size. */
	void (*buffers)(const struct opd_source *s, struct op_reason *text);

	void (*destroy)(struct opd_source *s);
};

extern const struct opd_source_ops opd_source_oprofilefs;
extern const struct opd_source_ops opd_source_perf;
extern const struct opd_source_ops opd_source_replay;

#endif
