/* SPDX-License-Identifier: GPL-2.0 */
/*
 * payer.h -- the user to whom memory for the current task is charged. All quotas of users use this
 * file.
 */
#ifndef OPROFILE_PAYER_H
#define OPROFILE_PAYER_H

#include <linux/cred.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

/* A user namespace with at most this many ids is charged to its user: more ids could be used to
 * evade quotas. */
#define OPROFILE_FEW_IDS	8

/*
 * Return the payer in a user namespace that root made. A setuid helper that any user may run
 * (bwrap) maps few ids besides the user's own id: then the payer is the user. Otherwise the payer
 * is the range of ids: all namespaces with the same range have one payer.
 */
static inline u64 oprofile_payer_of_range(const struct uid_gid_map *map, kuid_t uid)
{
	u32 nr = READ_ONCE(map->nr_extents), ids = 0, i;

	/* read the number before the extents: map_write() stores the extents before their number */
	smp_rmb();
	if (nr > UID_GID_MAP_MAX_BASE_EXTENTS)
		return 1ULL << 32 | map->forward[0].lower_first;
	for (i = 0; i < nr && ids <= OPROFILE_FEW_IDS; i++)
		ids += min_t(u32, map->extent[i].count, OPROFILE_FEW_IDS + 1);
	if (ids <= OPROFILE_FEW_IDS)
		return __kuid_val(uid);
	return 1ULL << 32 | map->extent[0].lower_first;
}

/*
 * Return the current task's payer; 0: root. It is the task's user, or in a user namespace, where a
 * user may have any number of ids, the user who made the outermost namespace. For any context: only
 * the task changes its real credentials; a temporary override does not affect them.
 */
static inline u64 oprofile_payer(void)
{
	const struct cred *cred = current_real_cred();
	const struct user_namespace *ns, *outermost = NULL;

	for (ns = cred->user_ns; ns != &init_user_ns; ns = ns->parent)
		outermost = ns;
	if (!outermost)
		return __kuid_val(cred->uid);
	if (uid_eq(outermost->owner, GLOBAL_ROOT_UID))
		return oprofile_payer_of_range(&outermost->uid_map, cred->uid);
	return __kuid_val(outermost->owner);
}

/* Return the index of @payer's share of something that is divided into @nr shares. Root has share
 * 0; users whose hashes are equal have one share together. */
static inline u32 oprofile_share_of(u64 payer, u32 nr)
{
	return payer ? 1 + payer % (nr - 1) : 0;
}

#endif
