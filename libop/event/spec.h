/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec.h -- parser of NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], the argument of --event.
 *
 * The name of a tracepoint is SYSTEM:NAME, and a filter may follow its last field:
 * sched:sched_switch:1/prev_state == 1. The option --filter adds such a filter.
 */
#ifndef OP_EVENT_SPEC_H
#define OP_EVENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

#define OP_EVENT_TIMER	"TIMER"		/* COUNT is nanoseconds between samples; see op_event_is_timer() */
#define OP_TIMER_MIN_NS	50000		/* shortest period of the timer, in ns: 20 kHz */
#define OP_TIMER_MAX_NS	100000000	/* longest period of the timer, in ns: 10 Hz */
#define OP_TIMER_DEFAULT_NS 1000000	/* default period of the timer, in ns: 1 kHz */

struct op_event_spec {
	char *name;
	uint64_t count;
	uint32_t um;
	/* whether to count in the kernel, and in user code: 1 (the default) or 0 */
	int kernel, user;
	bool has_um;		/* false: the user gave no mask, and um is 0 */
	/* name of the unit mask, which op_events_choose() resolves; NULL: the mask is a number */
	char *um_name;
	/* filter of a tracepoint, in the kernel's language; NULL: no filter */
	char *filter;
};

/*
 * Parse an event. UNITMASK is a number or a name. The timer may be written in any case, and its
 * COUNT with a unit: TIMER:1ms, TIMER:4kHz. Return 0, -ENOMEM, or one of OP_ERR_EVENT_*; *@ret is
 * unchanged on failure.
 */
int op_event_spec_parse(struct op_event_spec *ret, const char *text);

/*
 * Parse NAME[:UNITMASK[:KERNEL[:USER]]], the form for events that are counted and not sampled. Set
 * a count that is valid for all events.
 */
int op_event_spec_parse_counted(struct op_event_spec *ret, const char *text);

/* Return whether @len bytes of @text can be the system or the name of a tracepoint. */
bool op_event_is_tracepoint_word(const char *text, size_t len);

/*
 * Return the length of SYSTEM:NAME if @text begins with the name of a tracepoint, else 0. Other
 * events have a number in place of NAME.
 */
size_t op_event_tracepoint_length(const char *text);

/* Return whether @name, the name of an event without its other fields, is a tracepoint's. */
bool op_event_name_is_tracepoint(const char *name);

/* Return the length of the first event of @list, which ends at a ',' that is not part of a filter,
 * or at the end. */
size_t op_event_list_length(const char *list);

/*
 * Set *@ret to @list with @filter added to its last event, which must be a tracepoint. Filters of
 * one event are joined by &&. Return 0, -ENOMEM, or -EINVAL with a message. The caller frees
 * *@ret.
 */
int op_event_list_filter(char **ret, const char *list, const char *filter, struct op_reason *error);

/* Return whether an event specification is for the timer. */
bool op_event_is_timer(const char *text);

/* Convert a time or a frequency, "1ms" or "4kHz", into nanoseconds between samples.
 * OP_ERR_TIMER_PERIOD: invalid text. */
int op_event_period_parse(uint64_t *ret, const char *text, size_t len);

void op_event_spec_release(struct op_event_spec *spec);

#endif
