// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nmi-delay COUNTER SECONDS -- how long after its overflow a counter's NMI comes.
 *
 * It looks at the counter (of x86, with rdpmc) as often as it can. Whoever samples lets it count up from minus the
 * period, so the last value before it jumps back is how long ago it had overflowed when the NMI came, in
 * what it counts; a negative one: it overflowed after that look. Prints
 *	late N		for each NMI
 *	turn N		so many between two looks, as a rule
 *	per_us N	so many in a microsecond
 * An NMI that comes for an overflow which another has dealt with is not seen: the counter does not jump.
 * Exit status 77: programs may not read counters, or there are none.
 */
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>

#include "common.h"

#define MAX_SEEN (1u << 22)
#define LOOKS 4096		/* number of counter reads between two reads of the clock */

static int64_t seen[MAX_SEEN];

static void refused(int signal)
{
	static const char text[] = "nmi-delay: programs may not read counters here\n";

	(void)signal;
	if (write(2, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(77);
}

/* Read the counter as a signed number of @bits bits. */
static int64_t look(unsigned int counter, int bits)
{
	uint32_t low, high;

	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	return (int64_t)(((uint64_t)high << 32 | low) << (64 - bits)) >> (64 - bits);
}

static int counter_bits(void)
{
	unsigned int a = 0, b, c, d;

	__cpuid(0, a, b, c, d);
	if (b != signature_INTEL_ebx)
		return 48;
	if (!__get_cpuid(0xa, &a, &b, &c, &d) || (a >> 16 & 0xff) < 32)
		errx(77, "this CPU has no counters");
	return a >> 16 & 0xff;
}

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Return the median distance between two reads. Fills @seen first, so that its pages are
 * present. */
static int64_t usual_turn(unsigned int counter, int bits)
{
	int64_t before = look(counter, bits), value;

	for (int i = 0; i < LOOKS; i++) {
		value = look(counter, bits);
		seen[i] = value - before;
		before = value;
	}
	qsort(seen, LOOKS, sizeof(*seen), compare);
	return seen[LOOKS / 2];
}

int main(int argc, char **argv)
{
	int bits = counter_bits();
	unsigned int counter, nr = 0;
	int64_t value, before, turn;
	double end, begun, counted, rate = 0;

	if (argc != 3)
		errx(2, "usage: nmi-delay COUNTER SECONDS");
	signal(SIGSEGV, refused);
	pin();
	counter = atoi(argv[1]);
	end = now() + atof(argv[2]);
	turn = usual_turn(counter, bits);
	do {
		begun = now();
		counted = 0;
		before = look(counter, bits);
		for (int i = 0; i < LOOKS && nr < MAX_SEEN; i++) {
			value = look(counter, bits);
			if (value < before)
				seen[nr++] = before;
			else
				counted += value - before;
			before = value;
		}
		/* Events are missed while another program runs, so use the highest rate. */
		counted /= (now() - begun) * 1e6;
		if (counted > rate)
			rate = counted;
	} while (nr < MAX_SEEN && now() < end);
	printf("turn %lld\nper_us %.0f\n", (long long)turn, rate);
	for (unsigned int i = 0; i < nr; i++)
		printf("late %lld\n", (long long)seen[i]);
	return 0;
}
