/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * age.h -- the clock that decides when intervals expire.
 *
 * A dead battery or a wrong time server can set the clock far into the future. Then each interval
 * looks older than --keep, and one minute of the wrong time would delete all intervals. So after a
 * jump the new time is trusted only after a day. Until then, ages are computed from a monotonic
 * clock.
 */
#ifndef ITV_AGE_H
#define ITV_AGE_H

#include <stdbool.h>
#include <stdint.h>

#include "intervals/store.h"

/* A moment by two clocks: UTC in seconds since 1970, and milliseconds of CLOCK_BOOTTIME, which is
 * never set and also counts while the machine is suspended. */
struct itv_moment {
	int64_t time;
	uint64_t ms;
};

struct itv_age {
	struct itv_moment last;		/* the last moment at which the clock was trusted */
	struct itv_moment doubtful;	/* the moment at which the clock jumped */
	bool is_doubtful;
};

/* Return the end of the newest interval of @list whose time is trusted. Intervals after a gap of
 * more than a week are not trusted until together they cover a day. Return @now if the list is
 * empty. */
int64_t itv_age_of_list(const struct itv_list *list, int64_t now);

/* Initialize @age: assume that at @ms (CLOCK_BOOTTIME) the wall-clock time was @time, the end of
 * the newest interval. */
void itv_age_init(struct itv_age *age, int64_t time, uint64_t ms);

/* Return the time from which to compute ages at the moment @now: the clock's time, or an earlier
 * time while the clock is not trusted. */
int64_t itv_age_now(struct itv_age *age, const struct itv_moment *now);

#endif
