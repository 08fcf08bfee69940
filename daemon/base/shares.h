/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares.h -- each user's share of the daemon's limited resources: a session's frames, images and
 * trees, CPU time for making tables, and budgets (budget.h). Shares prevent that one user takes
 * everything.
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

/* Kinds of work that have a budget per second (budget.h). */
enum opd_budget_kind {
	OPD_BUDGET_READS,	 /* unit: one page of code read from a process */
	OPD_BUDGET_WORDS,	 /* unit: one instruction or word of a process examined */
	OPD_BUDGET_OPENS,	 /* unit: one file opened to infer unwind rules */
	OPD_BUDGET_INSTRUCTIONS, /* unit: one instruction decoded to infer unwind rules */
	OPD_NR_BUDGETS
};

/* The amounts that one user has taken. The functions that hand out a resource update them. */
struct opd_share {
	/* number of frames that the user's processes added to the session */
	uint64_t frames;
	/* size of the user's images in the session's list of images, in bytes */
	uint64_t image_bytes;
	/* .images: number of images added recently, which is reduced as time passes; .images_ms:
	 * time of the last reduction */
	uint64_t images, images_ms;
	/* number of nodes in the user's trees of call paths; the function that needs the number
	 * computes it anew */
	uint64_t nodes;
	/* number of processes with JIT code, and size of the unwind tables of their code in bytes
	 * (made_tables.h) */
	uint64_t made_entries, made_bytes;
	/* number of jobs that wait in a queue of files (table_queue.h) */
	uint64_t jobs;
	/* .cpu_ms: CPU time that the user's jobs took, minus the CPU time earned since; .least_ms:
	 * CPU time that the next job is expected to take at least */
	double cpu_ms, least_ms;
	/* number of units that the user has spent of each budget in the current second */
	uint64_t spent[OPD_NR_BUDGETS];
	uint32_t uid;
};

struct opd_shares;

/* Create an empty table of shares. @proc_dir: "/proc". @subuid: the file of subordinate user ids; a
 * user and the user's subordinate ids count as one user (libop/base/id_ranges.h). Return NULL if
 * memory is short. */
struct opd_shares *opd_shares_create(const char *proc_dir, const char *subuid);
void opd_shares_destroy(struct opd_shares *s);		/* @s may be NULL */

/*
 * Return the share of the user who started the process @tgid. If the process has ended, return the
 * share of the owner of its program's file (@owner as in libop/session/identity.h). If this owner
 * is root, whose programs all users run, return one common share for all these processes. @tgid 0
 * stands for the kernel. The pointer is valid as long as @s. NULL: the user is root and has no
 * limit.
 */
struct opd_share *opd_shares_find(struct opd_shares *s, int32_t tgid, uint32_t owner);
/* Return the share of the user @uid, or NULL if the user is root. A subordinate user id counts as
 * the user who owns it. */
struct opd_share *opd_shares_of(struct opd_shares *s, uint32_t uid);
/* Call @visit for the share of each user, in no particular order. Root has no share. */
void opd_shares_for_each(struct opd_shares *s, void (*visit)(struct opd_share *share, void *arg),
			 void *arg);

/* Return whether a user who has taken the amount @taken of a resource may take one more unit, if
 * the amount @left is left. */
static inline bool opd_share_may(const struct opd_share *share, uint64_t taken, uint64_t left)
{
	return left && (!share || taken < OPD_SHARE * left);
}

#endif
