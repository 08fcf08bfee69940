// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathload.c -- a program whose call paths are known: level n calls level n + 1 and nothing else, in frames of
 * different sizes, some of a size known when it runs; the last one computes or asks the kernel.
 *
 * usage: pathload TURNS [read|compute] [AGAIN]
 *   level 16 calls level 17 so many times in each turn: then most of a stack stays what it was
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int zero = -1;
static unsigned long again = 1;
static volatile unsigned long sink;

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void f20(unsigned long n)
{
	char bytes[512];

	if (zero >= 0 && read(zero, bytes, sizeof(bytes)) < 0)
		exit(1);
	for (int i = 0; i < 200; i++)
		n = n * 6364136223846793005UL + 1;
	sink += n;
}

/* Two ways to each next level, so that the outer frames are not always the same. */
#define LEVEL(n, next, words)					\
NOINLINE static void f##n(unsigned long x)			\
{								\
	volatile unsigned long some[words];			\
								\
	some[x % (words)] = x;					\
	if (x >> (n) & 1)					\
		next(x + some[x % (words)]);			\
	else							\
		next(x - 1);					\
	sink += some[x % (words)];				\
}
/* Its frame is as large as @x says. */
#define VARYING(n, next)					\
NOINLINE static void f##n(unsigned long x)			\
{								\
	char some[16 + x % 100];				\
								\
	memset(some, x, sizeof(some));				\
	next(x + some[x % 16]);					\
	sink += some[3];					\
}
LEVEL(19, f20, 3) LEVEL(18, f19, 20) VARYING(17, f18)

NOINLINE static void f16(unsigned long x)
{
	for (unsigned long i = 0; i < again; i++)
		if ((x + i) & 1)
			f17(x + i);
		else
			f17(x - i);
	sink += x;
}

LEVEL(15, f16, 200) LEVEL(14, f15, 7)
LEVEL(13, f14, 2) VARYING(12, f13) LEVEL(11, f12, 33) LEVEL(10, f11, 64) LEVEL(9, f10, 5) LEVEL(8, f9, 1)
LEVEL(7, f8, 12) LEVEL(6, f7, 9) LEVEL(5, f6, 300) VARYING(4, f5) LEVEL(3, f4, 2) LEVEL(2, f3, 8)
LEVEL(1, f2, 16)

int main(int argc, char **argv)
{
	unsigned long turns = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;

	if (argc > 2 && !strcmp(argv[2], "read"))
		zero = open("/dev/zero", O_RDONLY);
	if (argc > 3)
		again = strtoul(argv[3], NULL, 0);
	while (turns--)
		f1(turns * 2654435761UL);
	return 0;
}
