// SPDX-License-Identifier: GPL-2.0-or-later
/* libturn -- a library for dlloop, built twice with its code at different offsets (-DBEFORE). */
#include "work.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FILLER_(name, bytes) FILLER(name, bytes)

FILLER_(filler_before, BEFORE);
WORK(JOIN(turn_, NAME))
FILLER_(filler_after, AFTER);

void turn(unsigned long n);
void turn(unsigned long n)
{
	JOIN(turn_, NAME)(n);
}
