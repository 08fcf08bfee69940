/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_budget.h -- how much of what programs tell of their code is copied (not what is kept: a file may be written
 * again and again) and kept: limits for each user, and for all of them together.
 */
#ifndef OPD_JIT_BUDGET_H
#define OPD_JIT_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/id_ranges.h"

/* What may still be done: spent in bytes or the like, earned in time. */
struct opd_jit_budget {
	off_t left;
	uint64_t at_ms;
};

/* @max: more is not saved. */
void opd_jit_budget_earn(struct opd_jit_budget *b, uint64_t now_ms, off_t per_ms, off_t max);

struct opd_jit_user;

struct opd_jit_budgets {
	off_t kept;			/* bytes in this session */
	struct opd_jit_budget budget;
	struct opd_jit_user *users;
	size_t nr_users;
	struct op_id_ranges ranges;
};

/* Initialize @b. @subuid: see libop/base/id_ranges.h. Return 0 or a negative errno. */
int opd_jit_budgets_init(struct opd_jit_budgets *b, const char *subuid);
void opd_jit_budgets_release(struct opd_jit_budgets *b);

/* A new session: nothing is kept yet, but what was spent stays spent. */
void opd_jit_budgets_restart(struct opd_jit_budgets *b);

/* Nobody copies more than his share of time and disk, and all together no more than theirs. True: @size bytes of @uid
 * in the place of @before are paid for. */
bool opd_jit_budgets_afford(struct opd_jit_budgets *b, uid_t uid, off_t before, off_t size, uint64_t now_ms);
/* They are kept: so many @more. */
void opd_jit_budgets_keep(struct opd_jit_budgets *b, uid_t uid, off_t more, uint64_t now_ms);

#endif
