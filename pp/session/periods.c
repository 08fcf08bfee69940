// SPDX-License-Identifier: GPL-2.0-or-later
/* periods.c -- parses the values of the tag "time:" as periods of time. */
#include "config.h"
#include "pp/session/periods.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/grow.h"

static int compare_periods(const void *a, const void *b)
{
	const struct op_period *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void note_yesterday(const char *text, int64_t now, struct pp_log *log)
{
	size_t len;
	const char *hour = op_period_hour_of_yesterday(text, &len, now);

	if (hour)
		pp_note(log, "%.*s is in the future today: the hour of yesterday is used", (int)len,
			hour);
}

int pp_periods_parse(struct op_period **ret, size_t *ret_nr, const struct pp_values *values,
		     struct pp_log *log)
{
	int64_t now = (int64_t)time(NULL);
	struct op_period *periods = NULL;
	size_t nr = 0;
	int err = 0;

	for (size_t i = 0; i < values->nr && !err; i++) {
		err = op_grow(&periods, nr);
		if (!err)
			err = op_period_parse(&periods[nr], values->items[i], now, &log->error);
		if (!err)
			note_yesterday(values->items[i], now, log);
		nr += !err;
	}
	if (err) {
		free(periods);
		return err;
	}
	qsort(periods, nr, sizeof(*periods), compare_periods);
	*ret = periods;
	*ret_nr = nr;
	return 0;
}
