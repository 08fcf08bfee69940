// SPDX-License-Identifier: GPL-2.0-or-later
/* priority.c -- CPU priority of the thread that reads the buffers of samples. */
#include "config.h"
#include "daemon/base/priority.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

int opd_priority_raise(void)
{
	const struct sched_param none = { 0 };

	if ((sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_OTHER ||
	    getpriority(PRIO_PROCESS, (id_t)gettid()) != 0)
		return -EALREADY;
	/* SCHED_RESET_ON_FORK: children do not inherit a negative nice value. Setting this flag
	 * needs no privilege. */
	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none))
		return -errno;
	return setpriority(PRIO_PROCESS, (id_t)gettid(), OPD_PRIORITY_NICE) ? -errno : 0;
}

void opd_priority_restore(void)
{
	setpriority(PRIO_PROCESS, (id_t)gettid(), 0);
}
