/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * age.h -- the clock that determines the ages of intervals.
 *
 * A dead battery or a wrong time server can set the system clock far into the future. Then each
 * interval looks older than --keep, and one minute of the wrong time would delete all intervals. So
 * after a jump of the system clock, its time is trusted only after a day. Until then, the time is
 * computed from a monotonic clock.
 */
#ifndef ITV_AGE_H
#define ITV_AGE_H

#include <stdbool.h>
#include <stdint.h>

#include "intervals/store.h"

/* A moment, measured by two clocks: UTC in seconds since 1970, and milliseconds of CLOCK_BOOTTIME.
 * CLOCK_BOOTTIME cannot be set, and also counts while the machine is suspended. */
struct itv_moment {
	int64_t time;
	uint64_t ms;
};

struct itv_age {
	struct itv_moment last;		/* the last moment at which the system clock was trusted */
	struct itv_moment doubtful;	/* the moment at which the system clock jumped */
	bool is_doubtful;
};

/* Return the end of the newest interval of @list whose time is trusted. After a gap of more than a
 * week, the times of intervals are not trusted until these intervals together cover a day. Return
 * @now if the list is empty. */
int64_t itv_age_of_list(const struct itv_list *list, int64_t now);

/* Initialize @age: assume that the correct time at @ms (CLOCK_BOOTTIME) was @time, the end of the
 * newest interval. */
void itv_age_init(struct itv_age *age, int64_t time, uint64_t ms);

/* Return the time to use for computing ages at the moment @now: the time of the system clock, or an
 * earlier time while the system clock is not trusted. */
int64_t itv_age_now(struct itv_age *age, const struct itv_moment *now);

#endif
