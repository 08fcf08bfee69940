// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/args.c -- copying of callers' structs of different versions.
 */
#include "vperfctr/args.h"

#include <linux/mm.h>
#include <linux/uaccess.h>

int vperfctr_check_size(const void __user *arg, size_t known)
{
	u32 size;
	int zero;

	if (get_user(size, (const u32 __user *)arg))
		return -EFAULT;
	if (size < known)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	if (size == known)
		return 0;
	zero = check_zeroed_user(arg + known, size - known);
	return zero > 0 ? 0 : zero ?: -E2BIG;
}

int vperfctr_get_args(void *to, const void __user *arg, size_t known)
{
	int err = vperfctr_check_size(arg, known);

	if (err)
		return err;
	if (copy_from_user(to, arg, known))
		return -EFAULT;
	*(u32 *)to = known;
	return 0;
}
