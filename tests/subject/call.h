/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call.h -- system calls that are inlined in the calling function, and clocks in ns, for programs with known waits. */
#ifndef SUBJECT_CALL_H
#define SUBJECT_CALL_H

#include <time.h>

static inline long long ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Make a system call inside of the calling function, so that the place of the wait is there. */
static inline __attribute__((always_inline)) long call(long nr, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	long ret;
	register long r10 __asm__("r10") = d;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#else
#error no system calls for this machine
#endif
}

#endif
