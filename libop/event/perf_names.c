// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_names.c -- search in the table of perf's names of generic events. */
#include "config.h"
#include "libop/event/perf_names.h"

#include <linux/perf_event.h>
#include <string.h>

#include "libop/raw/perf_names.h"

#define HARDWARE(id)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, false
#define SOFTWARE(id)	PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, false
#define KERNEL(id)	PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, true
#define ROW(probe, name, other, type, id, desc)	{ name, other, type(id), desc },

static const struct op_perf_name names[] = {
	RAW_PERF_HARDWARE(ROW)
	RAW_PERF_SOFTWARE(ROW)
};

const struct op_perf_name *op_perf_name_row(size_t i)
{
	return i < sizeof(names) / sizeof(names[0]) ? &names[i] : NULL;
}

const struct op_perf_name *op_perf_name_find(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i].name, name) ||
		    (names[i].other && !strcmp(names[i].other, name)))
			return &names[i];
	}
	return NULL;
}
