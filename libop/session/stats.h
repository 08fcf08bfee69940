/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h -- the accounting of a session's interrupts: a table of counters. The daemon writes the
 * counters to a file beside the sample files; reports and opcontrol --status read this file.
 *
 * After a shutdown or a dump the sum is exact: OP_STAT_TAKEN == OP_STAT_STORED + all counters of
 * kind OP_STAT_LOSS (+ OP_STAT_CONVERTED with IBS or wakers). Tests check this equation.
 *
 * The text file OP_STATS_FILE is replaced atomically. Its lines are: "check HASH", a hash of the
 * rest; "writer PID START NAMESPACE BOOT" while the daemon samples (writer.h); then "name value".
 * Readers keep counters with unknown names and print them unchanged, so that an old report can read
 * a new daemon's file.
 */
#ifndef OP_SESSION_STATS_H
#define OP_SESSION_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "libop/session/writer.h"

enum op_stat_kind {
	OP_STAT_TAKEN,	/* interrupts that should have become samples */
	OP_STAT_STORED,	/* counts that the daemon has added to sample files */
	/* interrupts that did not become samples; each counter of this kind counts one cause */
	OP_STAT_LOSS,
	/* interrupts in OP_STAT_TAKEN that became counts of other events (IBS), or samples of
	 * wakers, which are in files of their own */
	OP_STAT_CONVERTED,
	OP_STAT_INFO,	/* other useful numbers, which are not part of the sum */
	/* numbers of call paths, which are not part of the sum; only reports of call paths print
	 * them */
	OP_STAT_PATHS,
};

struct op_stat_desc {
	const char *name;
	enum op_stat_kind kind;
	const char *what;	/* description for users: "CPU buffer full" */
	const char *advice;	/* advice for users; NULL: no advice */
};

/* The table of all counters of the kernel module, the daemon and the probes, in
 * libop/session/stats.c. */
extern const struct op_stat_desc op_stat_descs[];
extern const size_t op_nr_stat_descs;

struct op_session_stats {
	struct op_stat_value {
		char *name;
		/* entry in the table of counters; NULL: the counter is not in the table */
		const struct op_stat_desc *desc;
		uint64_t value;
	} *values;
	size_t nr;
	/* process that may have stored more samples than the counters say, because it is running or
	 * was killed; .pid 0: the counters are final */
	struct op_session_writer writer;
};

/* Add @value to the counter @name, which need not be in the table of counters. A sum that does not
 * fit becomes UINT64_MAX. Return 0 or a negative errno. */
int op_session_stats_add(struct op_session_stats *s, const char *name, uint64_t value);
/* Add @value to the counter that has the name of @of, a counter of any session; add all counters of
 * @from, without its writer. Return 0 or -ENOMEM. */
int op_session_stats_add_same(struct op_session_stats *s, const struct op_stat_value *of,
			      uint64_t value);
int op_session_stats_add_all(struct op_session_stats *s, const struct op_session_stats *from);
/* Return the value of the counter that has the name of @of, or 0. */
uint64_t op_session_stats_same(const struct op_session_stats *s, const struct op_stat_value *of);
uint64_t op_session_stats_get(const struct op_session_stats *s, const char *name);
uint64_t op_session_stats_sum(const struct op_session_stats *s, enum op_stat_kind kind);

/*
 * The times for which an event was enabled and was counted, in ns, summed over CPUs. They are
 * stored as counters "enabled_ns:EVENT.COUNT.UM" and "running_ns:EVENT.COUNT.UM", with
 * EVENT.COUNT.UM as in the names of sample files. If an event was counted for a shorter time than
 * it was enabled, it shared a counter of the CPU with other events, and its counts are too low by
 * the ratio of the two times.
 */
enum op_event_time { OP_EVENT_ENABLED, OP_EVENT_RUNNING };
/* size of a buffer for the name of a counter with such a time */
#define OP_EVENT_TIME_NAME	200
int op_event_time_name(char *name, size_t size, enum op_event_time which, const char *event,
		       uint64_t count, uint32_t um);
/* Set *@enabled and *@running to the times of the event. Return 0, or -ENOENT if the session has
 * not stored times for the event, because it was counted all the time. */
int op_session_stats_event_time(const struct op_session_stats *s, const char *event, uint64_t count,
				uint32_t um, uint64_t *enabled, uint64_t *running);

/*
 * Write the counters to a samples directory (DIR/samples/current); create stats/ if it is missing.
 * The function does not wait for the disk: until a syncfs(), a power failure may leave the file
 * empty. On a full disk, the first write fails; a later write fails only if it needs more blocks
 * than the previous one. Return 0 or a negative errno.
 */
int op_session_stats_write(const struct op_session_stats *s, int samples_dirfd);
/* Read the counters of a session into a zeroed struct, but ignore invalid lines. Return 0, a
 * negative errno, or OP_ERR_DAMAGED if the hash in the file does not match. */
int op_session_stats_read(struct op_session_stats *s, int samples_dirfd);
/* Parse @text, the contents of the counters' file, into a zeroed struct. @text is modified. Return
 * 0 or -ENOMEM. Declared for tests. */
int op_session_stats_parse(struct op_session_stats *s, char *text);
void op_session_stats_release(struct op_session_stats *s);

#endif
