// SPDX-License-Identifier: GPL-2.0
/* none/native.c -- a substitute for the native backend on architectures other than x86, whose
 * counters the module does not program. */
#include "backend.h"

#include <linux/errno.h>

#include "why.h"

static int native_init(struct oprofile_sampling *s)
{
	return 0;
}

static void native_exit(struct oprofile_sampling *s)
{
}

static int native_probe(struct oprofile_sampling *s)
{
	return oprofile_refuse(s, -EOPNOTSUPP,
			       "there is no native backend for this kind of CPU: use perf");
}

const struct oprofile_backend oprofile_backend_native = {
	.name = "native",
	.init = native_init,
	.exit = native_exit,
	.probe = native_probe,
	.needs_events = true,
};
