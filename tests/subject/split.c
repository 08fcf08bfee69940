// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * split SECONDS -- spends half of its time in three functions (70, 20 and 10 %), and the other half
 * likewise in three functions of a shared library: 35, 10, 5, 35, 10 and 5 % of the total.
 */
#include "common.h"
#include "work.h"

WORK(split_main_70)
WORK(split_main_20)
WORK(split_main_10)

void split_lib_70(unsigned long n);
void split_lib_20(unsigned long n);
void split_lib_10(unsigned long n);

int main(int argc, char **argv)
{
	double end = now() + seconds_argument(argc, argv);
	unsigned long unit, n, turns = 0;

	pin();
	unit = turns_per_ms(split_main_70) / 20 + 1;
	do {
		n = unit * jitter();
		split_main_70(7 * n);
		split_lib_70(7 * n);
		split_main_20(2 * n);
		split_lib_20(2 * n);
		split_main_10(n);
		split_lib_10(n);
		turns += 20 * n;
	} while (now() < end);
	printf("split: %lu turns\n", turns);
	return 0;
}
