/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares.h -- each user's share of the daemon's limited resources: frames, images and trees of a
 * session, CPU time for making tables, and budgets (budget.h). No single user can exhaust them.
 *
 * A user may use one more unit of a resource while the user's amount is below OPD_SHARE times the
 * free amount. So a single user gets three quarters of the resource, a second user gets three
 * quarters of the rest, and so on. The number of users need not be known in advance, and each later
 * user still gets a part. Root has no limit for processes that root itself started.
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
	OPD_BUDGET_OPENS,	 /* unit: one file opened to derive unwind rules from its code */
	OPD_BUDGET_INSTRUCTIONS, /* unit: one instruction decoded to derive unwind rules */
	OPD_NR_BUDGETS
};

/* How much of each limited resource one user has used. The code that manages a resource updates the
 * amount. */
struct opd_share {
	/* number of frames that the user's processes added to the session's call paths */
	uint64_t frames;
	/* size in bytes of the user's images in the session's list of images */
	uint64_t image_bytes;
	/* .images: number of images that the user's processes added recently; this number decreases
	 * with time; .images_ms: time of the last decrease */
	uint64_t images, images_ms;
	/* number of nodes in the user's trees of call paths; recomputed before each use */
	uint64_t nodes;
	/* number of the user's processes with JIT code, and total size in bytes of their unwind
	 * tables (made_tables.h) */
	uint64_t made_entries, made_bytes;
	/* number of the user's files that wait until a worker makes their symbol or unwind tables
	 * (table_queue.h) */
	uint64_t jobs;
	/* .cpu_ms: CPU time used to make tables of the user's files, minus the CPU time that was
	 * credited to the user since then; .least_ms: the next job for the user starts only if it
	 * may use this much CPU time */
	double cpu_ms, least_ms;
	/* number of units of each budget per second (budget.h) that the user has spent in the
	 * current second */
	uint64_t spent[OPD_NR_BUDGETS];
	uint32_t uid;
};

struct opd_shares;

/*
 * Create an empty table of shares. @proc_dir: "/proc", or a test's directory. @subuid: the file
 * /etc/subuid; a user and the user's subordinate user ids count as one user
 * (libop/base/id_ranges.h). Return NULL if out of memory.
 */
struct opd_shares *opd_shares_create(const char *proc_dir, const char *subuid);
void opd_shares_destroy(struct opd_shares *s);		/* Free @s, which may be NULL. */

/*
 * Return the share of the user who started process @tgid. If the process has ended, return the
 * share of the owner of its program's file (@owner as in libop/session/identity.h), or the common
 * share if this owner is root, because any user may run root's programs. @tgid 0 means the kernel.
 * The result is valid as long as @s. NULL: the user is root, who has no limit.
 */
struct opd_share *opd_shares_find(struct opd_shares *s, int32_t tgid, uint32_t owner);
/* Return the share of user @uid, or NULL for root. A subordinate user id counts as the user who
 * owns it. */
struct opd_share *opd_shares_of(struct opd_shares *s, uint32_t uid);
/* Call @visit for the share of each user, in no particular order. Root has no share. */
void opd_shares_for_each(struct opd_shares *s, void (*visit)(struct opd_share *share, void *arg),
			 void *arg);

/* Return whether a user may get another unit of a resource. @taken: number of units that the user
 * holds. @left: number of free units. */
static inline bool opd_share_may(const struct opd_share *share, uint64_t taken, uint64_t left)
{
	return left && (!share || taken < OPD_SHARE * left);
}

#endif
