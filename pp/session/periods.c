// SPDX-License-Identifier: GPL-2.0-or-later
/* periods.c -- parsing of the values of the tag time:. */
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
			err = op_period_parse(&periods[nr], values->items[i], now, error);
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
