/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recover.h -- correction of a session's totals (stats.h) by its sample files, after the process
 * that wrote the session was killed. */
#ifndef OP_SESSION_RECOVER_H
#define OP_SESSION_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/session/stats.h"

/* Numbers of samples in the files of a samples directory. */
struct op_session_sums {
	uint64_t stored;	/* number of samples in sample files */
	uint64_t paths;		/* number of samples in trees of call paths */
	uint64_t unreadable;	/* number of sample files that cannot be read */
	bool has_paths;		/* the session contains trees of call paths */
};

/* Add up the samples in all sample files and trees of a samples directory. Return 0 or a negative
 * errno. */
int op_session_sums_read(struct op_session_sums *ret, int samples_dirfd);

/*
 * Correct @totals by @sum, the number of samples in the sample files. If the files contain more
 * samples than @totals says, because samples were stored later, add the difference to the counter
 * @more. If they contain fewer samples, add the difference to the counter @fewer, which counts a
 * loss. Return 0 or -ENOMEM.
 */
int op_recover_stored(struct op_session_stats *totals, uint64_t sum, const char *more,
		      const char *fewer);

/* Correct the number of samples of wakers in @totals by @sum, the number in the files, like
 * op_recover_stored(). Return 0 or -ENOMEM. */
int op_recover_wakers(struct op_session_stats *totals, uint64_t sum, const char *more,
		      const char *fewer);

/*
 * Correct @totals by the trees of call paths. Count a stored sample that is missing in the trees as
 * "paths_lost", unless it was stored without a path. @stored_before: number of stored samples in
 * @totals before op_recover_stored(). Return 0 or -ENOMEM.
 */
int op_recover_paths(struct op_session_stats *totals, uint64_t stored_before,
		     const struct op_session_sums *sums);

/* The result of op_session_recover(), if it has corrected the totals. */
struct op_session_recovered {
	/* the daemon that was killed; .pid 0: no daemon was killed, but the totals were damaged */
	struct op_session_writer writer;
	struct op_session_sums sums;
	/* number of stored samples in the totals before the correction */
	uint64_t stored_before;
};

/*
 * If a session's writer was killed, or the session's totals are damaged, correct the totals by the
 * sample files, and remove the writer's mark from the totals (writer.h). @locked: the caller holds
 * the session's lock, so the writer has ended. Return 1 and set *@ret if the totals were corrected,
 * 0 if they needed no correction, -EBUSY if the writer may be alive, or another negative errno. On
 * errors the session is unchanged.
 */
int op_session_recover(int samples_dirfd, bool locked, struct op_session_recovered *ret);

#endif
