// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * alias.c -- splitting of a name into an event and a unit mask of the table.
 */
#include "config.h"
#include "libop/event/alias.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Compare ignoring case and the separators of words: perf writes l2_rqsts.demand_data_rd_hit. */
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

/* Names that Intel's lists use for the mask of an event without unit masks. */
static const struct {
	const char *name, *event;
} plain[] = {
	{ "CPU_CLK_UNHALTED_THREAD", "CPU_CLK_UNHALTED" },
	{ "CPU_CLK_UNHALTED_THREAD_P", "CPU_CLK_UNHALTED" },
	{ "CPU_CLK_UNHALTED_REF_TSC", "UNHALTED_REFERENCE_CYCLES" },
	{ "INST_RETIRED_ANY", "INST_RETIRED" },
	{ "INST_RETIRED_ANY_P", "INST_RETIRED" },
};

static const struct op_event *find_plain(const struct op_event_table *table, const char *name)
{
	for (size_t p = 0; p < sizeof(plain) / sizeof(plain[0]); p++) {
		if (strlen(name) != strlen(plain[p].name) || !is_beginning(name, plain[p].name))
			continue;
		for (size_t i = 0; i < table->nr_events; i++)
			if (!strcmp(table->events[i]->name, plain[p].event))
				return table->events[i];
	}
	return NULL;
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

		/* Take the longest event name that matches: L1D_PEND_MISS, not L1D. */
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
	if (found)
		return found;
	found = find_plain(table, name);
	if (found)
		*ret_um = NULL;
	return found;
}
