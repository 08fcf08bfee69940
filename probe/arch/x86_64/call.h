/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h -- making system calls by the x86_64 instruction syscall, and the code to which a signal
 * handler returns.
 */
#ifndef PROBE_ARCH_CALL_H
#define PROBE_ARCH_CALL_H

#include <sys/syscall.h>

static inline long arch_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#include "probe/linux/whole_calls.h"

/* The code to which signal handlers return. The kernel requires the address of this code in struct
 * sigaction. Debuggers recognize signal frames by exactly these instructions. */
#define ARCH_SA_RESTORER	0x04000000
#define ARCH_RESTORER(name)					\
	__asm__(".pushsection .text\n"				\
		".balign 16\n"					\
		".type " #name ",@function\n"			\
		#name ":\n"					\
		"	mov $15, %rax\n"			\
		"	syscall\n"				\
		".size " #name ", .-" #name "\n"		\
		".popsection");					\
	extern void name(void) __attribute__((visibility("hidden")))

#endif
