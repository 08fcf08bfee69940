/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number_list.h -- lists of process or thread numbers in options: "17,42".
 */
#ifndef UTILS_SHARED_NUMBER_LIST_H
#define UTILS_SHARED_NUMBER_LIST_H

#include <stddef.h>
#include <sys/types.h>

#include "libop/base/reason.h"

/*
 * Append the numbers of @list, which is modified, to *@ids, an array of op_grow(). @option and
 * @what ("process") are for the message. Return 0, -EINVAL or -ENOMEM.
 */
int ctl_take_numbers(pid_t **ids, size_t *nr, char *list, const char *option, const char *what,
		     struct op_reason *error);

#endif
