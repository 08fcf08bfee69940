/* SPDX-License-Identifier: GPL-2.0-or-later */
/* made.h -- makes the intervals of simulated hosts. */
#ifndef TESTS_FLEET_MADE_H
#define TESTS_FLEET_MADE_H

#include <stdbool.h>

#include "intervals/interval.h"
#include "intervals/store.h"

/*
 * Make an interval of three services, each with a tree of seven call paths. @number decides the
 * counts and some of the paths. @is_empty: the interval has no samples. @entry: its times. Return 0
 * or a negative errno; the caller releases *@ret.
 */
int fleet_make_interval(struct itv *ret, unsigned int number, bool is_empty,
			const struct itv_entry *entry);

#endif
