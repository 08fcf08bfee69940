/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.h -- independent work items, processed by threads on all CPUs. The results are collected in
 * the order of the items.
 */
#ifndef PP_PROFILE_JOBS_H
#define PP_PROFILE_JOBS_H

#include <stddef.h>

struct pp_jobs_ops {
	/* Process work item @i. Called by several threads at once. Return 0 or an error. */
	int (*work)(void *arg, size_t i);
	/* Collect the result of work item @i. Called by one thread at a time, in ascending order of
	 * @i, until an item has failed. Return 0 or an error. May be NULL. */
	int (*take)(void *arg, size_t i);
};

/*
 * Process @nr work items in at most @threads threads (0: one for each CPU), including the calling
 * thread. If a thread cannot be started, continue with fewer threads. Return 0, or the error of the
 * first item that failed. Items after the failed item may not have been started.
 */
int pp_jobs_run(size_t nr, unsigned int threads, const struct pp_jobs_ops *ops, void *arg);

#endif
