/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_words.h -- what $OPPROBE asks for, and opprobe's --event: events with their periods.
 *
 * KEY=VALUE between commas: event=NAME[:PERIOD] or rate=HZ (short for event=TIMER:1000000000/HZ), which may be repeated, as may
 * counter=TYPE.CONFIG.CONFIG1:PERIOD:NAME, what perf_event_open(2) is asked for, in hexadecimal numbers but for the period;
 * driver=NAME, refused=ERRNO, follow=all|fork|exec|none, separate=thread, leaf=address|function, memory=BYTES,
 * csp-version=01.00|01.01, marker=on|off, returns=last|all|off, unsafe=NAME, which may be repeated too, unsafe-met=FILE, and output=DIR, which is
 * last as it takes the rest.
 */
#ifndef LIBOP_RAW_PROBE_WORDS_H
#define LIBOP_RAW_PROBE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAW_PROBE_EVENTS	16
#define RAW_PROBE_MAX_RATE	100000
#define RAW_PROBE_METRICS	8	/* of one event, at most */
#define RAW_PROBE_NAME		32	/* of an event, with its NUL */

/* How something is counted. */
enum raw_probe_by {
	RAW_PROBE_BY_DRIVER,		/* by signals of what is chosen for CPU time */
	RAW_PROBE_BY_WALL,		/* by signals of the time of day */
	RAW_PROBE_BY_PERF,		/* by signals of perf_events, whatever samples CPU time */
	RAW_PROBE_BY_VPERF,		/* by signals of virtual counters, which libvperf has */
	RAW_PROBE_BY_CALLS,		/* by libraries that stand in for functions */
	RAW_PROBE_BY_PROGRAM,		/* by the program itself: what of it, it says while it runs */
};

/* What perf_event_open(2) is asked for. */
struct raw_probe_perf {
	uint32_t type;
	uint64_t config, config1;
};

/* What can be counted: one row each. */
struct raw_probe_kind {
	const char *name;
	uint64_t period, min, max;	/* the one without a word (0: every one is counted), and which may be; max 0: none */
	const char *library;		/* preloaded for it beside libopprobe.so; NULL: none is */
	const char *metrics[RAW_PROBE_METRICS + 1];	/* of calls; samples by signals are the metric of the event's name */
	enum raw_probe_by by;
	struct raw_probe_perf perf;	/* and what of perf_events */
};

/* What makes samples; the word is raw_probe_drivers[] of it. RAW_PROBE_AUTO is the first of the others, in this order, that
 * can be had. The last one interrupts threads that wait, so it is for who asks for it only. */
enum raw_probe_driver {
	RAW_PROBE_AUTO,
	RAW_PROBE_PERF,
	RAW_PROBE_CPUTIME,
	RAW_PROBE_ITIMER,
	RAW_PROBE_MONOTONIC,
	RAW_PROBE_NR_DRIVERS
};

extern const char *const raw_probe_drivers[RAW_PROBE_NR_DRIVERS];

/* Which processes are profiled besides the first: its children (and theirs), and the programs that all of these go over to. */
enum raw_probe_follow {
	RAW_PROBE_FOLLOW_ALL,
	RAW_PROBE_FOLLOW_FORK,		/* children, but no other program */
	RAW_PROBE_FOLLOW_EXEC,		/* other programs, but no child of a program before it is another one */
	RAW_PROBE_FOLLOW_NONE,
	RAW_PROBE_NR_FOLLOW
};

extern const char *const raw_probe_follow[RAW_PROBE_NR_FOLLOW];

#define RAW_PROBE_UNSAFE	8	/* names, */
#define RAW_PROBE_UNSAFE_NAME	256	/* and how long one may be, with its NUL */
/* Which returns are counted, where there are markers. */
enum raw_probe_returns {
	RAW_PROBE_RETURNS_LAST,		/* the first after each sample */
	RAW_PROBE_RETURNS_ALL,		/* all that a marker notices */
	RAW_PROBE_RETURNS_OFF,
	RAW_PROBE_NR_RETURNS
};

extern const char *const raw_probe_returns[RAW_PROBE_NR_RETURNS];

#define RAW_PROBE_MAX_MEMORY	(1ULL << 32)

struct raw_probe_event {
	const struct raw_probe_kind *kind;
	uint64_t period;
	struct raw_probe_perf perf;
	char name[RAW_PROBE_NAME];	/* the kind's, but for raw_probe_counter */
};

struct raw_probe_words {
	struct raw_probe_event events[RAW_PROBE_EVENTS];
	uint32_t nr_events;
	enum raw_probe_driver driver;
	uint32_t refused;		/* the errno for which that is not perf */
	enum raw_probe_follow follow;
	bool by_thread;			/* a file for each thread */
	bool by_function;		/* a leaf is the function, not the address in it */
	bool marks;			/* frames, by a return address of ours */
	enum raw_probe_returns returns;
	bool is_01_01;			/* the version that files say */
	uint32_t nr_unsafe;
	char unsafe[RAW_PROBE_UNSAFE][RAW_PROBE_UNSAFE_NAME];	/* functions and files without samples */
	char unsafe_met[RAW_PROBE_NAME];	/* file in @dir with a byte for each, which is 1 once it has been met; "": nobody asks */
	uint64_t memory;		/* bytes that a thread has from the beginning on; 0: as little as can be */
	const char *dir;		/* NULL: not told */
};

/* What libvperf is asked for by an event of RAW_PROBE_BY_VPERF. */
#define RAW_PROBE_VPERF		"vperf:"
static inline const char *raw_probe_vperf_name(const struct raw_probe_event *event)
{
	return event->name + sizeof(RAW_PROBE_VPERF) - 1;
}

static inline bool raw_probe_by_signal(const struct raw_probe_kind *kind)
{
	return kind->by < RAW_PROBE_BY_CALLS;
}

static inline bool raw_probe_follows_children(const struct raw_probe_words *words)
{
	return words->follow == RAW_PROBE_FOLLOW_ALL || words->follow == RAW_PROBE_FOLLOW_FORK;
}

/* Whether the program's calls are counted. */
static inline bool raw_probe_counts_calls(const struct raw_probe_words *words)
{
	for (uint32_t i = 0; i < words->nr_events; i++)
		if (words->events[i].kind->metrics[0])
			return true;
	return false;
}

/* Row @i; NULL: there are no more. */
const struct raw_probe_kind *raw_probe_kind(size_t i);

/*
 * Fill @parts with the events to sample instead of @perf, and return their number, 1 or 2. Their signals come when the
 * work of the event is done. The kernel counts page-faults before it handles the fault, and from Linux 6.12 on a
 * pending signal aborts the handling of a fault of the vDSO's data: the same instruction then faults again, for ever.
 * Minor and major faults are counted after they are handled, and each handled fault is either minor or major. For other
 * events a signal undoes no work: emulation and alignment faults are counted after the instruction has been emulated,
 * and breakpoints, which have no name here, resume after the handler.
 */
uint32_t raw_probe_perf_parts(const struct raw_probe_perf *perf, struct raw_probe_perf parts[2]);

/* Of all other events of perf_events, which only numbers tell of; no row. */
extern const struct raw_probe_kind raw_probe_counter;
/* One of these. -ENAMETOOLONG: of @len, @name does not fit; -ERANGE. */
int raw_probe_counter_set(struct raw_probe_event *ret, const struct raw_probe_perf *perf, uint64_t period, const char *name,
			  size_t len);

/* The first @len characters of @text, NAME[:PERIOD], or vperf:EVENT[:u][:PERIOD] with an event of libvperf's. -ENOENT: there is no
 * such event; -ERANGE: it has no such period; -EINVAL: it names no event, or one outside user mode; -ENAMETOOLONG. */
int raw_probe_event_parse(struct raw_probe_event *ret, const char *text, size_t len);

/* One more; -EEXIST: there is one of its name; -E2BIG. */
int raw_probe_words_add(struct raw_probe_words *words, const struct raw_probe_event *event);

/* The first @len characters of @text. -ENOENT: there is no such driver. */
int raw_probe_driver_parse(enum raw_probe_driver *ret, const char *text, size_t len);

/* A word with its value, as $OPPROBE has it, but for output: -ENOENT: there is no such word; other errors: no such value. */
int raw_probe_word(struct raw_probe_words *words, const char *word, size_t len);

/* TIMER so many times in a second, 1 to 100000; -ERANGE. */
int raw_probe_rate(struct raw_probe_event *ret, uint64_t rate);

/* All of it, in front of what @words has; without an event TIMER is one. -EINVAL: *@wrong is where. */
int raw_probe_words_parse(struct raw_probe_words *words, const char *text, size_t *wrong);

#endif
