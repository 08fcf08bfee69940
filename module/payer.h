/* SPDX-License-Identifier: GPL-2.0 */
/*
 * payer.h -- who answers for what the current task makes us keep. Every quota of users asks here.
 */
#ifndef OPROFILE_PAYER_H
#define OPROFILE_PAYER_H

#include <linux/cred.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

/*
 * The task's user; in user namespaces, which give a user as many ids as wanted, whoever made the
 * outermost, or that one itself if root did. 0: root. From any context: nobody else changes a task's own
 * credentials, which are not those that the kernel may have lent it for a while.
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
		return 1ULL << 32 | outermost->ns.inum;
	return __kuid_val(outermost->owner);
}

#endif
