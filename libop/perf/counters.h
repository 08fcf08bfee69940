/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h -- whether the CPU's events can be counted here, and which CPU's they are.
 *
 * op_cpu_host() knows the CPU; a virtual machine often has such a CPU without its counters. Whoever offers events of this machine
 * asks here.
 */
#ifndef OP_PERF_COUNTERS_H
#define OP_PERF_COUNTERS_H

#include <stdbool.h>

#include "libop/base/reason.h"
#include "libop/cpu/detect.h"

/*
 * 0: the kernel has counters of *@ret, which this user may count. -EACCES: it has, but this user may not; *@ret is set, and @why
 * tells why not. -ENODEV: there are no counters that we know, with @why.
 */
int op_counters_find(struct op_cpu_found *ret, struct op_reason *why);

/* Whether @dir (/sys/bus/event_source/devices) has a PMU of the CPU's cores. */
bool op_counters_listed(const char *dir);

/*
 * Whether KVM writes the CPU's counters for its virtual machines, past perf_events (enable_mediated_pmu). Code that writes the
 * registers itself has to leave them alone then. @dir: /sys/module.
 */
bool op_counters_mediated(const char *dir);

#endif
