/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares.h -- shares of users in a session's frames, images and trees, in the time for making
 * tables, or in a budget (budget.h), so that no user takes everything.
 *
 * A user may take more while the user's amount is less than OPD_SHARE times the amount left: one
 * user alone gets three quarters, a second user three quarters of the rest, and so on. So the
 * number of users need not be known, and a part is left for each later user. Root has no limit, but
 * only for processes that root started.
 */
#ifndef OPD_SHARES_H
#define OPD_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#define OPD_SHARE	3

/* Kinds of budgets of a second (budget.h). */
enum opd_budget_kind {
	OPD_BUDGET_READS,	 /* pages of code read from processes */
	OPD_BUDGET_WORDS,	 /* instructions and words of processes that are looked at */
	OPD_BUDGET_OPENS,	 /* files opened to infer rules */
	OPD_BUDGET_INSTRUCTIONS, /* instructions of files decoded to infer rules */
	OPD_NR_BUDGETS
};

/* The amounts that one user has taken; the caller updates them. */
struct opd_share {
	uint64_t frames;		/* number of new frames in the session */
	uint64_t image_bytes;		/* bytes in the session's list of images */
	/* number of images added recently, and the time when it was last reduced */
	uint64_t images, images_ms;
	/* number of nodes in trees; computed anew by the function that needs it */
	uint64_t nodes;
	/* number of processes with made code, and bytes of their rows (made_tables.h) */
	uint64_t made_entries, made_bytes;
	/* number of jobs that wait in a queue of files (table_queue.h) */
	uint64_t jobs;
	/* CPU time that the jobs took and that was not given back yet; minimum of CPU time for the
	 * next job */
	double cpu_ms, least_ms;
	/* units of work in each budget in the current second */
	uint64_t spent[OPD_NR_BUDGETS];
	uint32_t uid;
};

struct opd_shares;

/* Create an empty table of shares. @proc_dir: "/proc". @subuid: the file of subordinate ids, by
 * which a user's ids count as one user (libop/base/id_ranges.h). Return NULL if memory is short. */
struct opd_shares *opd_shares_create(const char *proc_dir, const char *subuid);
void opd_shares_destroy(struct opd_shares *s);		/* @s may be NULL */

/*
 * Return the share of the user who started the process @tgid. If the process has ended, return the
 * share of the owner of its program's file (@owner as in libop/session/identity.h). If this owner
 * is root, whose programs all users run, return a share that all these processes have together.
 * @tgid 0: the kernel. The pointer is valid as long as @s. NULL: root, without a limit.
 */
struct opd_share *opd_shares_find(struct opd_shares *s, int32_t tgid, uint32_t owner);
/* Return the share of the user @uid; subordinate ids count as their owner. NULL: root. */
struct opd_share *opd_shares_of(struct opd_shares *s, uint32_t uid);
/* Call @visit for all shares, in no particular order. Root has no share. */
void opd_shares_for_each(struct opd_shares *s, void (*visit)(struct opd_share *share, void *arg),
			 void *arg);

/* Return whether a user who has taken the amount @taken may take one more unit, if the amount @left
 * is left. */
static inline bool opd_share_may(const struct opd_share *share, uint64_t taken, uint64_t left)
{
	return left && (!share || taken < OPD_SHARE * left);
}

#endif
