// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * x86-load rtm|avx|loads TURNS -- does a fixed amount of work that counters of x86 CPUs are known
 * to count wrongly.
 *
 *   rtm    transactions, of which every second one aborts itself
 *   avx    alternately phases with and without the widest multiplications, so that the clock
 *          frequency changes
 *   loads  loads from one cache line only, which must not be counted for the core's other thread
 *
 * `x86-load features` prints which of these kinds the CPU can run, and "force-abort" if
 * transactions make one counter unusable. Exit status 77: the CPU cannot run the work.
 */
#include <cpuid.h>
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "common.h"
#include "work.h"

#define CPUID_7_EBX_RTM		(1u << 11)
#define CPUID_7_EDX_NO_RTM	(1u << 11)	/* transactions always abort */
#define CPUID_7_EDX_FORCE_ABORT	(1u << 13)

#define TRANSACTION		100		/* loop iterations per transaction */
/*
 * Number of iterations that take more than a millisecond: for this time after the last wide
 * instruction the CPU keeps its lower clock frequency.
 */
#define PHASE			1000000UL

WORK(x86_narrow)

struct features {
	bool rtm, force_abort, fma, avx512;
};

static struct features detect_features(void)
{
	struct features f = { 0 };
	unsigned int a, b, c, d;

	if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
		f.rtm = b & CPUID_7_EBX_RTM;
		f.force_abort = d & CPUID_7_EDX_FORCE_ABORT && !(d & CPUID_7_EDX_NO_RTM);
	}
	f.fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	f.avx512 = __builtin_cpu_supports("avx512f");
	return f;
}

/*
 * Do not retry an aborted transaction (the counters' NMI may abort it), so that the amount of work
 * is constant.
 */
__attribute__((target("rtm"), noinline)) static void rtm(unsigned long turns)
{
	unsigned long committed = 0;

	for (unsigned long i = 0; i < turns; i++) {
		unsigned long n = TRANSACTION, x = i | 1;

		if (_xbegin() != _XBEGIN_STARTED)
			continue;
		WORK_LOOP(n, x);
		if (i & 1)
			_xabort(1);
		_xend();
		committed++;
	}
	printf("x86-load: %lu of %lu transactions committed\n", committed, turns);
}

/* Eight independent multiplications: the maximum load for the CPU. */
#define WIDE_LOOP(n, reg)								\
	asm volatile(".p2align 6\n1:\t"							\
		     "vfmadd231pd %%" reg "8, %%" reg "8, %%" reg "0\n\t"		\
		     "vfmadd231pd %%" reg "8, %%" reg "8, %%" reg "1\n\t"		\
		     "vfmadd231pd %%" reg "8, %%" reg "8, %%" reg "2\n\t"		\
		     "vfmadd231pd %%" reg "8, %%" reg "8, %%" reg "3\n\t"		\
		     "vfmadd231pd %%" reg "8, %%" reg "8, %%" reg "4\n\t"		\
		     "vfmadd231pd %%" reg "8, %%" reg "8, %%" reg "5\n\t"		\
		     "vfmadd231pd %%" reg "8, %%" reg "8, %%" reg "6\n\t"		\
		     "vfmadd231pd %%" reg "8, %%" reg "8, %%" reg "7\n\t"		\
		     "decq %0\n\tjnz 1b\n\tvzeroall" : "+r"(n) : :			\
		     "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "cc")

__attribute__((target("fma"), noinline)) static void wide(unsigned long n)
{
	asm volatile("vzeroall" : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8");
	WIDE_LOOP(n, "ymm");
}

__attribute__((target("avx512f"), noinline)) static void widest(unsigned long n)
{
	asm volatile("vzeroall" : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8");
	WIDE_LOOP(n, "zmm");
}

static void avx(unsigned long turns, bool has_avx512)
{
	unsigned long some;

	for (; turns; turns -= some) {
		some = turns < PHASE ? turns : PHASE;
		if (has_avx512)
			widest(some);
		else
			wide(some);
		x86_narrow(some);
	}
}

static void loads(unsigned long n)
{
	static const unsigned long line[8] __attribute__((aligned(64)));
	unsigned long x;

	asm volatile(".p2align 6\n1:\tmovq (%2), %1\n\tmovq 8(%2), %1\n\tmovq 16(%2), %1\n\tmovq 24(%2), %1\n\t"
		     "decq %0\n\tjnz 1b" : "+r"(n), "=&r"(x) : "r"(line) : "cc", "memory");
}

static void skip_without(const char *what)
{
	fprintf(stderr, "x86-load: this CPU has no %s\n", what);
	exit(77);
}

int main(int argc, char **argv)
{
	struct features has = detect_features();
	unsigned long turns = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;

	pin();
	if (argc == 2 && !strcmp(argv[1], "features")) {
		printf("loads%s%s%s%s\n", has.rtm ? " rtm" : "", has.force_abort ? " force-abort" : "",
		       has.fma ? " avx" : "", has.avx512 ? " avx512" : "");
	} else if (turns && !strcmp(argv[1], "rtm")) {
		if (!has.rtm)
			skip_without("transactions");
		rtm(turns);
	} else if (turns && !strcmp(argv[1], "avx")) {
		if (!has.fma)
			skip_without("multiplication of vectors");
		avx(turns, has.avx512);
	} else if (turns && !strcmp(argv[1], "loads")) {
		loads(turns);
	} else {
		errx(2, "usage: x86-load rtm|avx|loads TURNS | features");
	}
	return 0;
}
