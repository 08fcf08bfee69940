/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * for_module.h -- check for events that perf_events can sample and the kernel module cannot.
 */
#ifndef OP_EVENT_FOR_MODULE_H
#define OP_EVENT_FOR_MODULE_H

#include "libop/event/choose.h"

/* maximum number of events at the same time, for which oprofilefs has directories */
#define OP_MODULE_EVENTS	32

/*
 * Check whether the module can sample these resolved events together, if it can use the machine's
 * counters. Return 0, or OP_ERR_EVENT_CHOICE with a message.
 */
int op_events_for_module(const struct op_event_choice *choices, size_t nr, struct op_reason *msg);

#endif
