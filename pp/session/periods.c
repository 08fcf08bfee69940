// SPDX-License-Identifier: GPL-2.0-or-later
/* periods.c -- the periods of the tag time:. */
#include "config.h"
#include "pp/session/periods.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/grow.h"

/* Parse "FROM..TO" or a period. */
static int parse_value(struct op_period *ret, const char *text, int64_t now,
		       struct op_reason *error)
{
	const char *dots = strstr(text, "..");
	struct op_period to;
	char *from;
	int err;

	if (!dots)
		return op_period_parse(ret, text, now, error);
	from = strndup(text, (size_t)(dots - text));
	if (!from)
		return -ENOMEM;
	err = op_period_parse(ret, from, now, error);
	free(from);
	if (!err)
		err = op_period_parse(&to, dots + 2, now, error);
	if (err)
		return err;
	if (to.end <= ret->begin) {
		char begin[OP_TIME_TEXT_SIZE], end[OP_TIME_TEXT_SIZE];

		return op_fail(error, -EINVAL, "time:%s: %s is not before %s", text,
			       op_time_text(begin, ret->begin), op_time_text(end, to.end));
	}
	/* An interval may have begun in the present second. */
	ret->end = to.begin == to.end && to.end == now ? now + 1 : to.end;
	return 0;
}

static int compare_periods(const void *a, const void *b)
{
	const struct op_period *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

int pp_periods_parse(struct op_period **ret, size_t *ret_nr, const struct pp_values *values,
		     struct op_reason *error)
{
	int64_t now = (int64_t)time(NULL);
	struct op_period *periods = NULL;
	size_t nr = 0;
	int err = 0;

	for (size_t i = 0; i < values->nr && !err; i++) {
		err = op_grow(&periods, nr);
		if (!err)
			err = parse_value(&periods[nr], values->items[i], now, error);
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

bool pp_periods_overlap(const struct op_period *periods, size_t nr, int64_t begin, int64_t end)
{
	for (size_t i = 0; i < nr; i++) {
		const struct op_period *p = &periods[i];

		if (p->begin == p->end ? begin <= p->begin && p->begin < end :
					 begin < p->end && p->begin < end)
			return true;
	}
	return false;
}
