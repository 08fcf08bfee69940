/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h -- the system call that makes a counter, for which libc has no function, and the descriptors it needs.
 */
#ifndef OP_PERF_OPEN_H
#define OP_PERF_OPEN_H

#include <stddef.h>
#include <sys/types.h>

struct perf_event_attr;

/*
 * Call perf_event_open(2) without a group and with close-on-exec. Return a descriptor or a negative errno. Where KVM
 * hands the counters to its virtual machines (enable_mediated_pmu), the kernel refuses events that count in them with
 * EOPNOTSUPP: @attr->exclude_guest is set then, and callers report it with OP_PERF_OUTSIDE_GUESTS.
 */
#define OP_PERF_OUTSIDE_GUESTS "not inside virtual machines, to which KVM hands the CPU's counters (enable_mediated_pmu)"
int op_perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);

/* Raises the limit of open files to @need where it is lower and we may; who may not is told by the open that fails. */
void op_perf_raise_file_limit(size_t need);

#endif
