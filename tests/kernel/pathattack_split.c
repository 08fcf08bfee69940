// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathattack_split.c -- functions of pathattack that are compiled for a segmented stack
 * (-fsplit-stack).
 */
#include <string.h>

void p1(void (*inner)(void));

static volatile unsigned long behind;

#define PIECE(n, call)								\
__attribute__((noipa)) static void p##n(void (*inner)(void))			\
{										\
	char some[64 << 10];							\
										\
	memset(some, n, 1 << 10);						\
	call;									\
	behind += some[behind % 1024];						\
}
PIECE(4, inner())
PIECE(3, p4(inner))
PIECE(2, p3(inner))

void p1(void (*inner)(void))
{
	p2(inner);
	behind++;
}
