// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frequency.c -- conversion of --frequency=HZ to an event of the timer.
 */
#include "config.h"
#include "utils/shared/frequency.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/event/spec.h"

int ctl_event_of_frequency(char **ret, const char *text, struct op_reason *error)
{
	size_t len = strspn(text, "0123456789.");
	struct op_event_spec spec;
	char *event;
	int err;

	if (!len || text[len])
		return op_fail(error, -EINVAL, "option \"--frequency\": \"%s\" is not a number of "
					       "samples a second", text);
	if (asprintf(&event, OP_EVENT_TIMER ":%sHz", text) < 0)
		return -ENOMEM;
	err = op_event_spec_parse(&spec, event);
	if (err) {
		free(event);
		return op_fail(error, err, "option \"--frequency\": %s", op_strerror(err));
	}
	op_event_spec_release(&spec);
	*ret = event;
	return 0;
}
