/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/args.h -- structs that callers hand over, of their own version's size.
 */
#ifndef VPERFCTR_ARGS_H
#define VPERFCTR_ARGS_H

#include <linux/types.h>

/* Is @arg's size what the contract allows of a struct of which we know @known bytes? EFAULT, EINVAL, E2BIG. */
int vperfctr_check_size(const void __user *arg, size_t known);
/* The same, and the struct, which may have changed since it was checked: @to's size is @known. */
int vperfctr_get_args(void *to, const void __user *arg, size_t known);

#endif
