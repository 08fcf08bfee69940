// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/users.c -- limits of objects, slots and ring pages for each user.
 */
#include "vperfctr/users.h"

#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/moduleparam.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "payer.h"

/* Default limits for each user; module parameters can change them. */
static unsigned int limits[VPERFCTR_NR_RESOURCES] = {
	[VPERFCTR_OBJECTS] = 8192,
	[VPERFCTR_SLOTS] = 16384,
	[VPERFCTR_RING_PAGES] = 16384,
};
module_param_named(max_objects, limits[VPERFCTR_OBJECTS], uint, 0644);
MODULE_PARM_DESC(max_objects, "maximum number of objects of a user (default 8192)");
module_param_named(max_slots, limits[VPERFCTR_SLOTS], uint, 0644);
MODULE_PARM_DESC(max_slots, "maximum number of slots in all objects of a user (default 16384); "
			    "each takes some 1.5 kB of kernel memory");
module_param_named(max_ring_pages, limits[VPERFCTR_RING_PAGES], uint, 0644);
MODULE_PARM_DESC(max_ring_pages, "maximum number of pages in all rings of a user (default 16384)");

struct vperfctr_user {
	struct hlist_node node;	/* node in the table of users; protected by users_lock */
	/* the payer (payer.h): a user, or a whole range of user ids */
	u64 payer;
	/* reference count. The last reference is dropped under users_lock, so a user that is found
	 * in the table under this lock has at least one reference */
	refcount_t ref;
	atomic_t has[VPERFCTR_NR_RESOURCES];
};

static DEFINE_HASHTABLE(users, 8);
/* protects the table of users; taken only for a user's first and last object */
static DEFINE_SPINLOCK(users_lock);

static struct vperfctr_user *known_user(u64 payer)
{
	struct vperfctr_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, node, payer) {
		if (user->payer == payer) {
			refcount_inc(&user->ref);
			return user;
		}
	}
	return NULL;
}

struct vperfctr_user *vperfctr_user_get(void)
{
	u64 payer = oprofile_payer();
	struct vperfctr_user *user, *new;

	spin_lock(&users_lock);
	user = known_user(payer);
	spin_unlock(&users_lock);
	if (user)
		return user;
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	new->payer = payer;
	refcount_set(&new->ref, 1);
	spin_lock(&users_lock);
	user = known_user(payer);
	if (!user)
		hash_add(users, &new->node, payer);
	spin_unlock(&users_lock);
	if (user)
		kfree(new);
	return user ?: new;
}

void vperfctr_user_put(struct vperfctr_user *user)
{
	if (!refcount_dec_and_lock(&user->ref, &users_lock))
		return;
	hash_del(&user->node);
	spin_unlock(&users_lock);
	kfree(user);
}

bool vperfctr_charge(struct vperfctr_user *user, enum vperfctr_resource good, unsigned int nr)
{
	if (atomic_add_return(nr, &user->has[good]) > READ_ONCE(limits[good])) {
		atomic_sub(nr, &user->has[good]);
		return false;
	}
	refcount_inc(&user->ref);
	return true;
}

void vperfctr_uncharge(struct vperfctr_user *user, enum vperfctr_resource good, unsigned int nr)
{
	atomic_sub(nr, &user->has[good]);
	vperfctr_user_put(user);
}
