/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h -- where samples come from: the module's oprofilefs, perf_events, or a recorded stream.
 *
 * One const ops table per source. The daemon calls from one thread, in the order
 * create, start, (process | flush)*, stop, flush, destroy; start/stop may alternate.
 */
#ifndef OPD_SOURCE_H
#define OPD_SOURCE_H

#include <poll.h>
#include <stddef.h>

#include "libop/base/reason.h"

struct opd_config;	/* daemon/base/configuration.h */
struct opd_sink;	/* daemon/base/record.h */
struct opd_images;	/* daemon/image/image.h: interns the files that contexts name */
struct op_session_stats;

struct opd_source;	/* each source's own */

struct opd_source_ops {
	const char *name;	/* "module", "perf", "replay" */

	/* Opens everything, samples nothing yet. On failure @why has the cause and the way out; on success
	 * nothing, or what this profile will lack. */
	int (*create)(struct opd_source **ret, const struct opd_config *cfg,
		      struct opd_images *images, struct opd_sink *sink, struct op_reason *why);
	int (*start)(struct opd_source *s);
	int (*stop)(struct opd_source *s);

	/* Descriptors to poll: fills up to @max, returns how many there are. */
	size_t (*fds)(struct opd_source *s, struct pollfd *fds, size_t max);

	/* Takes what is ready, without blocking. 0, 1 at the end of a replay, negative errno. */
	int (*process)(struct opd_source *s);

	/* Everything sampled before this call has reached the sink when it returns. */
	int (*flush)(struct opd_source *s);

	/* Adds the source's own counters: interrupts taken, each loss. */
	int (*stats)(struct opd_source *s, struct op_session_stats *stats);

	/* What the source samples with, and why that, each of @size bytes. NULL: nothing to choose. */
	int (*backend)(struct opd_source *s, char *name, char *why, size_t size);

	/* Sets @text to the size of the buffers and the cause of a limit. NULL if the user has set
	 * the size. */
	void (*buffers)(const struct opd_source *s, struct op_reason *text);

	void (*destroy)(struct opd_source *s);
};

extern const struct opd_source_ops opd_source_oprofilefs;
extern const struct opd_source_ops opd_source_perf;
extern const struct opd_source_ops opd_source_replay;

#endif
