/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/users.h -- what each user has of us, and may have.
 *
 * perf charges nobody for its counters, and everybody may open the device: so all that a user has is counted here.
 * Copies are charged to the user of what they are copied from, whoever runs them.
 */
#ifndef VPERFCTR_USERS_H
#define VPERFCTR_USERS_H

#include <linux/types.h>

struct vperfctr_user;

enum vperfctr_good { VPERFCTR_OBJECTS, VPERFCTR_SLOTS, VPERFCTR_RING_PAGES, VPERFCTR_GOODS };

/* The account of the caller's user, with a reference for the caller; NULL: no memory. May sleep. */
struct vperfctr_user *vperfctr_user_get(void);
void vperfctr_user_put(struct vperfctr_user *user);

/* Takes @nr of a good, with a reference to @user; false: that is more than may be. In any context but an interrupt's. */
bool vperfctr_charge(struct vperfctr_user *user, enum vperfctr_good good, unsigned int nr);
void vperfctr_uncharge(struct vperfctr_user *user, enum vperfctr_good good, unsigned int nr);

#endif
