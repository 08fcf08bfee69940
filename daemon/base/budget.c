// SPDX-License-Identifier: GPL-2.0-or-later
/* budget.c -- limits of the daemon's work per second for users' processes. */
#include "config.h"
#include "daemon/base/budget.h"

#define SECOND_NS 1000000000ull

static void forget_spent(struct opd_share *share, void *arg)
{
	const struct opd_budget *b = arg;

	share->spent[b->kind] = 0;
}

/* Start a new second of the budget if @time is at least a second after the start of the current
 * one. Ignore a @time before the current second: samples of different CPUs may arrive slightly out
 * of order. */
static void begin_second(struct opd_budget *b, uint64_t time)
{
	if (time < b->second || time - b->second < SECOND_NS)
		return;
	b->second = time;
	b->spent = 0;
	b->has_share = false;
	if (b->shares)
		opd_shares_for_each(b->shares, forget_spent, b);
}

bool opd_budget_may(struct opd_budget *b, int32_t tgid, uint64_t time)
{
	begin_second(b, time);
	if (b->spent >= b->limit)
		return false;
	if (!b->shares)
		return true;
	if (!b->has_share || b->tgid != tgid) {
		b->share = opd_shares_find(b->shares, tgid, 0);
		b->tgid = tgid;
		b->has_share = true;
	}
	return opd_share_may(b->share, b->share ? b->share->spent[b->kind] : 0,
			     b->limit - b->spent);
}

void opd_budget_charge(struct opd_budget *b, uint64_t amount)
{
	b->spent += amount;
	if (b->has_share && b->share)
		b->share->spent[b->kind] += amount;
}
