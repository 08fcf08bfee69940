/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h -- totals that agree with the sample files, after the process that wrote a session was killed.
 */
#ifndef OP_SESSION_RECOVER_H
#define OP_SESSION_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/session/stats.h"

/* What the files of a samples directory hold. */
struct op_session_sums {
	uint64_t stored;	/* in sample files */
	uint64_t paths;		/* in trees of call paths */
	uint64_t unreadable;	/* sample files that cannot be read, and count nothing */
	bool has_paths;		/* call paths were taken */
};

/* Add up the sample files and the trees of a samples directory. 0 or negative errno. */
int op_session_sums_read(struct op_session_sums *ret, int samples_dirfd);

/*
 * Make @totals agree with @sum, the samples in the files: more were taken and stored after the totals were written, which
 * counter @more says; fewer are a loss, which counter @fewer says. 0 or -ENOMEM.
 */
int op_recover_stored(struct op_session_stats *totals, uint64_t sum, const char *more, const char *fewer);

/*
 * Make @totals agree with the trees: stored samples in no tree are "paths_lost", except those that were stored without
 * paths. @told: the samples that @totals had as stored before op_recover_stored(). 0 or -ENOMEM.
 */
int op_recover_paths(struct op_session_stats *totals, uint64_t told, const struct op_session_sums *sums);

/* What op_session_recover() did. */
struct op_session_recovered {
	struct op_session_writer writer;	/* that was killed; .pid 0: the totals were damaged */
	struct op_session_sums sums;
	uint64_t told;				/* samples that the totals had as stored */
};

/*
 * Make the totals of a session agree with its files, if its writer was killed or they are damaged, and remove the mark. @locked: the
 * caller holds the session's lock, so the writer has ended. Return 1 and fill *@ret if that was necessary, 0 if it was not,
 * -EBUSY if the writer may live, or another negative errno: then the session is as it was.
 */
int op_session_recover(int samples_dirfd, bool locked, struct op_session_recovered *ret);

#endif
