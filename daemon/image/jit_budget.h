/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_budget.h -- limits of the bytes of JIT files that are copied and stored, for each user and
 * for all users together. Copied bytes have a limit of their own, because a program may rewrite a
 * file again and again.
 */
#ifndef OPD_JIT_BUDGET_H
#define OPD_JIT_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/id_ranges.h"

/* A budget of units, such as bytes: it grows with time, and each use of a unit decreases it. */
struct opd_jit_budget {
	off_t left;
	uint64_t at_ms;
};

/* Add the units for the time since the last call to the budget, @per_ms per millisecond, up to @max
 * units in total. */
void opd_jit_budget_earn(struct opd_jit_budget *b, uint64_t now_ms, off_t per_ms, off_t max);

struct opd_jit_user;

struct opd_jit_budgets {
	/* size in bytes of all users' JIT files that the session stores */
	off_t kept;
	off_t max_kept;			/* limit of .kept; each user may use half of it */
	struct opd_jit_budget budget;
	struct opd_jit_user *users;
	size_t nr_users;
	struct op_id_ranges ranges;
};

/* Initialize @b. @subuid: see libop/base/id_ranges.h. Return 0 or a negative errno. */
int opd_jit_budgets_init(struct opd_jit_budgets *b, const char *subuid);
void opd_jit_budgets_release(struct opd_jit_budgets *b);

/* Limit the bytes of JIT files that a session stores to @bytes, if @bytes is less than the default
 * limit. */
void opd_jit_budgets_limit(struct opd_jit_budgets *b, uint64_t bytes);

/* Reset @b for a new session, which has no stored bytes and no processes. The budgets of copied
 * bytes do not change. */
void opd_jit_budgets_restart(struct opd_jit_budgets *b);

/* Return true if user @uid may copy a JIT file of @size bytes that replaces a copy of @before
 * bytes. If so, subtract @size bytes from the budgets of copied bytes of this user and of all
 * users. */
bool opd_jit_budgets_afford(struct opd_jit_budgets *b, uid_t uid, off_t before, off_t size,
			    uint64_t now_ms);
/* Add @more, which may be negative, to the number of stored bytes of user @uid and of all users. */
void opd_jit_budgets_keep(struct opd_jit_budgets *b, uid_t uid, off_t more, uint64_t now_ms);
/*
 * Return true if user @uid may have one more recorded process with JIT code, and count this
 * process. @left: number of processes that may still be recorded for all users together. Root has
 * no limit of its own (daemon/base/shares.h).
 */
bool opd_jit_budgets_note(struct opd_jit_budgets *b, uid_t uid, size_t left, uint64_t now_ms);

#endif
