/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_budget.h -- limits of the copied and of the kept bytes of files about code made at run time,
 * for each user and for all users together. Copied bytes have their own limit, because a program
 * may rewrite a file again and again.
 */
#ifndef OPD_JIT_BUDGET_H
#define OPD_JIT_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/id_ranges.h"

/* A budget of bytes or other units: it grows with time and shrinks with use. */
struct opd_jit_budget {
	off_t left;
	uint64_t at_ms;
};

/* Add to the budget the units earned until @now_ms, up to the limit @max. */
void opd_jit_budget_earn(struct opd_jit_budget *b, uint64_t now_ms, off_t per_ms, off_t max);

struct opd_jit_user;

struct opd_jit_budgets {
	off_t kept;			/* number of bytes of all users that the session keeps */
	off_t max_kept;			/* limit of .kept; each user may use half of it */
	struct opd_jit_budget budget;
	struct opd_jit_user *users;
	size_t nr_users;
	struct op_id_ranges ranges;
};

/* Initialize @b. @subuid: see libop/base/id_ranges.h. Return 0 or a negative errno. */
int opd_jit_budgets_init(struct opd_jit_budgets *b, const char *subuid);
void opd_jit_budgets_release(struct opd_jit_budgets *b);

/* Let a session keep at most @bytes, if that is less than the limit of opd_jit_budgets_init(). */
void opd_jit_budgets_limit(struct opd_jit_budgets *b, uint64_t bytes);

/* Begin a new session: set the numbers of kept bytes and of noted processes to 0. Spent budgets
 * stay spent. */
void opd_jit_budgets_restart(struct opd_jit_budgets *b);

/* Return whether a copy of @size bytes of the user @uid, which replaces a copy of @before bytes, is
 * within the limits of this user and of all users together. If so, charge the copy. */
bool opd_jit_budgets_afford(struct opd_jit_budgets *b, uid_t uid, off_t before, off_t size,
			    uint64_t now_ms);
/* Add @more to the numbers of kept bytes of the user @uid and of all users. */
void opd_jit_budgets_keep(struct opd_jit_budgets *b, uid_t uid, off_t more, uint64_t now_ms);
/* Return whether one more process of the user @uid may be noted, if @left more processes may be
 * noted of all users together; if so, count it. Root has no limit (daemon/base/shares.h). */
bool opd_jit_budgets_note(struct opd_jit_budgets *b, uid_t uid, size_t left, uint64_t now_ms);

#endif
