/* SPDX-License-Identifier: GPL-2.0 */
/*
 * payer.h -- who answers for what the current task makes us keep. Every quota of users asks here.
 */
#ifndef OPROFILE_PAYER_H
#define OPROFILE_PAYER_H

#include <linux/cred.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

/* So many ids are no range that one could hide in. */
#define OPROFILE_FEW_IDS	8

/*
 * Who pays for a user namespace that root made. A helper of root's that any user may run (bwrap) gives it hardly
 * any ids but the user's own: then it is the user, as outside. Else the range of ids that it was given: all
 * that was given the same pays together.
 */
static inline u64 oprofile_payer_of_range(const struct uid_gid_map *map, kuid_t uid)
{
	u32 nr = READ_ONCE(map->nr_extents), ids = 0, i;

	smp_rmb();	/* map_write(): the extents are there before their number */
	if (nr > UID_GID_MAP_MAX_BASE_EXTENTS)
		return 1ULL << 32 | map->forward[0].lower_first;
	for (i = 0; i < nr && ids <= OPROFILE_FEW_IDS; i++)
		ids += min_t(u32, map->extent[i].count, OPROFILE_FEW_IDS + 1);
	if (ids <= OPROFILE_FEW_IDS)
		return __kuid_val(uid);
	return 1ULL << 32 | map->extent[0].lower_first;
}

/*
 * The task's user; in user namespaces, which give a user as many ids as wanted, whoever made the
 * outermost. 0: root. From any context: nobody else changes a task's own credentials, which are not those
 * that the kernel may have lent it for a while.
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

/* Return the index of @payer's share of something that is divided into @nr shares. Root has share 0; users whose numbers
 * collide have one share together. */
static inline u32 oprofile_share_of(u64 payer, u32 nr)
{
	return payer ? 1 + payer % (nr - 1) : 0;
}

#endif
