// SPDX-License-Identifier: GPL-2.0-or-later
/* opprobe-library.c -- a library that opprobe-paths.c loads while it runs. */
#include <stdint.h>

static volatile uint64_t sink;

__attribute__((noinline)) void spin_inside(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += i;
}

void spin(int amount)
{
	for (int i = 0; i < amount; i++)
		spin_inside(500000);
	sink++;
}
