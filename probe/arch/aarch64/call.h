/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h -- making system calls by the aarch64 instruction svc. Signal handlers return through code
 * in the vDSO.
 */
#ifndef PROBE_ARCH_CALL_H
#define PROBE_ARCH_CALL_H

#include <sys/syscall.h>

static inline long arch_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#include "probe/linux/whole_calls.h"

#define ARCH_SA_RESTORER	0
#define ARCH_RESTORER(name)	enum { name = 0 }

#endif
