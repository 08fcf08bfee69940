// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host_none.c -- identification of the CPU on architectures whose counters are not supported:
 * always fails.
 */
#include "config.h"
#include "libop/cpu/detect.h"

#include <errno.h>

int op_cpu_host(struct op_cpu_found *ret, struct op_reason *error)
{
	(void)ret;
	return op_fail(error, -ENODEV, "the counters of this architecture are not known; sample by "
		       "time instead");
}
