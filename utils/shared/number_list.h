/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number_list.h -- numbers of processes or threads as options take them: "17,42".
 */
#ifndef UTILS_SHARED_NUMBER_LIST_H
#define UTILS_SHARED_NUMBER_LIST_H

#include <stddef.h>
#include <sys/types.h>

#include "libop/base/reason.h"

/*
 * Appends those of @list, which is taken apart, to *@ids, an array of op_grow(). @option and @what ("process") are
 * for the message. 0, -EINVAL, -ENOMEM.
 */
int ctl_take_numbers(pid_t **ids, size_t *nr, char *list, const char *option, const char *what, struct op_reason *error);

#endif
