// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * number_list.c -- lists of process or thread numbers in options.
 */
#include "config.h"
#include "utils/shared/number_list.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"

int ctl_take_numbers(pid_t **ids, size_t *nr, char *list, const char *option, const char *what,
		     struct op_reason *error)
{
	char *part;

	while ((part = strsep(&list, ","))) {
		char *end;
		long n = *part >= '0' && *part <= '9' ? strtol(part, &end, 10) : 0;

		if (n <= 0 || n > INT32_MAX || *end)
			return op_fail(error, -EINVAL, "option \"--%s\": \"%s\" is not a %s number", option, part, what);
		if (op_grow(ids, *nr))
			return -ENOMEM;
		(*ids)[(*nr)++] = (pid_t)n;
	}
	return 0;
}
