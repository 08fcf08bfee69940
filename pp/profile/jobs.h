/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.h -- independent pieces of work on all CPUs, with results taken in order.
 */
#ifndef PP_PROFILE_JOBS_H
#define PP_PROFILE_JOBS_H

#include <stddef.h>

struct pp_jobs_ops {
	/* Do piece @i of the work. Several threads call this at once. Return 0 or an error. */
	int (*work)(void *arg, size_t i);
	/* Take the result of piece @i; may be NULL. Called for one piece at a time, in ascending
	 * order, up to the first piece that failed. */
	int (*take)(void *arg, size_t i);
};

/*
 * Do @nr pieces of work in up to @threads threads (0: one for each CPU), including the calling
 * thread. If threads cannot be started, use fewer. Return 0 or the error of the first piece that
 * failed; later pieces may not have been begun.
 */
int pp_jobs_run(size_t nr, unsigned int threads, const struct pp_jobs_ops *ops, void *arg);

#endif
