// SPDX-License-Identifier: GPL-2.0-or-later
/* event_words.c -- descriptions of events from libop's tables. */
#include "config.h"
#include "pp/format/event_words.h"

#include <stdlib.h>

#include "libop/base/reason.h"
#include "libop/event/choose.h"

struct pp_event_words {
	struct op_event_table *table;
};

struct pp_event_words *pp_event_words_load(uint32_t cpu_type)
{
	const struct op_cpu_desc *cpu = op_cpu_by_number(cpu_type);
	struct pp_event_words *words;
	struct op_reason message = { "" };

	if (!cpu)
		return NULL;
	words = calloc(1, sizeof(*words));
	if (words && !op_events_load(&words->table, cpu, NULL, &message))
		return words;
	free(words);
	return NULL;
}

void pp_event_words_free(struct pp_event_words *words)
{
	if (!words)
		return;
	op_event_table_free(words->table);
	free(words);
}

const char *pp_event_meaning(struct pp_event_words *words, const char *event)
{
	const struct op_event *found = op_event_find(words->table, event);

	return found && found->desc ? found->desc : "Unknown event";
}

const char *pp_unit_mask_meaning(struct pp_event_words *words, const char *event, uint32_t um)
{
	const struct op_event *found = op_event_find(words->table, event);
	uint32_t bits = um, extra = 0;
	const struct op_um_value *value =
		found ? op_um_from_word(found, um, &bits, &extra) : NULL;

	if (value && value->desc)
		return value->desc;
	um = bits;
	if (!um)
		return "No unit mask";
	return um & (um - 1) ? "multiple flags" : "Unknown unit mask";
}
