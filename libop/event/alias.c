// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * alias.c -- splits a name into an event and a mask that the table has.
 */
#include "config.h"
#include "libop/event/alias.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Without regard to case and to what separates words: perf writes l2_rqsts.demand_data_rd_hit. */
static bool same_word(char a, char b)
{
	return toupper((unsigned char)a) == toupper((unsigned char)b) || (a == '.' && b == '_');
}

static bool is_beginning(const char *name, const char *of)
{
	for (; *of; name++, of++)
		if (!*name || !same_word(*name, *of))
			return false;
	return true;
}

const struct op_event *op_event_alias(const struct op_event_table *table, const char *name,
				      const struct op_um_value **ret_um)
{
	const struct op_event *found = NULL;
	size_t found_len = 0;

	for (size_t i = 0; i < table->nr_events; i++) {
		const struct op_event *event = table->events[i];
		size_t len = strlen(event->name);
		const struct op_um_value *um = NULL;

		/* The longest event's name leaves the shortest mask's: L1D_PEND_MISS, not L1D. */
		if (len <= found_len || !is_beginning(name, event->name))
			continue;
		if (name[len] == '_' || name[len] == '.') {
			um = op_um_value_by_name(event->unit_mask, name + len + 1);
			if (!um)
				continue;
		} else if (name[len]) {
			continue;
		}
		found = event;
		found_len = len;
		*ret_um = um;
	}
	return found;
}
