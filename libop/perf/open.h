/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h -- perf_event_open(2), for which libc has no function, and the limit of open files.
 */
#ifndef OP_PERF_OPEN_H
#define OP_PERF_OPEN_H

#include <stddef.h>
#include <sys/types.h>

struct perf_event_attr;

/*
 * Call perf_event_open(2) without a group and with close-on-exec. Return a descriptor or a negative
 * errno. If the kernel does not let this process open an event of a whole CPU, ask the service's
 * opener (libop/perf/opener.h), if an environment variable names the opener's socket. If KVM lets
 * its virtual machines use the counters directly (enable_mediated_pmu), the kernel refuses an event
 * that also counts in virtual machines with EOPNOTSUPP. The function then sets @attr->exclude_guest
 * and tries again; callers report the missing samples with OP_PERF_OUTSIDE_GUESTS.
 */
#define OP_PERF_OUTSIDE_GUESTS "not inside virtual machines, because KVM passes the CPU's counters to them (enable_mediated_pmu)"
int op_perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);

/* Raise the limit of open files to @need, if the limit is lower and the user may raise it. If the
 * limit stays too low, a later open() fails. */
void op_perf_raise_file_limit(size_t need);

#endif
