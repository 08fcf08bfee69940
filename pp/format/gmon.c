// SPDX-License-Identifier: GPL-2.0-or-later
/* gmon.c -- writing of gmon.out. */
#include "config.h"
#include "pp/format/gmon.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define UNIT		2		/* bytes of code in a bin, the least for gprof */
#define MAX_BIN		UINT16_MAX
/* bins without a function that take less room than another record */
#define MAX_GAP		32
#define TAG_HISTOGRAM	0
#define TAG_ARC		1

/* Store the range of bins that gprof counts for a function. An odd first byte shares its bin
 * with the previous function, which may not use it. */
static void bins_of(const struct pp_gmon_function *f, uint64_t *first, uint64_t *end)
{
	*first = f->start / UNIT;
	*end = f->followed ? f->end / UNIT : (f->end + 1) / UNIT;
	if (f->start % UNIT && *first + 1 < *end)
		(*first)++;
}

bool pp_gmon_has_bin(const struct pp_gmon_function *function)
{
	uint64_t first, end;

	bins_of(function, &first, &end);
	return first < end;
}

static void put(const struct pp_gmon *gmon, FILE *out, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		putc_unlocked((value >> (8 * (gmon->big_endian ? size - 1 - i : i))) & 0xff, out);
}

static void put_address(const struct pp_gmon *gmon, FILE *out, uint64_t address)
{
	put(gmon, out, address, gmon->is64 ? 8 : 4);
}

static void write_record(const struct pp_gmon *gmon, FILE *out, uint64_t first, uint64_t *bins,
			 size_t nr)
{
	putc_unlocked(TAG_HISTOGRAM, out);
	put_address(gmon, out, first * UNIT);
	put_address(gmon, out, (first + nr) * UNIT);
	put(gmon, out, nr, 4);
	put(gmon, out, 1, 4);	/* the meaning of a count of one: a sample */
	fwrite_unlocked("samples\0\0\0\0\0\0\0\0", 1, 15, out);
	putc_unlocked('1', out);
	for (size_t i = 0; i < nr; i++) {
		uint64_t part = bins[i] < MAX_BIN ? bins[i] : MAX_BIN;

		put(gmon, out, part, 2);
		bins[i] -= part;
	}
}

static int fill(const struct pp_gmon_function *f, uint64_t record_first, uint64_t *bins)
{
	uint64_t first, end;

	bins_of(f, &first, &end);
	for (size_t i = 0; i < f->nr_samples; i++) {
		uint64_t bin = f->samples[i].vma / UNIT;

		if (bin < first)
			bin = first;
		if (bin >= end)
			bin = end - 1;
		bins[bin - record_first] += f->samples[i].count;
	}
	for (uint64_t bin = first; bin < end; bin++)
		if (bins[bin - record_first] > PP_GMON_MAX)
			return -EOVERFLOW;
	return 0;
}

/* Write @nr neighbouring functions as one record, repeated until the bins are empty.
 */
static int write_cluster(const struct pp_gmon *gmon, FILE *out, const struct pp_gmon_function *f,
			 size_t nr)
{
	uint64_t first, end, unused, largest = 0;
	uint64_t *bins;
	int err = 0;

	bins_of(&f[0], &first, &unused);
	bins_of(&f[nr - 1], &unused, &end);
	bins = calloc(end - first, sizeof(*bins));
	if (!bins)
		return -ENOMEM;
	for (size_t i = 0; i < nr && !err; i++)
		err = fill(&f[i], first, bins);
	for (size_t i = 0; i < end - first; i++)
		if (bins[i] > largest)
			largest = bins[i];
	for (uint64_t rest = largest; rest && !err; rest -= rest < MAX_BIN ? rest : MAX_BIN)
		write_record(gmon, out, first, bins, end - first);
	free(bins);
	return err;
}

static uint64_t sum_of(const struct pp_gmon_function *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->nr_samples; i++)
		sum += f->samples[i].count;
	return sum;
}

/* Return whether two functions may share a record. A function whose record may be repeated has
 * its own. */
static bool may_join(const struct pp_gmon_function *a, const struct pp_gmon_function *b)
{
	uint64_t a_first, a_end, b_first, b_end;

	bins_of(a, &a_first, &a_end);
	bins_of(b, &b_first, &b_end);
	return b_first >= a_end && b_first - a_end <= MAX_GAP && sum_of(a) <= MAX_BIN &&
	       sum_of(b) <= MAX_BIN;
}

/* Write a large count as several equal arcs: gprof reads 32 bits, and sums equal arcs. */
static void write_arc(const struct pp_gmon *gmon, FILE *out, const struct pp_gmon_arc *arc)
{
	for (uint64_t rest = arc->count; rest;) {
		uint64_t part = rest < UINT32_MAX ? rest : UINT32_MAX;

		putc_unlocked(TAG_ARC, out);
		put_address(gmon, out, arc->from);
		put_address(gmon, out, arc->to);
		put(gmon, out, part, 4);
		rest -= part;
	}
}

int pp_gmon_write(FILE *out, const struct pp_gmon *gmon)
{
	int err = 0;

	fwrite_unlocked("gmon", 1, 4, out);
	put(gmon, out, 1, 4);
	for (int i = 0; i < 12; i++)
		putc_unlocked(0, out);
	for (size_t i = 0, j; i < gmon->nr_functions && !err; i = j) {
		for (j = i + 1; j < gmon->nr_functions; j++)
			if (!may_join(&gmon->functions[j - 1], &gmon->functions[j]))
				break;
		err = write_cluster(gmon, out, &gmon->functions[i], j - i);
	}
	for (size_t i = 0; i < gmon->nr_arcs && !err; i++)
		write_arc(gmon, out, &gmon->arcs[i]);
	return err;
}

/* Return the text after a suffix such as ".2", ".clone.2" or ".constprop.2" at @p, which gprof
 * accepts in names, or NULL for another suffix. */
static const char *skip_suffix(const char *p)
{
	int digit = 0;

	if (!strncmp(p, ".clone.", 7) && p[7])
		p += 6;
	else if (!strncmp(p, ".constprop.", 11) && p[11])
		p += 10;
	for (p++; *p; p++) {
		if (digit && *p == '.')
			return p;
		if (!isdigit((unsigned char)*p))
			return NULL;
		digit = 1;
	}
	return p;
}

bool pp_gmon_knows(const char *name, int is_local)
{
	if (!is_local)
		return true;
	while (name && *name) {
		if (*name == '$')
			return false;
		name = *name == '.' ? skip_suffix(name) : name + 1;
	}
	return name != NULL;
}
