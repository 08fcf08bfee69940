/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h -- budgets of the daemon's work per second for the processes of all users. Each user has
 * a share (shares.h) of a budget, so that no user can use it up for the others.
 */
#ifndef OPD_BUDGET_H
#define OPD_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/shares.h"

/* A budget. The caller sets .kind, .limit and .shares; all other members begin with zeros. */
struct opd_budget {
	/* kind of work; budgets that use the same table of shares must have different kinds */
	enum opd_budget_kind kind;
	uint64_t limit;		   /* number of units of work that are allowed in each second */
	struct opd_shares *shares; /* table of users' shares; NULL: users have no shares */

	uint64_t second; /* start of the current second, in ns */
	uint64_t spent;	 /* units of work that were charged in the current second */
	bool has_share;	 /* .share was found in the current second, for the process .tgid */
	int32_t tgid;
	struct opd_share *share;
};

/* Return whether work for process @tgid is within the budget. @time: time of the sample that needs
 * the work, in ns. */
bool opd_budget_may(struct opd_budget *b, int32_t tgid, uint64_t time);

/* Charge @amount units of work to the process for which opd_budget_may() was last called. */
void opd_budget_charge(struct opd_budget *b, uint64_t amount);

#endif
