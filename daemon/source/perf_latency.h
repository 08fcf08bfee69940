/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_latency.h -- samples of the clock time of programs (the event LATENCY) from samples of TIMER
 * and records of context switches.
 *
 * While n threads of a program run on n CPUs, one of n of its samples of TIMER, chosen by chance,
 * is a sample of LATENCY, too. So the program has one sample for each period in which at least one
 * of its threads runs.
 */
#ifndef OPD_PERF_LATENCY_H
#define OPD_PERF_LATENCY_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/source/decode_perf.h"
#include "libop/cpu/list.h"

struct opd_config;

/* Not shared between threads. */
struct opd_perf_latency {
	int event, timer;	/* numbers of the events LATENCY and TIMER; -1: not sampled */
	int nr_cpus;			/* the CPUs from this number on have run no process */
	int32_t running[OP_MAX_CPUS];	/* process of the thread that each CPU runs; 0: unknown */
	__u64 random;			/* state of the generator of random numbers */
};

void opd_perf_latency_init(struct opd_perf_latency *l, const struct opd_config *cfg);
/* Apply a record of the switches of @cpu. The records of all CPUs must come in time order. */
void opd_perf_latency_apply(struct opd_perf_latency *l, int cpu, const struct opd_perf_record *r);
/* Forget which processes run: no switches were recorded for a while. */
void opd_perf_latency_forget(struct opd_perf_latency *l);
/* Return whether the sample of @event on @cpu in process @pid is a sample of LATENCY, too. @pid is
 * 0 or less if the process is unknown, because it has ended: then its thread ran alone. Call once
 * per sample, in time order. */
bool opd_perf_latency_counts(struct opd_perf_latency *l, int cpu, int event, int32_t pid);

#endif
