// SPDX-License-Identifier: GPL-2.0
/*
 * events.c -- defaults and state of the array of events.
 */
#include "events.h"

void oprofile_events_init(struct oprofile_event event[OPROFILE_MAX_EVENTS])
{
	int i;

	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		event[i] = (struct oprofile_event){
			.kernel = 1,
			.user = 1,
			.counter = OPROFILE_ANY_COUNTER,
		};
	}
}

bool oprofile_events_any(const struct oprofile_event event[OPROFILE_MAX_EVENTS])
{
	int i;

	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		if (event[i].enabled)
			return true;
	}
	return false;
}
