/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracepoint.h -- tracepoints of the kernel as events SYSTEM:NAME. The code of such an event is the
 * tracepoint's id in tracefs.
 *
 * A tracepoint needs no counter of the CPU. Only perf_events can sample it. tracefs has a directory
 * events/SYSTEM/NAME for each tracepoint.
 */
#ifndef OP_EVENT_TRACEPOINT_H
#define OP_EVENT_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "libop/event/event.h"

/* value of .ext in struct op_event for tracepoints */
#define OP_EVENT_EXT_TRACEPOINT	"tracepoint"

/* text that describes each tracepoint in lists and reports */
#define OP_TRACEPOINT_MEANING	"Tracepoint of the kernel: a sample is an event, not a time"

/* Return whether @event is a tracepoint. */
bool op_event_is_tracepoint(const struct op_event *event);

/*
 * Return the tracepoint @name as an event of @table, which owns the event; add it if it is missing.
 * Return NULL with a message if tracefs cannot be read or has no such tracepoint. @table->tracefs:
 * mount point of tracefs; NULL: search for it.
 */
const struct op_event *op_tracepoint_find(struct op_event_table *table, const char *name,
					  struct op_reason *error);

/* Read the id of the tracepoint @name. @tracefs: see op_tracepoint_find(). Return 0, or a negative
 * errno with a message. */
int op_tracepoint_id(uint64_t *ret, const char *name, const char *tracefs, struct op_reason *error);

/* Return whether tracefs has a directory for the SYSTEM of the tracepoint @name (SYSTEM:NAME). */
bool op_tracepoint_has_system(const char *name, const char *tracefs);

/* A sorted list of names of tracepoints. */
struct op_tracepoints {
	char **names;
	size_t nr;
};

/* Set *@ret to the tracepoints whose names match the shell pattern @pattern ("sched:*"). Return 0,
 * or a negative errno with a message. */
int op_tracepoints_list(struct op_tracepoints *ret, const char *pattern, const char *tracefs,
			struct op_reason *error);
/* Free the names in @list. @list may be all zeros. */
void op_tracepoints_release(struct op_tracepoints *list);

/* Write the names of the fields that a filter of the tracepoint @name may use: "prev_comm,
 * prev_pid". Omit names that do not fit. Write "" if the fields cannot be read. Return @text. */
const char *op_tracepoint_fields(char *text, size_t size, const char *name, const char *tracefs);

#endif
