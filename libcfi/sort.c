// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sort.c -- sorting of a short array of numbers, of which most are already in order. The worst case
 * takes n log n steps. The function needs no additional memory.
 */
#include "libcfi/sort.h"

#define FEW	32

static void insertion(__u32 *numbers, __u32 nr)
{
	for (__u32 i = 1; i < nr; i++) {
		__u32 number = numbers[i], at = i;

		for (; at > 0 && numbers[at - 1] > number; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = number;
	}
}

/* Restore the heap: move the number at the index @at down until no number below it is greater. */
static void sift(__u32 *numbers, __u64 at, __u64 nr)
{
	__u32 number = numbers[at];

	for (;;) {
		__u64 child = 2 * at + 1;

		if (child >= nr)
			break;
		if (child + 1 < nr && numbers[child + 1] > numbers[child])
			child++;
		if (numbers[child] <= number)
			break;
		numbers[at] = numbers[child];
		at = child;
	}
	numbers[at] = number;
}

static void heap(__u32 *numbers, __u32 nr)
{
	for (__u32 at = nr / 2; at-- > 0; )
		sift(numbers, at, nr);
	while (nr-- > 1) {
		__u32 last = numbers[nr];

		numbers[nr] = numbers[0];
		numbers[0] = last;
		sift(numbers, 0, nr);
	}
}

void cfi_sort(__u32 *numbers, __u32 nr)
{
	__u32 i = 1;

	while (i < nr && numbers[i - 1] <= numbers[i])
		i++;
	if (i >= nr)
		return;
	if (nr <= FEW)
		insertion(numbers, nr);
	else
		heap(numbers, nr);
}
