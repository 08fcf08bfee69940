/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h -- making system calls by the i386 instruction int $0x80, and the code to which a signal
 * handler returns.
 */
#ifndef PROBE_ARCH_CALL_H
#define PROBE_ARCH_CALL_H

#include <sys/syscall.h>

static inline long arch_call(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;

	__asm__ volatile(
		"pushl %7; push %%ebp; mov 4(%%esp), %%ebp; int $0x80; pop %%ebp; add $4, %%esp"
		: "=a"(ret)
		: "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), "g"(f)
		: "memory");
	return ret;
}

#include "probe/linux/split_calls.h"

/* The code to which signal handlers return. The kernel requires the address of this code in struct
 * sigaction. */
#define ARCH_SA_RESTORER	0x04000000
#define ARCH_RESTORER(name)					\
	__asm__(".pushsection .text\n"				\
		".balign 16\n"					\
		".type " #name ",@function\n"			\
		#name ":\n"					\
		"	mov $173, %eax\n"			\
		"	int $0x80\n"				\
		".size " #name ", .-" #name "\n"		\
		".popsection");					\
	extern void name(void) __attribute__((visibility("hidden")))

#endif
