/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h -- functions that use CPU time in exact proportion to a number.
 *
 * Every WORK function has a loop of the same four instructions, each depending on the one before,
 * in its own cache line. So n turns take the same time in each function or library, on hardware and
 * under emulation, and the shares of a profile are known in advance.
 */
#ifndef SUBJECT_WORK_H
#define SUBJECT_WORK_H

#if defined(__x86_64__)
#define WORK_LOOP(n, x) \
	asm volatile(".p2align 6\n1:\timulq %1, %1\n\taddq $3, %1\n\tdecq %0\n\tjnz 1b" \
		     : "+r"(n), "+r"(x) : : "cc")
#elif defined(__i386__)
#define WORK_LOOP(n, x) \
	asm volatile(".p2align 6\n1:\timull %1, %1\n\taddl $3, %1\n\tdecl %0\n\tjnz 1b" \
		     : "+r"(n), "+r"(x) : : "cc")
#elif defined(__aarch64__)
#define WORK_LOOP(n, x) \
	asm volatile(".p2align 6\n1:\tmul %1, %1, %1\n\tadd %1, %1, #3\n\tsubs %0, %0, #1\n\tb.ne 1b" \
		     : "+r"(n), "+r"(x) : : "cc")
#else
#error "no work loop for this architecture"
#endif

/* Define a function that executes @n turns of the loop. @n must be at least 1. */
#define WORK(name)						\
	void name(unsigned long n);				\
	__attribute__((noinline, noclone, no_icf)) void name(unsigned long n)	\
	{							\
		unsigned long x = n | 1;			\
		WORK_LOOP(n, x);				\
	}

/* Define code that never runs: a sample in this code was attributed to a wrong file or offset. */
#define FILLER(name, bytes)						\
	asm(".text\n.globl " #name "\n.type " #name ", %function\n"	\
	    #name ":\n.skip " #bytes ", 0\n.size " #name ", " #bytes)

#endif
