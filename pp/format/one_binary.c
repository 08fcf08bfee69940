// SPDX-License-Identifier: GPL-2.0-or-later
/* one_binary.c -- choice of one binary of a profile; samples of its build by address. */
#include "config.h"
#include "pp/format/one_binary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/base/search.h"
#include "pp/image/image.h"
#include "pp/profile/warnings.h"

/* maximum number of names in a message; the message only counts further names */
#define MAX_NAMED	5

/* Return the binary's samples of the class @class (of the event, for example), summed over all
 * programs. */
static uint64_t sum_of(const struct pp_profile *profile, size_t class, uint32_t binary)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->nr_groups; i++)
		if (profile->groups[i].binary == binary)
			sum += profile->groups[i].counts[class];
	return sum;
}

/* Return whether @word is the whole path @title, or its last component. */
static bool names(const char *word, const char *title)
{
	const char *base = strrchr(title, '/');

	return !strcmp(word, title) || (base && !strchr(word, '/') && !strcmp(word, base + 1));
}

static bool is_named(const struct pp_spec *spec, const char *title)
{
	static const enum pp_tag tags[] = { PP_TAG_BINARY, PP_TAG_IMAGE, PP_TAG_LIB_IMAGE };

	for (size_t t = 0; t < sizeof(tags) / sizeof(tags[0]); t++)
		for (size_t i = 0; i < spec->tags[tags[t]].nr; i++)
			if (names(spec->tags[tags[t]].items[i], title))
				return true;
	return false;
}

/* If the user named a program whose own file has no samples although its libraries have samples,
 * return the program's title, else NULL. */
static const char *named_without_samples(const struct pp_session *session)
{
	static const enum pp_tag tags[] = { PP_TAG_BINARY, PP_TAG_IMAGE };
	const struct pp_files *files = &session->files;

	for (size_t t = 0; t < sizeof(tags) / sizeof(tags[0]); t++) {
		const struct pp_values *words = &session->spec->tags[tags[t]];

		for (size_t i = 0; i < words->nr; i++)
			for (size_t f = 0; f < files->nr; f++)
				if (names(words->items[i], files->items[f].name.app.path))
					return files->items[f].name.app.path;
	}
	return NULL;
}

/* Fail because several binaries of the profile have samples, and list these binaries in the log. */
static int refuse(const struct pp_profile *profile, size_t class, struct pp_log *log)
{
	char *text = NULL;
	size_t size, nr = 0;
	FILE *f = open_memstream(&text, &size);

	if (f)
		fputs("cannot choose a binary, because the samples are in several binaries; "
		      "select a binary with binary:NAME:", f);
	for (uint32_t i = 0; f && i < profile->nr_binaries; i++) {
		uint64_t sum = sum_of(profile, class, i);

		if (!sum)
			continue;
		if (nr++ < MAX_NAMED)
			op_clean_printf(f, "\n  %s (%" PRIu64 " samples)",
					profile->binaries[i].title, sum);
	}
	if (f && nr > MAX_NAMED)
		fprintf(f, "\n  and %zu more", nr - MAX_NAMED);
	return op_fail_lines(&log->error, -EINVAL, f, &text);
}

int pp_binary_choose(uint32_t *ret, const struct pp_session *session,
		     const struct pp_profile *profile, size_t class, struct pp_log *log)
{
	size_t nr = 0, nr_named = 0;
	uint32_t last = 0, named = 0;

	for (uint32_t i = 0; i < profile->nr_binaries; i++) {
		if (!sum_of(profile, class, i))
			continue;
		nr++;
		last = i;
		if (is_named(session->spec, profile->binaries[i].title)) {
			nr_named++;
			named = i;
		}
	}
	if (nr == 1 && !nr_named && named_without_samples(session)) {
		return op_fail(&log->error, -EINVAL,
			       "%s: has no samples in its own code: all its samples are in %s; "
			       "name that binary instead",
			       named_without_samples(session), profile->binaries[last].title);
	}
	if (nr != 1 && nr_named != 1)
		return refuse(profile, class, log);
	if (nr > 1)
		pp_verbose(log, "samples in %zu other %s skipped", nr - 1,
			   op_plural(nr - 1, "binary are", "binaries are"));
	*ret = nr == 1 ? last : named;
	return 0;
}

/* Check that the file of the profiled build exists. */
static int check_build(const struct pp_binary *binary, const char *consumer, struct pp_log *log)
{
	char gone[PP_GONE_ID_SIZE];

	if (binary->name->kind == OP_IMAGE_ANON)
		return op_fail(&log->error, -EINVAL, "%s: is not a file, so %s cannot use its "
			       "samples", binary->title, consumer);
	switch (binary->info.state) {
	case PP_IMAGE_OK:
	case PP_IMAGE_CHANGED:
		break;
	case PP_IMAGE_NO_SYMBOLS:
		return op_fail(&log->error, -EINVAL,
			       "%s: has no symbols, so its samples belong to no function; install "
			       "its debug file, or use --debuginfod", binary->title);
	case PP_IMAGE_KEPT:
	case PP_IMAGE_MISSING:
		return op_fail(&log->error, -EINVAL,
			       "%s: %s needs the binary as it was profiled. " PP_GONE_WAYS "%s",
			       binary->title, consumer, pp_gone_id(gone, binary));
	}
	return 0;
}

/* A sampled address of the chosen binary, before the addresses are sorted. */
struct point {
	const struct pp_code *code;
	uint64_t vma, count;
};

static int compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	int order = op_compare_u64(x->code->vma, y->code->vma);

	if (!order)
		order = op_compare_u64((uintptr_t)x->code, (uintptr_t)y->code);
	return order ? order : op_compare_u64(x->vma, y->vma);
}

/* Add the samples of a function to @points, or to one of the sums of ignored samples. */
static size_t add_entry(struct pp_one_binary *one, const struct pp_profile *profile,
			const struct pp_entry *entry, struct point *points)
{
	const struct pp_details *details = pp_entry_details(profile, entry);
	const struct pp_code *code = pp_entry_code(profile, entry);
	size_t nr = 0;

	if (code->build != one->binary->build || code->kind == PP_CODE_RAW) {
		one->other_builds += entry->counts[0];
		return 0;
	}
	if (code->kind != PP_CODE_SYMBOL || !details) {
		one->no_symbol += entry->counts[0];
		return 0;
	}
	for (size_t i = 0; i < details->nr; i++)
		if (details->items[i].counts[0])
			points[nr++] = (struct point){ code, details->items[i].vma,
						       details->items[i].counts[0] };
	return nr;
}

static size_t max_points(const struct pp_profile *profile)
{
	size_t nr = 0;

	for (size_t i = 0; i < profile->nr_details; i++)
		nr += profile->details[i].nr;
	return nr;
}

/* Add the sorted points to the lists .functions and .addresses. */
static void add_points(struct pp_one_binary *one, const struct point *points, size_t nr)
{
	struct pp_sampled *function = NULL;

	for (size_t i = 0; i < nr; i++) {
		if (!i || points[i].code != points[i - 1].code) {
			function = &one->functions[one->nr_functions++];
			*function = (struct pp_sampled){ points[i].code, one->nr_addresses, 0, 0 };
		}
		if (!function->nr || points[i].vma != points[i - 1].vma) {
			one->addresses[one->nr_addresses++] =
				(struct pp_address){ points[i].vma, 0 };
			function->nr++;
		}
		one->addresses[one->nr_addresses - 1].count += points[i].count;
		function->sum += points[i].count;
		one->sum += points[i].count;
	}
}

static int collect(struct pp_one_binary *one, const struct pp_profile *profile)
{
	size_t max = max_points(profile), nr = 0;
	struct point *points = calloc(max + 1, sizeof(*points));

	one->addresses = calloc(max + 1, sizeof(*one->addresses));
	one->functions = calloc(max + 1, sizeof(*one->functions));
	if (!points || !one->addresses || !one->functions) {
		free(points);
		return -ENOMEM;
	}
	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];

		if (&profile->binaries[pp_entry_code(profile, entry)->binary] == one->binary)
			nr += add_entry(one, profile, entry, points + nr);
	}
	qsort(points, nr, sizeof(*points), compare_points);
	add_points(one, points, nr);
	free(points);
	return 0;
}

/* Warn about the ignored samples: samples of other builds, and samples without a symbol. */
static void warn_left_out(const struct pp_one_binary *one, struct pp_log *log)
{
	const char *id = one->binary->info.build_id;

	if (one->other_builds)
		pp_warn(log, "%s: %" PRIu64 " %s of other builds of the file left out; %" PRIu64
			" %s of build %s", one->binary->title, one->other_builds,
			op_plural(one->other_builds, "sample is", "samples are"), one->sum,
			op_plural(one->sum, "is", "are"), id ? id : "without a build-id");
	if (one->no_symbol)
		pp_warn(log, "%s: left out %" PRIu64 " %s in no function",
			one->binary->title, one->no_symbol,
			op_plural(one->no_symbol, "sample that is", "samples that are"));
}

static int fill(struct pp_one_binary *one, const struct pp_report *report, const char *consumer)
{
	struct pp_log *log = report->log;
	int err = check_build(one->binary, consumer, log);

	if (!err)
		err = pp_image_open(&one->image, report->images, one->binary->name, log);
	if (!err)
		err = pp_image_begin(one->image, &one->binary->samples);
	if (err)
		return err;
	pp_image_info(one->image, true, &one->info);
	if (collect(one, report->profile))
		return -ENOMEM;
	if (!one->sum && one->other_builds)
		return op_fail(&log->error, -EINVAL,
			       "%s: is another build than the profiled one, so %s cannot use the "
			       "samples; profile the program again, or name the place of the "
			       "profiled build with --image-path=DIR or --root=DIR",
			       one->binary->title, consumer);
	if (!one->sum)
		return op_fail(&log->error, -EINVAL, "%s: no sample is in a function",
			       one->binary->title);
	warn_left_out(one, log);
	return 0;
}

int pp_one_binary_open(struct pp_one_binary *ret, const struct pp_report *report,
		       const char *consumer)
{
	struct pp_one_binary one = { .binary = NULL };
	uint32_t binary;
	int err = pp_binary_choose(&binary, report->session, report->profile, 0, report->log);

	if (err)
		return err;
	one.binary = &report->profile->binaries[binary];
	err = fill(&one, report, consumer);
	if (err)
		pp_one_binary_release(&one);
	else
		*ret = one;
	return err;
}

int pp_one_binary_need_file(const struct pp_one_binary *one, const char *consumer,
			    struct pp_log *log)
{
	if (one->binary->name->kind == OP_IMAGE_ROOT && one->info.has_elf &&
	    !one->binary->samples.is_kernel)
		return 0;
	return op_fail(&log->error, -EINVAL,
		       "%s: %s reads profiles of programs and libraries only", one->binary->title,
		       consumer);
}

void pp_one_binary_release(struct pp_one_binary *one)
{
	pp_image_close(one->image);
	free(one->addresses);
	free(one->functions);
	*one = (struct pp_one_binary){ .binary = NULL };
}
