/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h -- filters of tracepoints: the kernel records an event only if its fields match.
 */
#ifndef OP_PERF_FILTER_H
#define OP_PERF_FILTER_H

#include <stdint.h>

#include "libop/base/reason.h"

struct op_event_choice;
struct op_event_spec;

/* Set the filter of the tracepoint that is open as @fd. @event: name of the tracepoint, for an
 * error message. Return 0, or a negative errno with a message that lists the tracepoint's
 * fields. */
int op_perf_filter_set(int fd, const char *event, const char *filter, struct op_reason *error);

/*
 * Let the kernel check the filters of @specs before sampling starts. @choices: the results of
 * looking up the events of @specs. Return 0, or a negative errno with a message. A filter is not
 * checked if the kernel does not allow this process to open its event.
 */
int op_perf_filters_check(const struct op_event_spec *specs, const struct op_event_choice *choices,
			  size_t nr, struct op_reason *error);

/* Let the kernel check the filter of one tracepoint, as op_perf_filters_check() does. @event: name
 * of the tracepoint; @id: its id in tracefs. */
int op_perf_filter_check(const char *event, uint64_t id, const char *filter,
			 struct op_reason *error);

#endif
