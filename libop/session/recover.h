/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recover.h -- correction of a session's totals (stats.h) by its sample files, after the process
 * that wrote the session was killed. */
#ifndef OP_SESSION_RECOVER_H
#define OP_SESSION_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/session/stats.h"

/* Sums of the files of a samples directory. */
struct op_session_sums {
	uint64_t stored;	/* number of samples in sample files */
	uint64_t paths;		/* number of samples in trees of call paths */
	uint64_t unreadable;	/* number of sample files that cannot be read */
	bool has_paths;		/* the session has call paths */
};

/* Add up the sample files and the trees of a samples directory. Return 0 or a negative errno. */
int op_session_sums_read(struct op_session_sums *ret, int samples_dirfd);

/*
 * Correct @totals by @sum, the number of samples in the files. If the files have more samples than
 * the totals, because they were stored later, add the difference to the counter @more. If samples
 * are missing in the files, add their number to the counter @fewer, which is a loss. Return 0 or
 * -ENOMEM.
 */
int op_recover_stored(struct op_session_stats *totals, uint64_t sum, const char *more,
		      const char *fewer);

/*
 * Correct @totals by the trees: stored samples that are missing in the trees become "paths_lost",
 * except samples that were stored without paths. @stored_before: the stored samples in @totals
 * before op_recover_stored(). Return 0 or -ENOMEM.
 */
int op_recover_paths(struct op_session_stats *totals, uint64_t stored_before,
		     const struct op_session_sums *sums);

/* The results of op_session_recover(). */
struct op_session_recovered {
	/* the daemon that was killed; .pid 0: the totals were damaged */
	struct op_session_writer writer;
	struct op_session_sums sums;
	/* number of stored samples in the totals before the correction */
	uint64_t stored_before;
};

/*
 * If a session's writer was killed, or the session's totals are damaged, correct the totals by the
 * sample files, and remove the writer's mark (writer.h). @locked: the caller holds the session's
 * lock, so the writer has ended. Return 1 and set *@ret if the totals were corrected, 0 if they
 * needed no correction, -EBUSY if the writer may be alive, or another negative errno. On errors the
 * session is unchanged.
 */
int op_session_recover(int samples_dirfd, bool locked, struct op_session_recovered *ret);

#endif
