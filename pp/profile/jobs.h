/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.h -- independent pieces of work on all CPUs, whose results are collected in order.
 */
#ifndef PP_PROFILE_JOBS_H
#define PP_PROFILE_JOBS_H

#include <stddef.h>

struct pp_jobs_ops {
	/* Do piece @i of the work. Called by several threads at once. Return 0 or an error. */
	int (*work)(void *arg, size_t i);
	/* Collect the result of piece @i. Called by one thread at a time, in ascending order of @i,
	 * until a piece has failed. Return 0 or an error. May be NULL. */
	int (*take)(void *arg, size_t i);
};

/*
 * Do @nr pieces of work in at most @threads threads (0: one for each CPU), including the calling
 * thread. If a thread cannot be started, continue with fewer. Return 0, or the error of the first
 * piece that failed; later pieces may not have been started.
 */
int pp_jobs_run(size_t nr, unsigned int threads, const struct pp_jobs_ops *ops, void *arg);

#endif
