/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/args.h -- copying of callers' structs, whose sizes depend on the version.
 */
#ifndef VPERFCTR_ARGS_H
#define VPERFCTR_ARGS_H

#include <linux/types.h>

/* Check the size in the first member of the caller's struct @arg. @known: size of the struct in
 * this version of the interface. Return 0, -EFAULT, -EINVAL or -E2BIG. */
int vperfctr_check_size(const void __user *arg, size_t known);
/* Check the size in the first member of the caller's struct, and copy the struct to @to, which has
 * @known bytes. The size is read again, because the caller may have changed the struct after
 * vperfctr_check_size(). */
int vperfctr_get_args(void *to, const void __user *arg, size_t known);

#endif
