// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-num.c -- measures the CPU time of libop/raw/num.h's conversions of numbers to text and
 * back, compared with printf() and other algorithms, and the part of a symbol list that nm_search()
 * reads.
 *
 * The random numbers have 1 to 19 digits with equal probability. Each result is the best of several
 * rounds. Rounds of different algorithms alternate, because the machine's speed changes.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/raw/num.h"
#include "utils/addr2func/nm_search.h"

#define NR	4096
#define ROUNDS	40
#define LINES	200000

static uint64_t numbers[NR];
static char texts[NR][RAW_NUM_MAX + 1];
static volatile uint64_t sink;

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void our_decimal(size_t i)
{
	char buf[RAW_NUM_MAX];

	sink += raw_num2str(buf, numbers[i], 10, 0, ' ') - buf;
}

static void printf_decimal(size_t i)
{
	char buf[RAW_NUM_MAX];

	sink += snprintf(buf, sizeof(buf), "%llu", (unsigned long long)numbers[i]);
}

/*
 * Divide by ten by a floating-point multiplication, which is exact only below 2^53: divide larger
 * numbers once before.
 */
static void reciprocal_decimal(size_t i)
{
	char buf[RAW_NUM_MAX], *end = buf + sizeof(buf);
	uint64_t n = numbers[i];

	do {
		uint64_t tenth = n >> 53 ? n / 10 : (uint64_t)((double)n * 0.1);

		if (tenth * 10 > n)
			/* correct the result: 0.1 in floating point is slightly more than a
			 * tenth */
			tenth--;
		*--end = '0' + (n - tenth * 10);
		n = tenth;
	} while (n);
	sink += buf + sizeof(buf) - end;
}

static void our_hex(size_t i)
{
	char buf[RAW_NUM_MAX];

	sink += raw_num2str(buf, numbers[i], 16, 0, ' ') - buf;
}

static void printf_hex(size_t i)
{
	char buf[RAW_NUM_MAX];

	sink += snprintf(buf, sizeof(buf), "%llx", (unsigned long long)numbers[i]);
}

static void our_binary(size_t i)
{
	char buf[RAW_NUM_MAX];

	sink += raw_num2str(buf, numbers[i], 2, 64, '0') - buf;
}

static void printf_binary(size_t i)
{
	/* some C libraries support %b before the compiler has a builtin for it */
	static char format[] = "%064llb";
	char buf[RAW_NUM_MAX + 1];

	sink += snprintf(buf, sizeof(buf), format, (unsigned long long)numbers[i]);
}

static void our_number(size_t i)
{
	uint64_t n;

	sink += raw_str2num(&n, texts[i], RAW_NUM_MAX, 10) + n;
}

static void strtoull_number(size_t i)
{
	sink += strtoull(texts[i], NULL, 10);
}

static void our_ndigits(size_t i)
{
	sink += raw_ndigits(numbers[i]);
}

/* Find the number of digits by a binary search without branches: each step loads from a table. */
static void table_ndigits(size_t i)
{
	static const uint64_t powers[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
		1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, 10000000000000000000u,
	};
	uint64_t n = numbers[i] | 1;
	unsigned int at = 0;

	at += (n >= powers[at + 10]) * 10;
	at += (n >= powers[at + 5]) * 5;
	at += (n >= powers[at + 2]) * 2;
	at += (n >= powers[at + 1]);
	at += at < 19 && n >= powers[at + 1];
	at += at < 19 && n >= powers[at + 1];
	sink += at + 1;
}

static void branch_ndigits(size_t i)
{
	uint64_t n = numbers[i];
	unsigned int more = 0;

	if (n >= 10000000000000000) {
		n /= 10000000000000000;
		more = 16;
	} else if (n >= 100000000) {
		n /= 100000000;
		more = 8;
	}
	if (n >= 10000)
		sink += more + (n >= 1000000 ? (n >= 10000000 ? 8 : 7) : (n >= 100000 ? 6 : 5));
	else
		sink += more + (n >= 100 ? (n >= 1000 ? 4 : 3) : (n >= 10 ? 2 : 1));
}

static void loop_ndigits(size_t i)
{
	uint64_t n = numbers[i];
	unsigned int nr = 1;

	while (n >= 10) {
		n /= 10;
		nr++;
	}
	sink += nr;
}

static double round_of(void (*way)(size_t i))
{
	double began = now_ns();

	for (size_t i = 0; i < NR; i++)
		way(i);
	return (now_ns() - began) / NR;
}

static void row(const char *what, void (*ours)(size_t i), const char *peer, void (*theirs)(size_t i))
{
	double best = INFINITY, their_best = INFINITY;

	for (int r = 0; r < ROUNDS; r++) {
		best = fmin(best, round_of(ours));
		their_best = fmin(their_best, round_of(theirs));
	}
	printf("%s\t%.1f\t%s\t%.1f\t%.1f\n", what, best, peer, their_best, their_best / best);
}

/* A symbol list in memory. .pages: number of different pages that a search reads. */
struct list {
	char *text;
	uint64_t seen[64], nr_seen, pages;
};

static long read_list(void *arg, uint64_t at, void *buf, size_t len)
{
	struct list *list = arg;

	for (uint64_t page = at / 4096; page <= (at + len - 1) / 4096; page++) {
		bool is_new = true;

		for (uint64_t i = 0; i < list->nr_seen; i++)
			is_new &= list->seen[i] != page;
		if (is_new && list->nr_seen < 64)
			list->seen[list->nr_seen++] = page;
		list->pages += is_new;
	}
	memcpy(buf, list->text + at, len);
	return (long)len;
}

static bool searches(void)
{
	static const size_t sizes[] = { 200, 2000, 20000, LINES };
	struct list list = { .text = malloc(LINES * 40) };
	char name[64];

	if (!list.text) {
		fputs("bench-num: out of memory\n", stderr);
		return false;
	}
	printf("addr2func: lines of the list\tpages\tlines looked at, each address\tpages looked at\n");
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct nm_text text = { .read = read_list, .arg = &list };
		uint64_t state = 2;
		char *end = list.text;

		for (size_t i = 0; i < sizes[s]; i++)
			end += sprintf(end, "%016llx T function_%zu\n", (unsigned long long)(0x400000 + i * 16), i);
		text.len = end - list.text;
		list.pages = 0;
		for (int i = 0; i < 1000; i++) {
			list.nr_seen = 0;
			sink += nm_search(&text, 0x400000 + next_random(&state) % (sizes[s] * 16), name, sizeof(name));
		}
		printf("%zu\t%llu\t%.1f\t%.1f\n", sizes[s], (unsigned long long)text.len / 4096, text.looked / 1000.0,
		       list.pages / 1000.0);
	}
	free(list.text);
	return true;
}

int main(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < NR; i++) {
		uint64_t below = 10;

		for (uint64_t d = next_random(&state) % 19; d; d--)
			below *= 10;
		numbers[i] = next_random(&state) % below;
		snprintf(texts[i], sizeof(texts[i]), "%llu", (unsigned long long)numbers[i]);
	}
	printf("what\tours, ns\tbeside\tits ns\ttimes faster\n");
	row("to decimal", our_decimal, "printf()", printf_decimal);
	row("", our_decimal, "floating point reciprocal", reciprocal_decimal);
	row("to hexadecimal", our_hex, "printf()", printf_hex);
	row("to binary, 64 digits", our_binary, "printf()", printf_binary);
	row("from decimal", our_number, "strtoull()", strtoull_number);
	row("number of digits", our_ndigits, "binary search by branches", branch_ndigits);
	row("", our_ndigits, "binary search without", table_ndigits);
	row("", our_ndigits, "by dividing", loop_ndigits);
	return searches() ? 0 : 1;
}
