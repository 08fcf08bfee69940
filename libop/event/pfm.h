/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm.h -- additional events of a CPU, from libpfm4 at run time.
 *
 * libop/event/pfm.c uses libpfm4; libop/event/pfm_none.c is its substitute in builds without
 * libpfm4. If libpfm4 is not installed at run time, only OProfile's own tables are used.
 */
#ifndef OP_EVENT_PFM_H
#define OP_EVENT_PFM_H

#include "libop/base/reason.h"
#include "libop/event/event.h"

/* minimum count of libpfm4's events; libpfm4 does not specify minimum counts */
#define OP_PFM_MIN_COUNT	10000

/*
 * Add libpfm4's events of the CPU to @table: events that the table does not have, and unit-mask
 * values that the table's events do not have. If libpfm4 does not know the CPU, add nothing and
 * return 0. Return a negative errno with a message on failure.
 *
 * Must not be called by several threads at once, because libpfm4 has global state.
 */
int op_event_pfm_add(struct op_event_table *table, struct op_reason *error);

#endif
