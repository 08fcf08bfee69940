// SPDX-License-Identifier: GPL-2.0-or-later
/* gmon.c -- writes gmon.out, and selects the functions that gprof accepts. */
#include "config.h"
#include "pp/format/gmon.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/profile/sort.h"

/* bytes of code in a histogram bin; the minimum that gprof accepts */
#define UNIT		2
#define MAX_BIN		UINT16_MAX
/* maximum number of unused bins in a record; a longer gap needs more bytes than the head of a new
 * record */
#define MAX_GAP		32
#define TAG_HISTOGRAM	0
#define TAG_ARC		1

/* Compute the range of 2-byte bins that gprof counts for a function. If the function begins at an
 * odd address, its first byte is in the previous function's last bin, so the range begins with the
 * next bin. */
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
	/* rate 1 with the unit "samples", so that gprof prints numbers of samples */
	put(gmon, out, 1, 4);
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

/* Write @nr adjacent functions as one record. If a count does not fit into the 16 bits of a bin,
 * write further records with the rest for the same range, which gprof sums. */
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

/* Return whether two functions may share a histogram record. If a function has more samples than
 * fit into a bin, its record is repeated, so the function must not share the record. */
static bool may_join(const struct pp_gmon_function *a, const struct pp_gmon_function *b)
{
	uint64_t a_first, a_end, b_first, b_end;

	bins_of(a, &a_first, &a_end);
	bins_of(b, &b_first, &b_end);
	return b_first >= a_end && b_first - a_end <= MAX_GAP && sum_of(a) <= MAX_BIN &&
	       sum_of(b) <= MAX_BIN;
}

/* Write a call with a large count as several equal calls: gprof reads counts of 32 bits, and sums
 * equal calls. */
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

/* If @p is a suffix that gprof accepts in names, such as ".2", ".clone.2" or ".constprop.2", return
 * the text after it, else NULL. */
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

bool pp_gmon_knows(const char *name, bool is_local)
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

/* Count the @count samples of the function @name, which gprof ignores, for a warning. */
static int count_excluded(struct pp_gmon_functions *f, const char *name, uint64_t count)
{
	char *names;

	f->left_out += count;
	if (f->nr_left_out++ >= PP_GMON_MAX_NAMED)
		return 0;
	if (asprintf(&names, "%s%s%s", f->left_out_names ? f->left_out_names : "",
		     f->left_out_names ? ", " : "", name) < 0)
		return -ENOMEM;
	free(f->left_out_names);
	f->left_out_names = names;
	return 0;
}

static bool begins_at(struct pp_image *image, uint64_t vma)
{
	uint32_t symbol = pp_image_lookup_vma(image, vma);
	struct pp_symbol_info info;

	if (symbol >= PP_RAW)
		return false;
	pp_image_symbol(image, symbol, &info);
	return info.vma == vma;
}

/* Return whether gprof accepts the function's linkage name. */
static bool is_known(struct pp_image *image, const struct pp_code *code)
{
	uint32_t symbol = pp_image_lookup_vma(image, code->vma);
	struct pp_symbol_info info;

	if (code->kind != PP_CODE_SYMBOL || symbol >= PP_RAW)
		return false;
	pp_image_symbol(image, symbol, &info);
	return !strstr(info.name, "@plt") && pp_gmon_knows(info.name, info.is_local);
}

/* Find the function from which the compiler split the code @part, which has a name such as
 * NAME.part.0 or NAME.isra.0. */
static bool find_whole(struct pp_image *image, const struct pp_code *part,
		       struct pp_symbol_info *ret)
{
	static const char *const suffixes[] = { ".part.", ".isra.", ".constprop.", ".cold" };
	uint32_t nr = pp_image_nr_symbols(image), symbol = pp_image_lookup_vma(image, part->vma);
	struct pp_symbol_info info;
	const char *suffix = NULL;
	char *name;
	bool found = false;

	if (part->kind != PP_CODE_SYMBOL || symbol >= PP_RAW)
		return 0;
	pp_image_symbol(image, symbol, &info);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *at = strstr(info.name, suffixes[i]);

		if (at && (!suffix || at < suffix))
			suffix = at;
	}
	name = suffix ? strndup(info.name, suffix - info.name) : NULL;
	for (uint32_t i = 0; name && i < nr && !found; i++) {
		pp_image_symbol(image, i, ret);
		found = !strcmp(ret->name, name) && pp_gmon_knows(ret->name, ret->is_local);
	}
	free(name);
	return found;
}

/* Add the samples of a part that the compiler split off a function to that function, because gprof
 * ignores the part. Return whether the function was found. */
static bool add_part(struct pp_gmon_functions *f, const struct pp_entry *entry)
{
	struct pp_symbol_info whole;
	struct pp_gmon_function function;

	if (!find_whole(f->image, pp_entry_code(f->profile, entry), &whole))
		return false;
	for (size_t i = 0; i < f->nr; i++) {
		if (f->items[i].start != whole.vma)
			continue;
		f->samples[f->items[i].samples - f->samples].count +=
			entry->counts[f->samples_class];
		return true;
	}
	function = (struct pp_gmon_function){
		.start = whole.vma,
		.end = whole.vma + whole.size,
		.followed = begins_at(f->image, whole.vma + whole.size),
		.samples = f->samples + f->nr_samples,
		.nr_samples = 1,
	};
	if (!pp_gmon_has_bin(&function))
		return false;
	f->samples[f->nr_samples++] =
		(struct pp_gmon_sample){whole.vma, entry->counts[f->samples_class]};
	f->items[f->nr++] = function;
	return true;
}

static bool is_wanted(const struct pp_gmon_functions *f, const struct pp_entry *entry)
{
	return pp_entry_code(f->profile, entry)->binary == f->binary && entry->counts &&
	       pp_entry_details(f->profile, entry) &&
	       pp_reaches(entry->counts + f->samples_class, f->profile->totals + f->samples_class,
			  1, f->threshold);
}

/* Add a function with its samples. Skip a function that gprof ignores; add_unknown() adds its
 * samples later. */
static int add_entry(struct pp_gmon_functions *f, const struct pp_entry *entry)
{
	const struct pp_code *code = pp_entry_code(f->profile, entry);
	const struct pp_details *details = pp_entry_details(f->profile, entry);
	struct pp_gmon_function function = {
		.start = code->vma,
		.end = code->vma + code->size,
		.samples = f->samples + f->nr_samples,
	};

	if (!is_wanted(f, entry) || !is_known(f->image, code))
		return 0;
	function.followed = begins_at(f->image, function.end);
	if (!pp_gmon_has_bin(&function))
		return count_excluded(f, code->name, entry->counts[f->samples_class]);
	for (size_t i = 0; i < details->nr; i++)
		f->samples[f->nr_samples++] = (struct pp_gmon_sample){
			details->items[i].vma, details->items[i].counts[f->samples_class]
		};
	function.nr_samples = details->nr;
	f->items[f->nr++] = function;
	return 0;
}

static int add_unknown(struct pp_gmon_functions *f, const struct pp_entry *entry)
{
	const struct pp_code *code = pp_entry_code(f->profile, entry);

	if (!is_wanted(f, entry) || is_known(f->image, code) || add_part(f, entry))
		return 0;
	return count_excluded(f, code->name, entry->counts[f->samples_class]);
}

static int compare_functions(const void *a, const void *b)
{
	const struct pp_gmon_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int pp_gmon_functions_collect(struct pp_gmon_functions *f)
{
	const struct pp_profile *profile = f->profile;
	size_t nr_samples = 0;
	int err = 0;

	for (size_t i = 0; i < profile->nr_details; i++)
		nr_samples += profile->details[i].nr;
	f->items = calloc(profile->nr_entries + 1, sizeof(*f->items));
	f->samples = calloc(nr_samples + 1, sizeof(*f->samples));
	f->arcs = calloc(profile->nr_arcs + 1, sizeof(*f->arcs));
	if (!f->items || !f->samples || !f->arcs)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_entries && !err; i++)
		err = add_entry(f, &profile->entries[i]);
	for (size_t i = 0; i < profile->nr_entries && !err; i++)
		err = add_unknown(f, &profile->entries[i]);
	if (f->nr)
		qsort(f->items, f->nr, sizeof(*f->items), compare_functions);
	for (size_t i = 0; i < profile->nr_arcs; i++) {
		const struct pp_code *caller = &profile->codes[profile->arcs[i].caller.code];
		const struct pp_code *callee = &profile->codes[profile->arcs[i].callee.code];

		if (caller->binary == f->binary && callee->binary == f->binary &&
		    is_known(f->image, caller) && is_known(f->image, callee) &&
		    profile->arcs[i].counts[f->calls_class])
			f->arcs[f->nr_arcs++] = (struct pp_gmon_arc){
				caller->vma, callee->vma, profile->arcs[i].counts[f->calls_class]
			};
	}
	return err;
}

void pp_gmon_functions_release(struct pp_gmon_functions *f)
{
	free(f->items);
	free(f->samples);
	free(f->arcs);
	free(f->left_out_names);
}
