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

/* name of the timer event; its COUNT is the time between samples in ns; see op_event_is_timer() */
#define OP_EVENT_TIMER	"TIMER"
#define OP_TIMER_MIN_NS	50000		/* minimum period of the timer, in ns: 20 kHz */
#define OP_TIMER_MAX_NS	100000000	/* maximum period of the timer, in ns: 10 Hz */
#define OP_TIMER_DEFAULT_NS 1000000	/* default period of the timer, in ns: 1 kHz */

/* Name of the event of the time that threads spend off their CPUs, also in ns. It has a unit mask
 * for each reason of a wait. Users write OFFCPU:1ms:lock or OFFCPU.lock:1ms for one reason, and
 * OFFCPU for all reasons. See op_event_is_offcpu(). */
#define OP_EVENT_OFFCPU	"OFFCPU"
/*
 * Clock time of programs: while n threads of a program run at the same time, one of n samples of
 * TIMER, chosen by chance, is a sample of this event, too. So the samples of a program add up to
 * the time in which at least one of its threads ran, and the samples of a function are the clock
 * time that the program would save without the function. Needs TIMER and OFFCPU.
 */
#define OP_EVENT_LATENCY "LATENCY"

struct op_event_spec {
	char *name;
	uint64_t count;
	uint32_t um;
	/* 1 (the default) or 0: whether to count in kernel mode, and in user mode */
	int kernel, user;
	bool has_um;		/* false: the user specified no unit mask, and .um is 0 */
	/* name of the unit mask, which op_events_choose() looks up; NULL: .um is the number of the
	 * unit mask */
	char *um_name;
	/* filter of a tracepoint, in the kernel's filter syntax; NULL: no filter */
	char *filter;
};

/*
 * Parse @text, an event NAME:COUNT[:UNITMASK[:KERNEL[:USER]]]. UNITMASK is a number or a name. The
 * name TIMER may have any case, and its COUNT may have a unit: TIMER:1ms, TIMER:4kHz. The same
 * applies to OFFCPU, whose COUNT may be missing and is then 1ms. Return 0,
 * -ENOMEM, or one of OP_ERR_EVENT_*; *@ret is unchanged on failure.
 */
int op_event_spec_parse(struct op_event_spec *ret, const char *text);

/* Parse @text, an event NAME[:UNITMASK[:KERNEL[:USER]]] that is counted and not sampled. Set .count
 * to a value that is valid for all events. */
int op_event_spec_parse_counted(struct op_event_spec *ret, const char *text);

/* Return whether the @len bytes of @text may be the SYSTEM or the NAME of a tracepoint
 * SYSTEM:NAME. */
bool op_event_is_tracepoint_word(const char *text, size_t len);

/* Return the length of SYSTEM:NAME if @text begins with the name of a tracepoint, otherwise 0. In
 * other events, a number follows the first colon. */
size_t op_event_tracepoint_length(const char *text);

/* Return whether @name, an event's name without its other fields, is the name of a tracepoint. */
bool op_event_name_is_tracepoint(const char *name);

/* Return the length of the first event of @list, which ends at a ',' that is not part of a
 * filter, or at the end of @list. */
size_t op_event_list_length(const char *list);

/*
 * Add @filter to the last event of @list, which must be a tracepoint, and set *@ret to the new
 * list, which the caller frees. Several filters of one event are joined by &&. Return 0, -ENOMEM,
 * or -EINVAL with a message.
 */
int op_event_list_filter(char **ret, const char *list, const char *filter, struct op_reason *error);

/* Return whether @text, an event in the form of --event, is the event TIMER. */
bool op_event_is_timer(const char *text);

/* Return whether @text, an event in the form of --event, is the event OFFCPU or OFFCPU.REASON. */
bool op_event_is_offcpu(const char *text);

/* Return whether @text, an event in the form of --event, is the event LATENCY. */
bool op_event_is_latency(const char *text);

/* Convert a period or a frequency, "1ms" or "4kHz", to the period in ns. Return 0, or
 * OP_ERR_TIMER_PERIOD for an invalid text. */
int op_event_period_parse(uint64_t *ret, const char *text, size_t len);

void op_event_spec_release(struct op_event_spec *spec);

#endif
