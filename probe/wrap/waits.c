// SPDX-License-Identifier: GPL-2.0-or-later
/* waits.c -- replacements of sigwait() and similar functions that remove the sample signal from
 * the set of awaited signals. */
#include "config.h"

#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>

#include "probe/wrap/hooks.h"
#include "probe/wrap/real.h"

#define EXPORT	__attribute__((visibility("default")))

/* The real functions of the C library, looked up once per process. Global, because a replacement
 * has only the arguments of the real function. */
static struct {
	int (*sigwait)(const sigset_t *set, int *sig);
	int (*sigwaitinfo)(const sigset_t *set, siginfo_t *info);
	int (*sigtimedwait)(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);
	int (*signalfd)(int fd, const sigset_t *set, int flags);
} real;

__attribute__((constructor)) static void find_real(void)
{
	*(void **)&real.sigwait = real_function("sigwait");
	*(void **)&real.sigwaitinfo = real_function("sigwaitinfo");
	*(void **)&real.sigtimedwait = real_function("sigtimedwait");
	*(void **)&real.signalfd = real_function("signalfd");
}

/* Return @set without the sample signal; *@room stores the copy. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *room)
{
	uint64_t mask;

	if (!set)
		return NULL;
	*room = *set;
	__builtin_memcpy(&mask, room, sizeof(mask));
	mask &= ~hooks()->own_signals();
	__builtin_memcpy(room, &mask, sizeof(mask));
	return room;
}

/* Call the real @function with a copy of @set from which the sample signal is removed. */
#define WAIT(function, set, ...)				\
({								\
	sigset_t room_;						\
	const sigset_t *some_ = without_ours(set, &room_);	\
								\
	if (!real.function)					\
		find_real();					\
	real.function(__VA_ARGS__);				\
})

EXPORT int sigwait(const sigset_t *set, int *sig)
{
	return WAIT(sigwait, set, some_, sig);
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return WAIT(sigwaitinfo, set, some_, info);
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	return WAIT(sigtimedwait, set, some_, info, timeout);
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	return WAIT(signalfd, set, fd, some_, flags);
}
