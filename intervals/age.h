/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * age.h -- the clock by which intervals grow old.
 *
 * A clock that is set to a wrong time in the future, by an empty battery or by a mistake of a time
 * server, makes each interval older than --keep, and one minute of this time would be enough to
 * delete all of them. So a time that does not follow from the time before is valid only after a
 * day. Until then intervals grow old by a clock that cannot be set.
 */
#ifndef ITV_AGE_H
#define ITV_AGE_H

#include <stdbool.h>
#include <stdint.h>

#include "intervals/store.h"

/* A moment by both clocks: UTC in seconds since 1970, and milliseconds of a clock that is never set
 * and that counts while the machine is suspended. */
struct itv_moment {
	int64_t time;
	uint64_t ms;
};

struct itv_age {
	struct itv_moment last;		/* the last moment at which the clock was trusted */
	struct itv_moment doubtful;	/* the first moment since which the clock is in doubt */
	bool is_doubtful;
};

/* Return the end of the newest interval of @list whose time is not in doubt. Intervals after a gap
 * of a week are in doubt until together they last a day. Return @now if the list is empty. */
int64_t itv_age_of_list(const struct itv_list *list, int64_t now);

/* Begin with the time @time at @ms: the end of the newest interval. */
void itv_age_init(struct itv_age *age, int64_t time, uint64_t ms);

/* Return the time from which ages are computed at the moment @now: the time of the clock, or an
 * earlier time if the clock is in doubt. */
int64_t itv_age_now(struct itv_age *age, const struct itv_moment *now);

#endif
