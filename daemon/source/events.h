/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h -- resolves the configured events: CPU, codes, unit masks, counters.
 */
#ifndef OPD_EVENTS_H
#define OPD_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/configuration.h"

/*
 * Fill in cfg->plan, and set the names and unit masks in cfg->events to those in sample files.
 * Counters are allocated later, when the available ones are known (opd_events_allocate()). Return
 * 0, or a negative errno with the reason in @error.
 */
int opd_events_resolve(struct opd_config *cfg, struct op_reason *error);

/*
 * Allocate counters and groups for @choices, a copy of cfg->plan.choices, from @general general
 * counters and the CPU's fixed ones. Return 0, or a negative errno with the reason in @error.
 */
int opd_events_allocate(struct op_event_choice *choices, const struct opd_config *cfg,
			unsigned int general, struct op_reason *error);

/* Return the kind of event @i. The kind of unresolved events is derived from their names. */
bool opd_event_is_timer(const struct opd_config *cfg, size_t i);
const char *opd_event_ext(const struct opd_config *cfg, size_t i);	/* "ibs_op", or NULL */

/* Return whether an event needs a hardware counter. */
bool opd_events_need_counters(const struct opd_config *cfg);

#endif
