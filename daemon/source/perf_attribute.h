/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_attribute.h -- from perf_events' records, in time order, to runs of samples for the sink.
 *
 * A run is a stretch of samples with the same context. While it lasts, a sample costs a few
 * comparisons: its process and mapping are looked up when something changes.
 */
#ifndef OPD_PERF_ATTRIBUTE_H
#define OPD_PERF_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/decode_perf.h"
#include "daemon/base/record.h"

struct opd_perf_walker;
struct opd_process;
struct opd_processes;

#define OPD_PERF_RUN	256

/* What became of the samples; the rest of those received went to the sink. */
struct opd_perf_counters {
	uint64_t received;
	uint64_t lost_mode, lost_process, lost_hidden, lost_mapping, lost_event;
};

struct opd_perf_attributor {
	struct opd_processes *processes;
	struct opd_sink *sink;
	struct opd_perf_counters counters;
	bool only_known;		/* samples of processes that are not known are nobody's: not taken */
	struct opd_perf_walker *walker;	/* of the paths of samples; NULL: they have none */
	/* Whether a sample may wait for a table that its path needs; NULL: none may. */
	bool (*may_hold)(void *arg);
	void *may_hold_arg;
	bool modules_changed;		/* the kernel's code has; for the owner to tell and clear */

	/* The run being collected; valid while running. */
	bool running;
	enum opd_perf_mode mode;
	int32_t pid, tid;
	uint64_t start, end;		/* samples in this range belong to the run */
	uint64_t delta;			/* address - offset */
	struct opd_context ctx;
	struct opd_process *process;	/* NULL: not known */
	struct opd_sample samples[OPD_PERF_RUN];
	size_t nr;
};

void opd_perf_attributor_init(struct opd_perf_attributor *a, struct opd_processes *processes,
			      struct opd_sink *sink);

/*
 * One sample of configured event @event (-1: none of ours), taken on @cpu. A task that has been
 * reaped already has no ids any more: then the record says -1 and the caller @exited, the task
 * that last exited there, or NULL.
 */
struct opd_perf_task {
	int32_t pid, tid;
};

/* False: the sample is to come again, since its path needs a table that is being made; nothing was done with it. */
bool opd_perf_attribute_sample(struct opd_perf_attributor *a, uint32_t cpu, int event,
			       const struct opd_perf_record *r,
			       const struct opd_perf_task *exited);

/* A notice: changes what samples after it mean. */
void opd_perf_attribute_notice(struct opd_perf_attributor *a, const struct opd_perf_record *r);

/* Delivers what has been collected, and looks everything up anew next time. */
void opd_perf_attribute_end(struct opd_perf_attributor *a);

#endif
