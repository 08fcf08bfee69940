/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h -- checks whether the CPU's events can be counted on this machine.
 *
 * op_cpu_host() identifies the CPU. But a virtual machine often has the CPU without its counters.
 * So all code that offers this machine's events checks here first.
 */
#ifndef OP_PERF_COUNTERS_H
#define OP_PERF_COUNTERS_H

#include <stdbool.h>

#include "libop/base/reason.h"
#include "libop/cpu/detect.h"

/*
 * Set *@ret to the CPU and return 0 if this user may count its events. Return -EACCES, with *@ret
 * set and the cause in @error, if the kernel has counters that this user may not use. Return
 * -ENODEV with @error if no known counters exist.
 */
int op_counters_find(struct op_cpu_found *ret, struct op_reason *error);

/* Return whether @dir (/sys/bus/event_source/devices) contains a PMU of the CPU's cores. Declared
 * for tests. */
bool op_counters_listed(const char *dir);

/*
 * Return whether KVM writes the CPU's counters for its virtual machines without perf_events
 * (enable_mediated_pmu). Then code that writes the registers itself must not use them. @dir:
 * /sys/module.
 */
bool op_counters_mediated(const char *dir);

#endif
