/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intervals.h -- closes the current session at the end of each interval (--interval). Closed
 * sessions are then packed, and old intervals merged and deleted (interval_work.h).
 *
 * A closed session waits in the directory of intervals until a child process (opintervals) has
 * packed it, so the daemon itself only renames and deletes. At any moment each sample is in
 * exactly one place: in samples/current, in a closed session, or in an interval file.
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

/* The interval ends early when the current session has grown by 1/OPD_INTERVALS_GROWTH of
 * --max-disk. */
#define OPD_INTERVALS_GROWTH	8

struct opd_parts;

/* The state of the current interval, and of the maintenance of closed intervals. In a zeroed
 * struct, the daemon divides no session into intervals. */
struct opd_intervals {
	struct opd_parts *parts;	/* the parts of the daemon; borrowed */
	int64_t interval;		/* length of an interval in seconds; 0: no intervals */
	/* time since which .interval has this value, in seconds since 1970 */
	int64_t since;
	int64_t keep;			/* age in seconds at which closed intervals are deleted */
	uint64_t max_disk;		/* maximum size of the session directory in bytes */
	struct opd_disk disk;		/* state of the enforcement of .max_disk */
	int store_fd;
	/* path of opintervals; NULL: not installed */
	char *program;
	/* start of the current interval: .begin in seconds since 1970, .begin_ms in ms of
	 * CLOCK_BOOTTIME */
	int64_t begin;
	uint64_t begin_ms;
	int64_t next;			/* end of the current interval, in seconds since 1970 */
	/* total time for which the machine was suspended since boot, as measured by the last check
	 * for gaps */
	uint64_t suspended_ms;
	int64_t paused_ns;		/* time since which sampling is stopped; 0: sampling runs */
	/* .first_bytes: size of the current session when the interval began; .look_ms: time
	 * (op_now_ms()) of the next count of the file sizes */
	uint64_t first_bytes, look_ms;
	bool is_looking;		/* the daemon is waiting for a count of the file sizes */
	/* clock for the ages of closed intervals */
	struct itv_age age;
	/* if closing the interval failed: time (op_now_ms()) of the next attempt */
	uint64_t retry_close_ms;

	/* The members below are for interval_work.c. */
	/* child process that packs or merges; 0: not running */
	pid_t child;
	/* session or intervals that the child process works on; allocated array */
	struct itv_entry *tried;
	size_t nr_tried;
	/* sessions and intervals on which the child process failed */
	struct opd_retries retries;
	/* size of the closed sessions that wait for packing, at the last count of the file sizes */
	uint64_t closed_bytes;
	/* no child process is started before this time (op_now_ms()) */
	uint64_t retry_ms;
	unsigned int failures;		/* number of successive failures of the child process */
	/* number of successive checks that found a deletion still in progress */
	unsigned int nr_looks;
	bool is_short;			/* the last child process did not have enough disk space */
	/* the last child process could not shrink the intervals of the last day */
	bool is_stuck;
	bool has_tables;		/* the symbol tables of all intervals are stored */
	/* the symbol tables for closed sessions that ended up to this time are stored, if they are
	 * available; seconds since 1970 */
	int64_t tables_end;
	/* .has_warned_old: a failed deletion of an old interval was logged, and no such deletion
	 * has succeeded since; .has_warned_replaced: the same for interval files and sessions whose
	 * samples another interval file contains */
	bool has_warned_old, has_warned_replaced;
	bool idle;			/* the maintenance of closed intervals has no work now */
	/* if .idle: time of the next attempt to process an interval or session that failed */
	uint64_t wake_ms;
};

/*
 * Open the directory of intervals of the session in @parts, which must be locked, and close the
 * session that an earlier daemon left. Do nothing if no interval is configured. Return 0, or a
 * negative errno with a message in @error; -ENOSPC: other files, such as saved sessions, take so
 * much of --max-disk that no interval fits. The caller releases @i in all cases.
 */
int opd_intervals_open(struct opd_intervals *i, struct opd_parts *parts, struct op_reason *error);
void opd_intervals_release(struct opd_intervals *i);

/* Return by how many bytes the current session had grown at the last count of the file sizes. */
uint64_t opd_intervals_grown(const struct opd_intervals *i);

/* Record in the current session that the time from @from_ns to @to_ns has no samples. @reason: text
 * without a newline. Short times are not recorded. */
void opd_intervals_note_gap(struct opd_intervals *i, int64_t from_ns, int64_t to_ns,
			    const char *reason);
/* Record in the current session that samples taken since the start of the interval were lost.
 * @reason: text without a newline. */
void opd_intervals_note_lost(struct opd_intervals *i, const char *reason);

/* Change the length of the current and later intervals. The session must have intervals. */
void opd_intervals_set_interval(struct opd_intervals *i, int64_t seconds);
/* Change the age at which intervals are deleted. The session must have intervals. */
void opd_intervals_set_keep(struct opd_intervals *i, int64_t seconds);

/* Return the time (op_now_ms()) at which opd_intervals_turn() must be called; UINT64_MAX: no call
 * is needed. */
uint64_t opd_intervals_due(const struct opd_intervals *i);
/* Close the interval if its end has come, and continue the maintenance of closed intervals. */
void opd_intervals_turn(struct opd_intervals *i);

#endif
