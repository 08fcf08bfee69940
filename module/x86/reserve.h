/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/reserve.h -- reservation of counters in the kernel's table of reserved registers. The
 * kernel's perf reserves all general counters for its first hardware event, such as the NMI
 * watchdog's.
 */
#ifndef OPROFILE_X86_RESERVE_H
#define OPROFILE_X86_RESERVE_H

#include <linux/types.h>

struct oprofile_pmu;

/*
 * Reserve the free counters of @counters, and return their mask. Counters are numbered as in pmu.h.
 * The kernel has no table for fixed counters: they count as reserved if all general counters could
 * be reserved.
 */
u64 oprofile_reserve_counters(const struct oprofile_pmu *p, u64 counters);
void oprofile_release_counters(const struct oprofile_pmu *p, u64 counters);

#endif
