// SPDX-License-Identifier: GPL-2.0-or-later
/* age.c -- the clock that determines the ages of intervals. */
#include "config.h"
#include "intervals/age.h"

/* maximum number of seconds by which a time server corrects the system clock in one step */
#define MOST_STEP	3600
#define LONG_GAP	(7 * 24 * 3600)
/* if the system clock has jumped, its time is trusted again after this many milliseconds */
#define DOUBT_MS	(24 * 3600 * 1000ull)

int64_t itv_age_of_list(const struct itv_list *list, int64_t now)
{
	int64_t newest = now, begin = 0, end = 0;
	/* duration in seconds, before @begin, of the intervals whose times are not trusted */
	int64_t doubtful = 0;
	bool is_first = true;

	for (size_t i = 0; i < list->nr; i++) {
		const struct itv_entry *entry = &list->entries[i];

		if (i && entry->begin - end <= LONG_GAP) {
			end = entry->end > end ? entry->end : end;
		} else {
			doubtful = is_first || newest == end ? 0 : doubtful + end - begin;
			is_first = !i;
			begin = entry->begin;
			end = entry->end;
		}
		/* Since @begin, no gap between the intervals is longer than LONG_GAP. */
		if (is_first || doubtful + end - begin >= (int64_t)DOUBT_MS / 1000)
			newest = end;
	}
	return newest;
}

void itv_age_init(struct itv_age *age, int64_t time, uint64_t ms)
{
	*age = (struct itv_age){ .last = { time, ms } };
}

/* Return the expected time of the system clock at @ms (CLOCK_BOOTTIME), computed from the moment
 * @earlier. */
static int64_t time_after(const struct itv_moment *earlier, uint64_t ms)
{
	return earlier->time + (int64_t)(ms - earlier->ms) / 1000;
}

static bool follows(const struct itv_moment *now, const struct itv_moment *earlier)
{
	int64_t time = time_after(earlier, now->ms);

	return now->time >= time - MOST_STEP && now->time <= time + MOST_STEP;
}

int64_t itv_age_now(struct itv_age *age, const struct itv_moment *now)
{
	const int64_t expected = time_after(&age->last, now->ms);
	bool is_valid = follows(now, &age->last);

	if (!is_valid && (!age->is_doubtful || !follows(now, &age->doubtful))) {
		age->doubtful = *now;
		age->is_doubtful = true;
	}
	if (is_valid || now->ms - age->doubtful.ms >= DOUBT_MS) {
		*age = (struct itv_age){ .last = *now };
		return now->time;
	}
	return now->time < expected ? now->time : expected;
}
