/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h -- configured events: resolves their names, codes, unit masks and counters for this CPU.
 */
#ifndef OPD_EVENTS_H
#define OPD_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/configuration.h"

/*
 * Fill in cfg->plan, and replace the names and unit masks in cfg->events by those that sample files
 * have. Counters are allocated later, by opd_events_allocate(), when the number of available
 * counters is known. Return 0, or a negative errno with the reason in @error.
 */
int opd_events_resolve(struct opd_config *cfg, struct op_reason *error);

/*
 * Allocate counters and groups for @choices, a copy of cfg->plan.choices, from the CPU's fixed
 * counters and @general general counters. Return 0, or a negative errno with the reason in @error.
 */
int opd_events_allocate(struct op_event_choice *choices, const struct opd_config *cfg,
			unsigned int general, struct op_reason *error);

/* Return whether event @i is the timer. Events that are not resolved yet are recognized by name. */
bool opd_event_is_timer(const struct opd_config *cfg, size_t i);
/* Return the CPU feature that event @i belongs to, such as "ibs_op", or NULL. */
const char *opd_event_ext(const struct opd_config *cfg, size_t i);

/* Return whether one of the configured events needs a hardware counter. */
bool opd_events_need_counters(const struct opd_config *cfg);

#endif
