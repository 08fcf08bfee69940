// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_budget.c -- limits of the number of bytes of JIT files that are copied per second, and stored
 * in a session. */
#include "config.h"
#include "daemon/image/jit_budget.h"

#include <stdlib.h>

#include "daemon/base/shares.h"
#include "libop/base/grow.h"

/* default limit of the bytes of JIT files that a session stores */
#define MAX_KEPT	(256ll << 20)
#define MAX_BUDGET	(128ll << 20)
#define MAX_BUDGET_USER	(64ll << 20)
/* number of bytes of JIT files that may be copied per millisecond, for all users together */
#define BUDGET_MS	2048
#define BUDGET_USER_MS	1024

struct opd_jit_user {
	uid_t uid;
	off_t kept;		/* size in bytes of this user's JIT files that the session stores */
	uint64_t processes;	/* number of this user's processes with JIT code in the session */
	struct opd_jit_budget budget;
};

int opd_jit_budgets_init(struct opd_jit_budgets *b, const char *subuid)
{
	*b = (struct opd_jit_budgets){ .max_kept = MAX_KEPT, .budget.left = MAX_BUDGET };
	return op_id_ranges_read(&b->ranges, subuid);
}

void opd_jit_budgets_release(struct opd_jit_budgets *b)
{
	free(b->users);
	op_id_ranges_release(&b->ranges);
}

void opd_jit_budgets_limit(struct opd_jit_budgets *b, uint64_t bytes)
{
	if (bytes < (uint64_t)b->max_kept)
		b->max_kept = (off_t)bytes;
}

void opd_jit_budgets_restart(struct opd_jit_budgets *b)
{
	b->kept = 0;
	for (size_t i = 0; i < b->nr_users; i++) {
		b->users[i].kept = 0;
		b->users[i].processes = 0;
	}
}

/* Return the entry of user @uid; add the entry if it is missing. Return NULL if memory is short. */
static struct opd_jit_user *find_user(struct opd_jit_budgets *b, uid_t uid, uint64_t now_ms)
{
	uid = op_id_ranges_payer(&b->ranges, uid);
	for (size_t i = 0; i < b->nr_users; i++)
		if (b->users[i].uid == uid)
			return &b->users[i];
	if (op_grow(&b->users, b->nr_users))
		return NULL;
	b->users[b->nr_users] = (struct opd_jit_user){
		.uid = uid, .budget = { MAX_BUDGET_USER, now_ms },
	};
	return &b->users[b->nr_users++];
}

void opd_jit_budget_earn(struct opd_jit_budget *b, uint64_t now_ms, off_t per_ms, off_t max)
{
	uint64_t ms = now_ms - b->at_ms;

	b->at_ms = now_ms;
	b->left = ms >= (uint64_t)(max / per_ms) || b->left + (off_t)ms * per_ms > max ? max :
		b->left + (off_t)ms * per_ms;
}

bool opd_jit_budgets_afford(struct opd_jit_budgets *b, uid_t uid, off_t before, off_t size,
			    uint64_t now_ms)
{
	struct opd_jit_user *user = find_user(b, uid, now_ms);
	off_t more = size - before;

	if (!user)
		return false;
	opd_jit_budget_earn(&b->budget, now_ms, BUDGET_MS, MAX_BUDGET);
	opd_jit_budget_earn(&user->budget, now_ms, BUDGET_USER_MS, MAX_BUDGET_USER);
	if (size > b->budget.left || size > user->budget.left || b->kept + more > b->max_kept ||
	    user->kept + more > b->max_kept / 2)
		return false;
	b->budget.left -= size;
	user->budget.left -= size;
	return true;
}

void opd_jit_budgets_keep(struct opd_jit_budgets *b, uid_t uid, off_t more, uint64_t now_ms)
{
	struct opd_jit_user *user = find_user(b, uid, now_ms);

	b->kept += more;
	if (user)
		user->kept += more;
}

bool opd_jit_budgets_note(struct opd_jit_budgets *b, uid_t uid, size_t left, uint64_t now_ms)
{
	struct opd_jit_user *user = find_user(b, uid, now_ms);

	if (!user || !left || (user->uid && user->processes >= OPD_SHARE * left))
		return false;
	user->processes++;
	return true;
}
