/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intervals.h -- closes the current session at the end of each interval (--interval), and has
 * closed sessions packed, and old intervals merged and deleted (interval_work.h).
 *
 * A closed session waits in the store until a process of its own (opintervals) has packed it, so
 * the daemon's loop only renames and deletes. At any moment a sample is in one place: in
 * samples/current, in a closed session, or in an interval file.
 */
#ifndef OPD_INTERVALS_H
#define OPD_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/disk.h"
#include "daemon/base/retries.h"
#include "intervals/age.h"
#include "intervals/store.h"
#include "libop/base/reason.h"

/* The current session may grow by this share of --max-disk, then its interval is closed early. */
#define OPD_INTERVALS_GROWTH	8

struct opd_parts;

/* A struct opd_intervals of zeros makes no intervals. */
struct opd_intervals {
	struct opd_parts *parts;	/* borrowed */
	int64_t interval;		/* length of an interval in seconds; 0: no intervals */
	int64_t since;			/* .interval has this value since, in seconds since 1970 */
	int64_t keep;			/* seconds */
	uint64_t max_disk;		/* limit of the session directory's size in bytes */
	struct opd_disk disk;		/* keeps the session directory within .max_disk */
	int store_fd;
	/* path of the program opintervals; NULL: closed sessions are not packed */
	char *program;
	/* the beginning of the current interval: seconds since 1970, and ms of a clock that counts
	 * while the machine is suspended */
	int64_t begin;
	uint64_t begin_ms;
	int64_t next;			/* time at which the interval ends, in seconds since 1970 */
	uint64_t suspended_ms;		/* how long the machine was suspended since it booted */
	int64_t paused_ns;		/* sampling is stopped since this time; 0: it runs */
	/* bytes of the current session when the interval began, and the time (op_now_ms()) of the
	 * next look at the disk */
	uint64_t first_bytes, look_ms;
	bool is_looking;		/* the look waits for a count */
	/* clock from which the ages of closed intervals are computed */
	struct itv_age age;
	/* do not try to close the interval again before this time (op_now_ms()) */
	uint64_t retry_close_ms;

	/* for interval_work.c: */
	/* id of the child process that packs or merges; 0: no child */
	pid_t child;
	/* the session that the process packs, or the intervals that it merges; malloc'd */
	struct itv_entry *tried;
	size_t nr_tried;
	/* sessions and intervals that the child process could not process */
	struct opd_retries retries;
	/* bytes of the sessions that were closed since no session waited, at their last count */
	uint64_t closed_bytes;
	/* time before which no child process is started, in ms of op_now_ms() */
	uint64_t retry_ms;
	unsigned int failures;		/* number of successive failures of the child process */
	/* number of successive times that opintervals waited for a deletion under way */
	unsigned int nr_looks;
	bool is_short;			/* the last process had not enough room on the disk */
	/* the last process could not make the intervals of the last day smaller */
	bool is_stuck;
	bool has_tables;		/* opintervals has kept the tables of all intervals */
	/* opintervals has kept the tables of closed sessions that ended up to this time, as far as
	 * they were made: seconds since 1970 */
	int64_t tables_end;
	/* a failed deletion was logged, and no deletion has succeeded since */
	bool has_warned;
	bool idle;			/* there was nothing to do at the last look */
	uint64_t wake_ms;		/* while .idle: the next try of an entry that has failed */
};

/*
 * Open the store of the session in @parts, which must be locked, and close the session that an
 * earlier daemon left. Does nothing if the configuration has no intervals. Return 0, or a negative
 * errno with a sentence in @error: -ENOSPC if other files, such as saved sessions, take so much of
 * --max-disk that no interval fits. The caller releases @i in all cases.
 */
int opd_intervals_open(struct opd_intervals *i, struct opd_parts *parts, struct op_reason *error);
void opd_intervals_release(struct opd_intervals *i);

/* Return how much the current session had grown at the last count, in bytes. */
uint64_t opd_intervals_grown(const struct opd_intervals *i);

/* Note in the current session that a time has no samples, because of @reason, a text without an end
 * of line. Short times are not noted. */
void opd_intervals_note_gap(struct opd_intervals *i, int64_t from_ns, int64_t to_ns,
			    const char *reason);
/* Note that the current session has lost the samples since the beginning of the interval. @reason:
 * text without an end of line. */
void opd_intervals_note_lost(struct opd_intervals *i, const char *reason);

/* Change the length of intervals, the current one included, and the age of deletion. The session
 * must have intervals. */
void opd_intervals_set_interval(struct opd_intervals *i, int64_t seconds);
void opd_intervals_set_keep(struct opd_intervals *i, int64_t seconds);

/* Return the time (of op_now_ms()) at which opd_intervals_turn() must be called; UINT64_MAX: it
 * need not be called. */
uint64_t opd_intervals_due(const struct opd_intervals *i);
/* Close the interval if its time has come, and start or finish the work on closed intervals. */
void opd_intervals_turn(struct opd_intervals *i);

#endif
