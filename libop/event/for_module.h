/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * for_module.h -- what the kernel module cannot sample, and perf_events can.
 */
#ifndef OP_EVENT_FOR_MODULE_H
#define OP_EVENT_FOR_MODULE_H

#include "libop/event/choose.h"

#define OP_MODULE_EVENTS	32	/* at once: folders in its file system */

/*
 * Whether the module can sample these resolved events together, on a machine whose counters it can use at all:
 * 0 or OP_ERR_EVENT_CHOICE with @msg.
 */
int op_events_for_module(const struct op_event_choice *choices, size_t nr, struct op_reason *msg);

#endif
