// SPDX-License-Identifier: GPL-2.0-or-later
/* filter.c -- filters of tracepoints, which perf_events applies. */
#include "config.h"
#include "libop/perf/filter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "libop/event/choose.h"
#include "libop/event/tracepoint.h"
#include "libop/perf/open.h"

int op_perf_filter_set(int fd, const char *event, const char *filter, struct op_reason *error)
{
	char fields[600];
	int err = ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ? -errno : 0;

	if (!err)
		return 0;
	if (err != -EINVAL || !*op_tracepoint_fields(fields, sizeof(fields), event, NULL))
		return op_fail(error, err, "cannot set the filter \"%s\" of event %s: %s", filter, event,
			       strerror(-err));
	return op_fail(error, err,
		       "cannot set the filter \"%s\" of event %s: the kernel does not accept it; write "
		       "FIELD OPERATOR VALUE, joined by && or ||, with these fields: %s",
		       filter, event, fields);
}

int op_perf_filter_check(const char *event, uint64_t id, const char *filter,
			 struct op_reason *error)
{
	/* Open the tracepoint only for user mode, because any user may do that. */
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = op_perf_open(&attr, 0, -1), err;

	if (fd < 0)
		return 0;
	err = op_perf_filter_set(fd, event, filter, error);
	close(fd);
	return err;
}

int op_perf_filters_check(const struct op_event_spec *specs, const struct op_event_choice *choices,
			  size_t nr, struct op_reason *error)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		if (specs[i].filter)
			err = op_perf_filter_check(choices[i].event->name, choices[i].event->raw,
						   specs[i].filter, error);
	return err;
}
