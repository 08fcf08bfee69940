// SPDX-License-Identifier: GPL-2.0
/* vperfctr/rights.c -- checks of the rights of processes other than the thread itself to read
 * the thread's counts. */
#include "vperfctr/rights.h"

#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/sched.h>

#include "vperfctr/allowed.h"
#include "vperfctr/object.h"

static int check_as(const struct cred *who, const struct vperfctr_control *control)
{
	const struct cred *own = override_creds(who);
	int err = vperfctr_check_control(control);

	revert_creds(own);
	return err;
}

int vperfctr_check_others(struct vperfctr *v, struct task_struct *owner, const struct cred *opener,
			  const struct vperfctr_control *control)
{
	const struct cred *owners;
	int err;

	if (owner == current)
		return 0;
	if (atomic_read(&v->files) <= 1)
		return check_as(opener, control);
	owners = get_task_cred(owner);
	err = check_as(owners, control);
	put_cred(owners);
	return err;
}

int vperfctr_may_see(struct vperfctr *v)
{
	int err;

	if (mutex_lock_killable(&v->lock))
		return -EINTR;
	err = vperfctr_check_control(&v->control);
	if (!err && v->pending)
		err = vperfctr_check_control(&v->pending->control);
	mutex_unlock(&v->lock);
	return err;
}
