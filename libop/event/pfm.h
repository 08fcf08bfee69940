/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm.h -- the events of a CPU that our own tables leave out, from libpfm4 at run time.
 *
 * libop/event/pfm.c asks libpfm4, libop/event/pfm_none.c stands in where it is built without. It need not be there when it
 * is asked: then our own tables are all there is.
 */
#ifndef OP_EVENT_PFM_H
#define OP_EVENT_PFM_H

#include "libop/base/reason.h"
#include "libop/event/event.h"

#define OP_PFM_MIN_COUNT	10000	/* libpfm4 does not say how often an event may come */

/*
 * Adds to @table what libpfm4 knows of its CPU: events under names the table does not have yet, and
 * to events it has (with the same code), the unit-mask values it does not have. Nothing, and 0, when
 * libpfm4 does not know the CPU. Negative errno with @msg.
 *
 * Not to be called by two threads at a time: libpfm4 has one global state.
 */
int op_event_pfm_add(struct op_event_table *table, struct op_reason *msg);

#endif
