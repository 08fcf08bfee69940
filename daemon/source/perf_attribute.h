/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_attribute.h -- attribution of perf_events samples: converts records in time order to runs
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

struct opd_cgroups;
struct opd_perf_walker;
struct opd_process;
struct opd_processes;

#define OPD_PERF_RUN	256

/* Numbers of samples: received from the kernel, and lost. All received samples that were not lost
 * were delivered to the sink. */
struct opd_perf_counters {
	uint64_t received;
	uint64_t received_of[OP_MAX_EVENTS];	/* received samples by event */
	uint64_t lost_mode, lost_process, lost_hidden, lost_unread, lost_mapping, lost_event;
};

struct opd_perf_attributor {
	struct opd_processes *processes;
	struct opd_sink *sink;
	struct opd_perf_counters counters;
	/* ignore samples of unknown processes, without counting them as lost */
	bool only_known;
	/* unwinds stacks; NULL: samples have no call paths */
	struct opd_perf_walker *walker;
	/* names of control groups; NULL: samples are not separated by unit */
	struct opd_cgroups *cgroups;
	/* Return true if a sample may wait for an unwind table that its call path needs. NULL:
	 * samples never wait. */
	bool (*may_hold)(void *arg);
	void *may_hold_arg;
	/* kernel code was added or removed; the owner of this struct handles this change and clears
	 * the flag */
	bool modules_changed;

	/* The current run of samples; its members below are valid only if .running is set. */
	bool running;
	enum opd_perf_mode mode;
	int32_t pid, tid;
	uint64_t cgroup;		/* id of the control group; 0: not recorded */
	/* address range of the run: samples in this range belong to the run */
	uint64_t start, end;
	/* address of a sample minus its offset in the image */
	uint64_t delta;
	struct opd_context ctx;
	struct opd_process *process;	/* process to which the run belongs; NULL: unknown */
	struct opd_sample samples[OPD_PERF_RUN];
	size_t nr;
};

void opd_perf_attributor_init(struct opd_perf_attributor *a, struct opd_processes *processes,
			      struct opd_sink *sink);

/* The ids of a task. */
struct opd_perf_task {
	int32_t pid, tid;
};

/*
 * Attribute the sample @r, taken on @cpu for the configured event @event (-1: unknown). If the task
 * was already reaped, the ids in @r are -1. The sample then belongs to @exited, the last task that
 * exited on this CPU (NULL: unknown). Return false, and do nothing, if the sample's call path needs
 * an unwind table that is being made; the caller then repeats the call later.
 */
bool opd_perf_attribute_sample(struct opd_perf_attributor *a, uint32_t cpu, int event,
			       const struct opd_perf_record *r,
			       const struct opd_perf_task *exited);

/* Attribute @nr samples of an event whose samples are made from other records: OFFCPU, LATENCY. The
 * samples do not wait for unwind tables. @exited: see opd_perf_attribute_sample(). */
void opd_perf_attribute_made(struct opd_perf_attributor *a, uint32_t cpu, int event,
			     const struct opd_perf_record *r,
			     const struct opd_perf_task *exited, uint64_t nr);

/* Apply a fork, exec, exit or mmap record, which changes the meaning of later samples. */
void opd_perf_attribute_notice(struct opd_perf_attributor *a, const struct opd_perf_record *r);

/* Deliver the current run of samples to the sink. The process and mapping of the next sample are
 * looked up again. */
void opd_perf_attribute_end(struct opd_perf_attributor *a);

#endif
