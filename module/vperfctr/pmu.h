/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/pmu.h -- what the CPU's PMU lets users do: read counters, have interrupts.
 *
 * Each user read needs the PMU's consent: perf says for each event whether its counter may be read in user mode (x86: the
 * PMU's file rdpmc; aarch64: kernel.perf_user_access, and a bit in config1), and where it is now.
 */
#ifndef VPERFCTR_PMU_H
#define VPERFCTR_PMU_H

#include <linux/types.h>

struct perf_event;
struct perf_event_attr;

/* Asks for user reads; @attr is one of the CPU's PMU. False: this needs no asking. */
bool vperfctr_ask_user_reads(struct perf_event_attr *attr);
/* May this counter be read in user mode, when it has one? */
bool vperfctr_user_reads(const struct perf_event *event);
/* `map` of the page: the counter that @event has on this CPU now, or 0. Preemption off, in the event's thread. */
u64 vperfctr_map_of(struct perf_event *event);
u64 vperfctr_width_of(const struct perf_event *event);

/* Return VPERFCTR_FEATURE_* of this machine: found now by an event of the PMU if @now is set, else as they were found
 * last. Sleeps. */
u32 vperfctr_features(bool now);

#endif
