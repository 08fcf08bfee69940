/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alias.h -- alternative names of an event with a unit mask: EVENT.MASK, as in Linux perf and
 * Intel's lists, and EVENT_MASK, as in OProfile 1.4's tables, where such a mask is an event of its
 * own. An event without masks may have such a name, too (inst_retired.any).
 */
#ifndef OP_EVENT_ALIAS_H
#define OP_EVENT_ALIAS_H

#include "libop/event/event.h"

/* Return the event that @name refers to, if it is not itself an event of @table, and set the
 * mask; NULL stands for the default mask. Return NULL if @name is unknown. */
const struct op_event *op_event_alias(const struct op_event_table *table, const char *name,
				      const struct op_um_value **ret_um);

#endif
