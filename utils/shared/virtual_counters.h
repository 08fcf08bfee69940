/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virtual_counters.h -- what opperfex and ocount have in common: who counts, and a held command that gets counters.
 */
#ifndef UTILS_SHARED_VIRTUAL_COUNTERS_H
#define UTILS_SHARED_VIRTUAL_COUNTERS_H

#include <sys/types.h>

#include "libop/base/reason.h"
#include "libvperf/vperf.h"

/* --source: auto, module or perf as flags of libvperf, VPERF_MODULE, VPERF_PERF or 0. 0 or -EINVAL with @error. */
int virtual_counters_source(unsigned int *ret, const char *word, struct op_reason *error);

/*
 * Runs @give with @arg while the child @pid can be given counters. vperfctr.ko lets nobody touch those of a thread that
 * runs, so for it the child is stopped by ptrace; it is left alone again before its exec, so that set-id programs stay such.
 * @source as above. Returns what @give does, or negative with @error.
 */
int virtual_counters_give(pid_t pid, unsigned int source, int (*give)(void *arg, struct op_reason *error), void *arg,
			  struct op_reason *error);

#endif
