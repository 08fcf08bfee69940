/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h -- the configured events, resolved: which CPU's they are, codes, unit masks, counters.
 */
#ifndef OPD_EVENTS_H
#define OPD_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/configuration.h"

/*
 * Fills cfg->plan, and gives cfg->events the names and unit masks that sample files have. Counters are given out
 * later, by who knows which there are (opd_events_allocate()). 0, or negative with @why.
 */
int opd_events_resolve(struct opd_config *cfg, struct op_reason *why);

/*
 * Counters and groups for @choices, a copy of cfg->plan.choices, of @general ones and those fixed ones that
 * the CPU has. 0, or negative with @why.
 */
int opd_events_allocate(struct op_event_choice *choices, const struct opd_config *cfg,
			unsigned int general, struct op_reason *why);

/* What kind of thing event @i is. Unresolved ones are told by their names. */
bool opd_event_is_timer(const struct opd_config *cfg, size_t i);
const char *opd_event_ext(const struct opd_config *cfg, size_t i);	/* "ibs_op", or NULL */

/* Some event needs a hardware counter. */
bool opd_events_need_counters(const struct opd_config *cfg);

#endif
