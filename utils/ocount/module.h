/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.h -- counts of a command by vperfctr.ko, which needs no descriptor for each event and
 * counts children to their end.
 */
#ifndef UTILS_OCOUNT_MODULE_H
#define UTILS_OCOUNT_MODULE_H

#include <sys/types.h>

#include "libvperf/vperf.h"
#include "utils/ocount/options.h"
#include "utils/ocount/set.h"

/*
 * Return whether the module can count this: the sums of a command at its end, of at most as many
 * events as it has slots.
 */
bool count_module_can(const struct count_options *options, const struct count_events *events);

/*
 * Open counters for the held child @pid and all its later children. Return 0, or a negative errno
 * with text.
 */
int count_module_open(struct vperf **ret, const struct count_events *events, pid_t pid,
		      struct op_reason *error);

/* Read the sums of the ended child and its children, one for each event. Return 0 or a negative
 * errno. */
int count_module_read(struct vperf *v, struct count_value *values);

#endif
