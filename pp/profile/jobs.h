/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.h -- independent pieces of work on all CPUs, their results taken in order.
 */
#ifndef PP_PROFILE_JOBS_H
#define PP_PROFILE_JOBS_H

#include <stddef.h>

struct pp_jobs_ops {
	/* Piece @i of the work; several at once, each by one thread. 0 or an error. */
	int (*work)(void *arg, size_t i);
	/* Takes the result of piece @i: pieces in ascending order, one at a time. Not called for
	 * those that failed, nor after one of them. */
	int (*take)(void *arg, size_t i);
};

/*
 * All of @nr pieces by up to @threads threads (0: one for each CPU), this one among them. The first
 * error in the order of the pieces; later ones may then not have been begun. Threads that cannot
 * be had are done without.
 */
int pp_jobs_run(size_t nr, unsigned int threads, const struct pp_jobs_ops *ops, void *arg);

#endif
