// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nmi-delay COUNTER SECONDS -- measures the delay from a counter's overflow to its NMI.
 *
 * The program reads the x86 counter (rdpmc) as often as possible. A profiler lets the counter count
 * up from minus its period, and resets it in the NMI. So the last value before a reset is the
 * delay, in counted events; a negative value means that the counter overflowed after that read.
 * Prints
 *   late N    for each NMI
 *   turn N    the usual number of events between two reads
 *   per_us N  the number of events per microsecond
 * An NMI whose overflow was already handled does not reset the counter, so it is not seen. Exit
 * status 77: there are no counters, or programs may not read them.
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
static int64_t read_counter(unsigned int counter, int bits)
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

/*
 * Return the median distance between two reads, in events. Fills @seen first, so that its pages are
 * present.
 */
static int64_t usual_turn(unsigned int counter, int bits)
{
	int64_t before = read_counter(counter, bits), value;

	for (int i = 0; i < LOOKS; i++) {
		value = read_counter(counter, bits);
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
		before = read_counter(counter, bits);
		for (int i = 0; i < LOOKS && nr < MAX_SEEN; i++) {
			value = read_counter(counter, bits);
			if (value < before)
				seen[nr++] = before;
			else
				counted += value - before;
			before = value;
		}
		/*
		 * Use the highest rate, because the counter misses events while another program
		 * runs.
		 */
		counted /= (now() - begun) * 1e6;
		if (counted > rate)
			rate = counted;
	} while (nr < MAX_SEEN && now() < end);
	printf("turn %lld\nper_us %.0f\n", (long long)turn, rate);
	for (unsigned int i = 0; i < nr; i++)
		printf("late %lld\n", (long long)seen[i]);
	return 0;
}
