/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h -- limits of the daemon's work per second for users' processes. Each user has a share
 * (shares.h) of each budget, so that one user cannot exhaust the budget of all.
 */
#ifndef OPD_BUDGET_H
#define OPD_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/shares.h"

/* The limit of one kind of work per second. The caller sets .kind, .limit and .shares, and zeros
 * all other members. */
struct opd_budget {
	/* kind of work; must be unique among the budgets that use the same table of shares */
	enum opd_budget_kind kind;
	uint64_t limit;		   /* units of work allowed per second */
	struct opd_shares *shares; /* users' shares; NULL: no limit per user */

	uint64_t second; /* start of the current second, in ns */
	uint64_t spent;	 /* units of work charged in the current second */
	/* .share is valid: it is the share of process .tgid, looked up in the current second */
	bool has_share;
	int32_t tgid;
	struct opd_share *share;
};

/* Return true if the budget and the user's share allow more work for process @tgid. @time: time,
 * in ns, of the sample that needs the work. */
bool opd_budget_may(struct opd_budget *b, int32_t tgid, uint64_t time);

/* Subtract @amount units of work from the budget, and from the share of the process for which
 * opd_budget_may() was last called. */
void opd_budget_charge(struct opd_budget *b, uint64_t amount);

#endif
