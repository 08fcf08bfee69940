// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interval.c -- replacements of setitimer() and getitimer(): if the collector samples by
 * ITIMER_PROF, the program's setting of that timer is stored and returned but has no effect.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>

#include "probe/linux/calls.h"
#include "probe/wrap/hooks.h"

#define EXPORT	__attribute__((visibility("default")))

/* setting of the timer that the program has requested; the kernel does not get this setting.
 * Global, because the timer belongs to the process. */
static struct itimerval wanted;

static bool is_time(const struct timeval *t)
{
	return t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < 1000000;
}

static bool is_ours(int which)
{
	return which == ITIMER_PROF && hooks()->is_here() &&
	       (hooks()->own_signals() & (1ULL << (SIGPROF - 1)));
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *value, struct itimerval *old)
{
	struct itimerval before = wanted;
	long err = 0;

	if (is_ours(which) && value &&
	    !(is_time(&value->it_value) && is_time(&value->it_interval))) {
		err = -EINVAL;
	} else if (is_ours(which)) {
		wanted = value ? *value : (struct itimerval){ { 0, 0 }, { 0, 0 } };
		if (old)
			*old = before;
	} else {
		err = arch_call(SYS_setitimer, which, (long)value, (long)old, 0, 0, 0);
	}
	errno = err ? -err : errno;
	return err ? -1 : 0;
}

EXPORT int getitimer(__itimer_which_t which, struct itimerval *value)
{
	long err = 0;

	if (is_ours(which))
		*value = wanted;
	else
		err = arch_call(SYS_getitimer, which, (long)value, 0, 0, 0, 0);
	errno = err ? -err : errno;
	return err ? -1 : 0;
}
