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

/* If root has created a user namespace that maps at most this many ids, each user in it pays. With
 * more ids, a user could evade quotas by changing ids. */
#define OPROFILE_FEW_IDS	8

/*
 * Return the payer in a user namespace that root created. If the namespace maps only few ids, the
 * payer is the user: any user may run a setuid helper (bwrap) that creates such namespaces.
 * Otherwise the payer is the range of ids, so that all namespaces with the same range have one
 * payer.
 */
static inline u64 oprofile_payer_of_range(const struct uid_gid_map *map, kuid_t uid)
{
	u32 nr = READ_ONCE(map->nr_extents), ids = 0, i;

	/* read the number of extents before the extents: map_write() writes them in the opposite
	 * order */
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
 * Return the payer of a task with the credentials @cred; 0: root. Outside of user namespaces, the
 * payer is the task's user. In a user namespace, where a user may have any number of ids, the payer
 * is the user who created the outermost namespace.
 */
static inline u64 oprofile_payer_of(const struct cred *cred)
{
	const struct user_namespace *ns, *outermost = NULL;

	for (ns = cred->user_ns; ns != &init_user_ns; ns = ns->parent)
		outermost = ns;
	if (!outermost)
		return __kuid_val(cred->uid);
	if (uid_eq(outermost->owner, GLOBAL_ROOT_UID))
		return oprofile_payer_of_range(&outermost->uid_map, cred->uid);
	return __kuid_val(outermost->owner);
}

/* Return the current task's payer. May be called in any context, because only the task itself
 * changes its real credentials; a temporary override does not affect them. */
static inline u64 oprofile_payer(void)
{
	return oprofile_payer_of(current_real_cred());
}

/* Return the index of the share of a quota, divided into @nr shares, to which @payer is charged.
 * Share 0 belongs to root only; several other users may have the same share. */
static inline u32 oprofile_share_of(u64 payer, u32 nr)
{
	return payer ? 1 + payer % (nr - 1) : 0;
}

#endif
