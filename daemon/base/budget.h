/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h -- limits of the work that is done in a second for the processes of all users. Each user
 * has a share of it (shares.h), so that no user uses up the budget of the others.
 */
#ifndef OPD_BUDGET_H
#define OPD_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/shares.h"

/* Set .kind, .limit and .shares; all others begin with zeros. */
struct opd_budget {
	enum opd_budget_kind kind; /* one budget of each kind for a table of shares */
	uint64_t limit;		   /* units a second */
	struct opd_shares *shares; /* NULL: users have no shares */

	uint64_t second; /* when the second began, ns */
	uint64_t spent;	 /* units in this second */
	bool has_share;	 /* the share of process .tgid was found in this second: */
	int32_t tgid;
	struct opd_share *share;
};

/* Return whether work for process @tgid is within the budget at @time, that of a sample in ns. */
bool opd_budget_may(struct opd_budget *b, int32_t tgid, uint64_t time);

/* Charge @amount units of work to the process of the last opd_budget_may(). */
void opd_budget_charge(struct opd_budget *b, uint64_t amount);

#endif
