/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/users.h -- limits of objects, slots and ring pages for each user.
 *
 * perf does not charge users for counters that the kernel creates, and any user may open the
 * device, so this file charges users. Objects of child threads are charged to the user of their
 * parent's object.
 */
#ifndef VPERFCTR_USERS_H
#define VPERFCTR_USERS_H

#include <linux/types.h>

struct vperfctr_user;

enum vperfctr_resource {
	VPERFCTR_OBJECTS,
	VPERFCTR_SLOTS,
	VPERFCTR_RING_PAGES,
	VPERFCTR_NR_RESOURCES
};

/* Return the account of the caller's user, or NULL if memory is short. The caller must release
 * the reference. May sleep. */
struct vperfctr_user *vperfctr_user_get(void);
void vperfctr_user_put(struct vperfctr_user *user);

/* Charge @nr units of @good (objects, slots or ring pages) to @user, and take a reference to @user.
 * Return false if the limit would be exceeded. Any context except interrupts. */
bool vperfctr_charge(struct vperfctr_user *user, enum vperfctr_resource good, unsigned int nr);
void vperfctr_uncharge(struct vperfctr_user *user, enum vperfctr_resource good, unsigned int nr);

#endif
