/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_waits.h -- samples of waits (the event OFFCPU) from the context switches that perf_events
 * records.
 *
 * When a thread leaves its CPU, the kernel writes two records: a sample of the event
 * "context-switches" with the thread's stack, and a SWITCH record, which shows whether the thread
 * could still run. When the thread returns, another SWITCH record follows. The time between the
 * records is added to the thread's account (module/uapi/offcpu_account.h). If samples are due, they
 * have the stack with which the thread left its CPU. So the number of samples depends on the time
 * that is waited, as with the kernel module. The number of records depends on the number of
 * switches.
 */
#ifndef OPD_PERF_WAITS_H
#define OPD_PERF_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/source/decode_perf.h"

struct opd_config;
struct opd_perf_waits;

/* The names of the counters are those of the kernel module. All times in ns. */
struct opd_perf_waits_counters {
	uint64_t ns;		/* time of all waits, or parts of waits, that were accounted */
	uint64_t not_asked;	/* samples of waits for reasons without an event */
	uint64_t lost_waits;	/* waits that could not be accounted */
};

/* The receiver of samples: @nr samples of the configured event @event have the stack and the time
 * of @r, which is valid only during the call. */
typedef void (*opd_perf_waits_fn)(void *arg, uint32_t cpu, int event,
				  const struct opd_perf_record *r, uint64_t nr);

/* Create the accounts for the events OFFCPU in @cfg. @kallsyms: see wait_reasons.h. @stack: the
 * samples have a call path, so their place is the kernel function that called the scheduler, not
 * the program's code. Return 0 or a negative errno. */
int opd_perf_waits_create(struct opd_perf_waits **ret, const struct opd_config *cfg,
			  const char *kallsyms, bool stack, opd_perf_waits_fn fn, void *arg);
void opd_perf_waits_destroy(struct opd_perf_waits *w);	/* @w may be NULL. */

/* Apply a record of the switches of @cpu. The records of all CPUs must come in time order. */
void opd_perf_waits_apply(struct opd_perf_waits *w, uint32_t cpu, const struct opd_perf_record *r);
/* Apply a fork or exit record: the ids of the thread may belong to another thread later. */
void opd_perf_waits_notice(struct opd_perf_waits *w, const struct opd_perf_record *r);
/* Account the waits that go on at the time @now, up to this time. */
void opd_perf_waits_until(struct opd_perf_waits *w, uint64_t now);
/* Forget the begin of all waits: no switches were recorded for a while. */
void opd_perf_waits_forget(struct opd_perf_waits *w);

const struct opd_perf_waits_counters *opd_perf_waits_counters(const struct opd_perf_waits *w);
/* Set *@rest to the time in ns that was accounted and has no sample, and *@ahead to the time for
 * which samples came before the end of their period. */
void opd_perf_waits_rests(const struct opd_perf_waits *w, uint64_t *rest, uint64_t *ahead);

#endif
