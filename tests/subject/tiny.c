// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tiny TURNS -- a static program without a C library, which ends when its work is done. Built
 * several times with -DNAME=x and fillers of different size around work_x, so that a sample that is
 * attributed to a wrong program or offset appears in a filler.
 */
#include "work.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FILLER_(name, bytes) FILLER(name, bytes)

FILLER_(filler_before, BEFORE);
WORK(JOIN(work_, NAME))
FILLER_(filler_after, 1048576);

#if defined(__x86_64__)
asm(".globl _start\n_start:\tmovq %rsp, %rdi\n\tandq $-16, %rsp\n\tcall run\n\thlt");
#define EXIT() asm volatile("syscall" : : "a"(231), "D"(0))
#elif defined(__i386__)
asm(".globl _start\n_start:\tmovl %esp, %eax\n\tandl $-16, %esp\n\tsubl $12, %esp\n\tpushl %eax\n"
    "\tcall run\n\thlt");
#define EXIT() asm volatile("int $0x80" : : "a"(252), "b"(0))
#elif defined(__aarch64__)
asm(".globl _start\n_start:\tmov x0, sp\n\tbl run\n\tbrk #0");
#define EXIT() do { register long x8 asm("x8") = 94; register long x0 asm("x0") = 0; \
	asm volatile("svc #0" : : "r"(x8), "r"(x0)); } while (0)
#endif

/* @stack: the initial stack of the program: argc, argv[0], argv[1], ... */
void run(unsigned long *stack);
void run(unsigned long *stack)
{
	unsigned long n = 0;
	const char *p;

	if (stack[0] > 1)
		for (p = (const char *)stack[2]; *p >= '0' && *p <= '9'; p++)
			n = n * 10 + (*p - '0');
	JOIN(work_, NAME)(n ? n : 1);
	EXIT();
	__builtin_unreachable();
}
