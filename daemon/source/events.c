// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c -- names that users write become codes, against the tables of this CPU.
 */
#include "config.h"
#include "daemon/source/events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/nearest.h"

static bool only_timer(const struct opd_config *cfg)
{
	for (size_t i = 0; i < cfg->nr_events; i++)
		if (strcmp(cfg->events[i].name, OP_EVENT_TIMER))
			return false;
	return true;
}

static int find_cpu(struct op_cpu_found *ret, const struct opd_config *cfg, struct op_reason *msg)
{
	const char *name = cfg->set.cpu_type ? cfg->set.cpu_type : only_timer(cfg) ? "timer" : NULL;
	struct op_reason cause = { "" };
	struct op_nearest nearest = { .nr = 0 };
	char meant[64];
	int err;

	if (name) {
		memset(ret, 0, sizeof(*ret));
		ret->cpu = op_cpu_by_name(name);
		if (!ret->cpu)
			return op_fail(msg, -EINVAL, "there is no CPU type %s; ophelp "
				       "--list-cpu-types lists them", name);
		ret->counters = ret->cpu->counters;
		ret->fixed = ret->cpu->fixed;
		ret->exact = 1;
		return 0;
	}
	err = op_cpu_host(ret, &cause);
	if (!err)
		return 0;
	op_nearest_add(&nearest, cfg->events[0].name, OP_EVENT_TIMER);
	return op_fail(msg, err, "event %s cannot be counted here%s: %s. Any CPU can be sampled by time: "
		       "--event=" OP_EVENT_TIMER ":%d", cfg->events[0].name,
		       op_nearest_text(&nearest, meant, sizeof(meant)), cause.text, OP_TIMER_DEFAULT_NS);
}

/* What sample files will be called: what has been found, not what was written. */
static int rename_events(struct opd_config *cfg)
{
	for (size_t i = 0; i < cfg->nr_events; i++) {
		char *name = strdup(cfg->choices[i].event->name);

		if (!name)
			return -ENOMEM;
		free(cfg->events[i].name);
		cfg->events[i].name = name;
		cfg->events[i].um = op_choice_um_word(&cfg->choices[i]);
	}
	return 0;
}

int opd_events_resolve(struct opd_config *cfg, char *why, size_t size)
{
	struct op_reason msg = { "" };
	int err = find_cpu(&cfg->cpu, cfg, &msg);

	if (!err)
		err = op_events_load(&cfg->table, cfg->cpu.cpu, NULL, &msg);
	if (!err) {
		cfg->choices = calloc(cfg->nr_events, sizeof(*cfg->choices));
		if (!cfg->choices)
			err = -ENOMEM;
	}
	if (!err)
		err = op_events_choose(cfg->choices, cfg->table, cfg->events, cfg->nr_events, 0,
				       OP_CHOOSE_NO_COUNTERS, &msg);
	if (!err)
		err = rename_events(cfg);
	if (err)
		snprintf(why, size, "%s", op_reason_text(&msg, err));
	return err;
}

int opd_events_allocate(struct op_event_choice *choices, const struct opd_config *cfg,
			unsigned int general, char *why, size_t size)
{
	struct op_reason msg = { "" };
	int err;

	memcpy(choices, cfg->choices, cfg->nr_events * sizeof(*choices));
	err = op_events_allocate(choices, cfg->nr_events, op_counter_mask(general, cfg->cpu.fixed),
				 OP_CHOOSE_GROUPS, &msg);
	if (err)
		snprintf(why, size, "%s", msg.text);
	return err;
}

bool opd_event_is_timer(const struct opd_config *cfg, size_t i)
{
	return !strcmp(cfg->events[i].name, OP_EVENT_TIMER);
}

const char *opd_event_ext(const struct opd_config *cfg, size_t i)
{
	return !cfg->choices || opd_event_is_timer(cfg, i) ? NULL : cfg->choices[i].event->ext;
}

bool opd_events_need_counters(const struct opd_config *cfg)
{
	for (size_t i = 0; i < cfg->nr_events; i++)
		if (!opd_event_is_timer(cfg, i) && !opd_event_ext(cfg, i))
			return true;
	return false;
}
