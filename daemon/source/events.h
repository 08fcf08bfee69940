/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h -- the events of the configuration: their names, codes, unit masks and counters on this
 * CPU.
 */
#ifndef OPD_EVENTS_H
#define OPD_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/configuration.h"

/*
 * Set cfg->plan, and replace the names and unit masks in cfg->events by those that sample files
 * contain. Does not allocate counters: opd_events_allocate() does so when the number of available
 * counters is known. Return 0, or a negative errno with a message in @error.
 */
int opd_events_resolve(struct opd_config *cfg, struct op_reason *error);

/*
 * Allocate counters and groups for @choices, a copy of cfg->plan.choices, among the CPU's fixed
 * counters and @general general-purpose counters. Return 0, or a negative errno with a message in
 * @error.
 */
int opd_events_allocate(struct op_event_choice *choices, const struct opd_config *cfg,
			unsigned int general, struct op_reason *error);

/* Return true if event number @i of the configuration is the timer. If the events are not resolved
 * yet, compare the event's name. */
bool opd_event_is_timer(const struct opd_config *cfg, size_t i);
/* Return the CPU feature that event number @i of the configuration belongs to, such as "ibs_op", or
 * NULL for an ordinary event. */
const char *opd_event_ext(const struct opd_config *cfg, size_t i);

/* Return true if event number @i of the configuration is OFFCPU, for one reason of waits. */
bool opd_event_is_offcpu(const struct opd_config *cfg, size_t i);

/* Return true if at least one configured event needs a hardware counter. */
bool opd_events_need_counters(const struct opd_config *cfg);

#endif
