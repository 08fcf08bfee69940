// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c -- the events of the configuration: looks up their names and codes in the event tables
 * of this CPU.
 */
#include "config.h"
#include "daemon/source/events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


/* Replace the names of events that the user wrote by the names in the CPU's event tables, because
 * sample files contain the latter. */
static int rename_events(struct opd_config *cfg)
{
	for (size_t i = 0; i < cfg->nr_events; i++) {
		char *name = strdup(cfg->plan.choices[i].event->name);

		if (!name)
			return -ENOMEM;
		free(cfg->events[i].name);
		cfg->events[i].name = name;
		cfg->events[i].um = op_choice_um_word(&cfg->plan.choices[i]);
	}
	return 0;
}

int opd_events_resolve(struct opd_config *cfg, struct op_reason *error)
{
	int err = op_event_plan_make(&cfg->plan, cfg->events, cfg->nr_events, cfg->set.cpu_type,
				     error);

	return err ? err : rename_events(cfg);
}

int opd_events_allocate(struct op_event_choice *choices, const struct opd_config *cfg,
			unsigned int general, struct op_reason *error)
{
	memcpy(choices, cfg->plan.choices, cfg->nr_events * sizeof(*choices));
	return op_events_allocate(choices, cfg->nr_events,
				  op_counter_mask(general, cfg->plan.cpu.fixed), OP_CHOOSE_GROUPS,
				  error);
}

bool opd_event_is_timer(const struct opd_config *cfg, size_t i)
{
	return !strcmp(cfg->events[i].name, OP_EVENT_TIMER);
}

const char *opd_event_ext(const struct opd_config *cfg, size_t i)
{
	return !cfg->plan.choices || opd_event_is_timer(cfg, i) ? NULL :
								  cfg->plan.choices[i].event->ext;
}

bool opd_event_is_offcpu(const struct opd_config *cfg, size_t i)
{
	return op_event_is_offcpu(cfg->events[i].name);
}

bool opd_events_need_counters(const struct opd_config *cfg)
{
	for (size_t i = 0; i < cfg->nr_events; i++)
		if (!opd_event_is_timer(cfg, i) && !opd_event_ext(cfg, i))
			return true;
	return false;
}
