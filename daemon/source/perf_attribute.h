/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_attribute.h -- attribution of perf_events' records: converts records, in time order, to runs
 * of samples for the sink.
 *
 * A run is a sequence of samples with the same context. Within a run, a sample costs a few
 * comparisons; process and mapping are looked up only when the context changes.
 */
#ifndef OPD_PERF_ATTRIBUTE_H
#define OPD_PERF_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/decode_perf.h"
#include "daemon/base/record.h"
#include "libop/event/choose.h"

struct opd_perf_walker;
struct opd_process;
struct opd_processes;

#define OPD_PERF_RUN	256

/* Numbers of received and of lost samples. All received samples that were not lost were delivered
 * to the sink. */
struct opd_perf_counters {
	uint64_t received;
	uint64_t received_of[OP_MAX_EVENTS];	/* the received samples of each event */
	uint64_t lost_mode, lost_process, lost_hidden, lost_mapping, lost_event;
};

struct opd_perf_attributor {
	struct opd_processes *processes;
	struct opd_sink *sink;
	struct opd_perf_counters counters;
	/* ignore samples of unknown processes instead of counting them as lost */
	bool only_known;
	/* walker for the call paths of samples; NULL: samples have no call paths */
	struct opd_perf_walker *walker;
	/* Returns whether a sample may wait for an unwind table that its call path needs; NULL:
	 * samples never wait. */
	bool (*may_hold)(void *arg);
	void *may_hold_arg;
	/* kernel code has changed; the owner of this struct reports the change and clears this
	 * member */
	bool modules_changed;

	/* The run of samples that is being collected; valid while .running is true. */
	bool running;
	enum opd_perf_mode mode;
	int32_t pid, tid;
	uint64_t start, end;		/* index range of the samples that belong to the run */
	/* number to subtract from a sample's address to get its offset in the image */
	uint64_t delta;
	struct opd_context ctx;
	struct opd_process *process;	/* process of the run of samples; NULL: unknown */
	struct opd_sample samples[OPD_PERF_RUN];
	size_t nr;
};

void opd_perf_attributor_init(struct opd_perf_attributor *a, struct opd_processes *processes,
			      struct opd_sink *sink);

/* The ids of a task, as opd_perf_attribute_sample() needs them. */
struct opd_perf_task {
	int32_t pid, tid;
};

/*
 * Attribute a sample, which was taken on @cpu for the configured event @event (-1: an unknown
 * event). A task that has been reaped has the ids -1 in @r; then the sample belongs to @exited, the
 * task that last exited on this CPU, or NULL if unknown. Return false, without effect, if the
 * sample's call path needs an unwind table that is being made; the caller then repeats the call
 * later.
 */
bool opd_perf_attribute_sample(struct opd_perf_attributor *a, uint32_t cpu, int event,
			       const struct opd_perf_record *r,
			       const struct opd_perf_task *exited);

/* Apply a notice, which changes the meaning of later samples. */
void opd_perf_attribute_notice(struct opd_perf_attributor *a, const struct opd_perf_record *r);

/* Deliver the collected run of samples to the sink. The next sample looks up its context again. */
void opd_perf_attribute_end(struct opd_perf_attributor *a);

#endif
