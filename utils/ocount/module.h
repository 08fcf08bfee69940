/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.h -- a command counted by vperfctr.ko: without descriptors for each event, to the last event of each child.
 */
#ifndef UTILS_OCOUNT_MODULE_H
#define UTILS_OCOUNT_MODULE_H

#include <sys/types.h>

#include "libvperf/vperf.h"
#include "utils/ocount/options.h"
#include "utils/ocount/set.h"

/* Whether the module can do what is asked: sums of a command at its end, of events that it has slots for. */
bool count_module_can(const struct count_options *options, const struct count_events *events);

/* Counters of the held child @pid, and all that it will start. 0, or negative with @why. */
int count_module_open(struct vperf **ret, const struct count_events *events, pid_t pid, struct op_reason *error);

/* Once it has ended: by event, the child's and its children's. 0 or negative errno. */
int count_module_read(struct vperf *v, struct count_value *values);

#endif
