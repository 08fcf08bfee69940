/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alias.h -- other names of an event and its unit mask: EVENT.MASK, as Linux perf and Intel's lists have it, and
 * EVENT_MASK, as OProfile 1.4's tables call what is a mask of a larger event here; also where the event has no masks
 * (inst_retired.any).
 */
#ifndef OP_EVENT_ALIAS_H
#define OP_EVENT_ALIAS_H

#include "libop/event/event.h"

/* The event of @table that @name, none of its events', means, and its mask, or NULL for the default. NULL: none. */
const struct op_event *op_event_alias(const struct op_event_table *table, const char *name,
				      const struct op_um_value **ret_um);

#endif
