/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h -- checks whether the CPU's events can be counted on this machine.
 *
 * op_cpu_host() identifies the CPU. But in a virtual machine, this CPU often has no usable
 * counters. So all code that offers the events of this machine first calls op_counters_find().
 */
#ifndef OP_PERF_COUNTERS_H
#define OP_PERF_COUNTERS_H

#include <stdbool.h>

#include "libop/base/reason.h"
#include "libop/cpu/detect.h"

/*
 * Return 0, and set *@ret to this machine's CPU, if this user may count the CPU's events. Return
 * -EACCES, with *@ret set and the cause in @error, if the CPU has counters but this user may not
 * use them. Return -ENODEV with the cause in @error if the CPU has no known counters.
 */
int op_counters_find(struct op_cpu_found *ret, struct op_reason *error);

/* Return whether @dir (/sys/bus/event_source/devices) contains a PMU of the CPU's cores. Declared
 * for tests. */
bool op_counters_listed(const char *dir);

/*
 * Return whether KVM manages the CPU's counters for its virtual machines without perf_events
 * (enable_mediated_pmu). If so, code that writes to counter registers itself must not use the
 * counters. @dir: /sys/module.
 */
bool op_counters_mediated(const char *dir);

#endif
