// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * masks.c -- replacements of sigprocmask() and pthread_sigmask() that never block the sample
 * signal. Queries return the kernel's mask.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "probe/linux/calls.h"
#include "probe/wrap/hooks.h"

#define EXPORT	__attribute__((visibility("default")))
/* mask of the signals 32 and 33, which the C library reserves and does not let a program block */
#define INTERNAL	(3ULL << 31)

static int set_mask(int how, const sigset_t *set, sigset_t *old)
{
	uint64_t mask = 0, before = 0;
	long err;

	if (set) {
		__builtin_memcpy(&mask, set, sizeof(mask));
		mask &= ~INTERNAL;
		if (how != SIG_UNBLOCK)
			mask &= ~hooks()->own_signals();
	}
	err = arch_call(SYS_rt_sigprocmask, how, (long)(set ? &mask : NULL), (long)&before,
			sizeof(mask), 0, 0);
	if (!err && old) {
		sigemptyset(old);
		__builtin_memcpy(old, &before, sizeof(before));
	}
	return -err;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return set_mask(how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int err = set_mask(how, set, old);

	if (err)
		errno = err;
	return err ? -1 : 0;
}
