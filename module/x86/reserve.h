/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/reserve.h -- whose counters are they? The kernel keeps a list of them by register; its own perf
 * takes all general ones with its first hardware event, and the NMI watchdog is such an event.
 */
#ifndef OPROFILE_X86_RESERVE_H
#define OPROFILE_X86_RESERVE_H

#include <linux/types.h>

struct oprofile_pmu;

/*
 * Reserves what nobody else has of @counters, numbered as in pmu.h, and returns that. Fixed
 * counters are on no list: they are ours when all general ones are.
 */
u64 oprofile_reserve_counters(const struct oprofile_pmu *p, u64 counters);
void oprofile_release_counters(const struct oprofile_pmu *p, u64 counters);

#endif
