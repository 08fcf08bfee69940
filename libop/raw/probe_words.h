/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_words.h -- a parser of $OPPROBE and of opprobe's --event.
 *
 * $OPPROBE has words KEY=VALUE separated by commas:
 *
 *	event=NAME[:PERIOD]	may be repeated
 *	rate=HZ			the same as event=TIMER:1000000000/HZ
 *	counter=TYPE.CONFIG.CONFIG1:PERIOD:NAME
 *				an event of perf_event_open(2): three hexadecimal
 *				numbers, a decimal period; may be repeated
 *	driver=NAME
 *	refused=ERRNO		perf_event_open(2) failed with this error
 *	follow=all|fork|exec|none
 *	separate=thread
 *	leaf=address|function
 *	memory=BYTES
 *	csp-version=01.00|01.01
 *	marker=on|off
 *	returns=last|all|off
 *	unsafe=NAME		may be repeated
 *	unsafe-met=FILE
 *	output=DIR		must be last: takes the rest of the text
 */
#ifndef LIBOP_RAW_PROBE_WORDS_H
#define LIBOP_RAW_PROBE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAW_PROBE_EVENTS	16
#define RAW_PROBE_MAX_RATE	100000
#define RAW_PROBE_METRICS	8	/* maximum number of metrics of one event */
#define RAW_PROBE_NAME		32	/* size of an event's name, including the NUL */

/* The source of an event's counts. */
enum raw_probe_by {
	RAW_PROBE_BY_DRIVER,		/* samples at signals of the driver for CPU time */
	RAW_PROBE_BY_WALL,		/* samples at signals of a timer for wall-clock time */
	/* samples at signals of perf_events, independent of the driver for CPU time */
	RAW_PROBE_BY_PERF,
	/* samples at overflows of libvperf's virtual counters */
	RAW_PROBE_BY_VPERF,
	RAW_PROBE_BY_CALLS,	/* the probe's replacements of functions count their calls */
	RAW_PROBE_BY_PROGRAM,	/* the program counts itself, and names the metrics at run time */
};

/* The members of struct perf_event_attr that select an event. */
struct raw_probe_perf {
	uint32_t type;
	uint64_t config, config1;
};

/* A kind of event, an entry of the table of events. */
struct raw_probe_kind {
	const char *name;
	/* .period: default period (0: count each event); .min, .max: limits of the period (.max
	 * 0: the event has no period) */
	uint64_t period, min, max;
	/* library that must be preloaded together with libopprobe.so for this event; NULL: no
	 * library */
	const char *library;
	/* names of the event's metrics, only for RAW_PROBE_BY_CALLS; any other event has one metric
	 * with the name of the event */
	const char *metrics[RAW_PROBE_METRICS + 1];
	enum raw_probe_by by;
	/* perf_event_attr of the event; only for RAW_PROBE_BY_PERF */
	struct raw_probe_perf perf;
};

/*
 * The drivers (sources of signals) for samples of CPU time; raw_probe_drivers[] contains their
 * names. RAW_PROBE_AUTO selects the first available driver in this order, but never the last
 * driver: its signals interrupt waiting threads, so the user must request it.
 */
enum raw_probe_driver {
	RAW_PROBE_AUTO,
	RAW_PROBE_PERF,
	RAW_PROBE_CPUTIME,
	RAW_PROBE_ITIMER,
	RAW_PROBE_MONOTONIC,
	RAW_PROBE_NR_DRIVERS
};

extern const char *const raw_probe_drivers[RAW_PROBE_NR_DRIVERS];

/* The processes to profile in addition to the first process. RAW_PROBE_FOLLOW_ALL: all descendants,
 * and the programs that they execute. */
enum raw_probe_follow {
	RAW_PROBE_FOLLOW_ALL,
	/* profile all descendants, until they execute another program */
	RAW_PROBE_FOLLOW_FORK,
	/* the programs that descendants execute, but not a child before it executes a program */
	RAW_PROBE_FOLLOW_EXEC,
	RAW_PROBE_FOLLOW_NONE,
	RAW_PROBE_NR_FOLLOW
};

extern const char *const raw_probe_follow[RAW_PROBE_NR_FOLLOW];

#define RAW_PROBE_UNSAFE	8	/* maximum number of names of unsafe code */
/* maximum size of a name of unsafe code in bytes, including the NUL */
#define RAW_PROBE_UNSAFE_NAME	256
/* The returns of functions that markers count. */
enum raw_probe_returns {
	RAW_PROBE_RETURNS_LAST,		/* the first return after each sample */
	RAW_PROBE_RETURNS_ALL,		/* each return of a marked frame */
	RAW_PROBE_RETURNS_OFF,
	RAW_PROBE_NR_RETURNS
};

extern const char *const raw_probe_returns[RAW_PROBE_NR_RETURNS];

#define RAW_PROBE_MAX_MEMORY	(1ULL << 32)

struct raw_probe_event {
	const struct raw_probe_kind *kind;
	uint64_t period;
	struct raw_probe_perf perf;
	/* name of the event; differs from .kind->name only for events of raw_probe_counter */
	char name[RAW_PROBE_NAME];
};

struct raw_probe_words {
	struct raw_probe_event events[RAW_PROBE_EVENTS];
	uint32_t nr_events;
	enum raw_probe_driver driver;
	/* errno of perf_event_open(2) if the driver perf could not be used because this call
	 * failed; otherwise 0 */
	uint32_t refused;
	enum raw_probe_follow follow;
	bool by_thread;			/* write a separate file for each thread */
	/* leaf nodes of call paths are functions, not addresses in functions */
	bool by_function;
	bool marks;			/* replace return addresses of frames by markers, to
					 * notice returns */
	enum raw_probe_returns returns;
	bool is_01_01;			/* write files of version 01.01; false: of version 01.00 */
	uint32_t nr_unsafe;
	/* names of functions and files in which no samples may be taken */
	char unsafe[RAW_PROBE_UNSAFE][RAW_PROBE_UNSAFE_NAME];
	/* name of a file in .dir. The file has a byte for each name in .unsafe: 1 if the program
	 * contains code of this name. "": no file */
	char unsafe_met[RAW_PROBE_NAME];
	uint64_t memory;	/* initial memory of each thread's arena in bytes; 0: the minimum */
	/* directory of the output files; NULL: the user has not specified it */
	const char *dir;
};

/* Prefix of the events that libvperf counts; raw_probe_vperf_name() returns the rest. */
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

/* Return whether one of the events needs a library with replaced functions, which must be
 * preloaded. */
static inline bool raw_probe_counts_calls(const struct raw_probe_words *words)
{
	for (uint32_t i = 0; i < words->nr_events; i++)
		if (words->events[i].kind->metrics[0])
			return true;
	return false;
}

/* Return entry @i of the table of events, or NULL if @i is too large. */
const struct raw_probe_kind *raw_probe_kind(size_t i);

/*
 * Set @parts to the events that must be sampled instead of @perf. Return their number, 1 or 2. The
 * event page-faults must be replaced, because a signal would undo the handling of the fault. The
 * kernel counts the event page-faults before it handles the fault. From Linux 6.12 on, a pending
 * signal aborts the handling of a fault in the vDSO's data; then the same instruction faults again,
 * forever. The kernel counts minor faults and major faults after it has handled them, and each
 * handled fault is one of the two. Other events have no such problem: emulation and alignment
 * faults are counted after the instruction has been emulated, and breakpoints, which have no name
 * here, resume after the handler.
 */
uint32_t raw_probe_perf_parts(const struct raw_probe_perf *perf, struct raw_probe_perf parts[2]);

/* The kind of all events of perf_events that the user specifies by numbers. Not an entry of the
 * table of events. */
extern const struct raw_probe_kind raw_probe_counter;
/* Set *@ret to an event of the kind raw_probe_counter. @name: the event's name, of @len bytes.
 * Return 0, -ENAMETOOLONG if the name is too long, or -ERANGE if the period is out of range. */
int raw_probe_counter_set(struct raw_probe_event *ret, const struct raw_probe_perf *perf,
			  uint64_t period, const char *name, size_t len);

/* Parse the first @len characters of @text: NAME[:PERIOD], or vperf:EVENT[:u][:PERIOD] with an
 * event of libvperf. Return 0; -ENOENT: unknown event; -ERANGE: the period is out of range;
 * -EINVAL: no name, or an event that would count outside of user mode; -ENAMETOOLONG. */
int raw_probe_event_parse(struct raw_probe_event *ret, const char *text, size_t len);

/* Add @event to the events of @words. Return 0, -EEXIST if @words has an event with this name, or
 * -E2BIG if there are too many events. */
int raw_probe_words_add(struct raw_probe_words *words, const struct raw_probe_event *event);

/* Parse the first @len characters of @text as the name of a driver. Return 0, or -ENOENT if the
 * name is unknown. */
int raw_probe_driver_parse(enum raw_probe_driver *ret, const char *text, size_t len);

/* Parse one word of $OPPROBE, except "output=". Return 0; -ENOENT: unknown key; other errors:
 * invalid value. */
int raw_probe_word(struct raw_probe_words *words, const char *word, size_t len);

/* Set *@ret to the event TIMER with @rate samples per second (1 to 100000). Return 0 or -ERANGE. */
int raw_probe_rate(struct raw_probe_event *ret, uint64_t rate);

/* Parse $OPPROBE, and insert its words before the words that @words already contains. If no event
 * was specified, add TIMER. Return 0, or -EINVAL with *@wrong set to the offset of the invalid
 * word. */
int raw_probe_words_parse(struct raw_probe_words *words, const char *text, size_t *wrong);

#endif
