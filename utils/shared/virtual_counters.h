/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virtual_counters.h -- options for virtual counters, and their set-up for a command that waits
 * before its exec. Used by opperfex and ocount.
 */
#ifndef UTILS_SHARED_VIRTUAL_COUNTERS_H
#define UTILS_SHARED_VIRTUAL_COUNTERS_H

#include <sys/types.h>

#include "libop/base/reason.h"
#include "libvperf/vperf.h"

/*
 * Parse the value of --source: auto, module or perf as 0, VPERF_MODULE or VPERF_PERF. Return 0, or
 * -EINVAL with a message in @error.
 */
int virtual_counters_source(unsigned int *ret, const char *word, struct op_reason *error);

/*
 * Call @give with @arg while counters can be attached to the child @pid. vperfctr.ko requires a
 * stopped thread, so the child is stopped by ptrace(2) during the call, and released before its
 * exec, so that set-user-ID programs keep their rights. Return the result of @give, or a negative
 * errno with a message in @error.
 */
int virtual_counters_give(pid_t pid, unsigned int source,
			  int (*give)(void *arg, struct op_reason *error), void *arg,
			  struct op_reason *error);

#endif
