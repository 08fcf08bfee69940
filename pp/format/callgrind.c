// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callgrind.c -- the format of valgrind's callgrind, for callgrind_annotate and KCachegrind: costs
 * of lines by file, function and binary; and recorded calls.
 *
 * The format does not distinguish programs, so a function's samples are summed over all programs. A
 * name is defined once, after a number, so that readers do not parse it as syntax.
 */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "pp/format/format.h"
#include "pp/format/stacks.h"

/* A source line of a function, with its samples. */
struct cost {
	uint32_t code, line;
	/* source file of the line; NULL: the function's own file, or unknown */
	const char *file;
	const uint64_t *counts;
};

struct callgrind {
	const struct pp_report *report;
	FILE *out;
	struct pp_stacks stacks; /* names of the programs, images and functions in the profile */
	struct cost *costs;
	size_t nr_costs;
	/* calls, sorted by caller, then callee */
	const struct pp_arc **arcs;
	/* names of source files, sorted, without duplicates; their numbers in the output start at
	 * 2, because 1 is "???" */
	const char **files;
	size_t nr_files;
	/* for each file, binary and function, by its number: whether its name has been written */
	uint8_t *file_named, *binary_named, *code_named;
	uint8_t unknown_named;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *file_of(const struct callgrind *c, const struct cost *cost)
{
	return cost->file ? cost->file : c->report->profile->codes[cost->code].file;
}

static int compare_costs(const void *a, const void *b, void *arg)
{
	const struct cost *x = a, *y = b;
	const char *f, *g;
	int d;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	f = file_of(arg, x);
	g = file_of(arg, y);
	d = strcmp(f ? f : "", g ? g : "");
	if (d)
		return d;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int compare_arcs(const void *a, const void *b)
{
	const struct pp_arc *x = *(const struct pp_arc *const *)a,
			    *y = *(const struct pp_arc *const *)b;

	if (x->caller.code != y->caller.code)
		return x->caller.code < y->caller.code ? -1 : 1;
	return x->callee.code < y->callee.code ? -1 : x->callee.code > y->callee.code;
}

static size_t count_costs(const struct pp_profile *profile)
{
	size_t nr = 0;

	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_details *details = pp_entry_details(profile, &profile->entries[i]);

		nr += details && details->frames ? details->nr : 1;
	}
	return nr;
}

static void collect_costs(struct callgrind *c)
{
	const struct pp_profile *profile = c->report->profile;

	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_details *details = pp_entry_details(profile, entry);

		if (!details || !details->frames) {
			c->costs[c->nr_costs++] = (struct cost){
				.code = entry->code,
				.line = profile->codes[entry->code].line,
				.counts = entry->counts,
			};
			continue;
		}
		for (size_t d = 0; d < details->nr; d++) {
			const struct pp_frames *frames = &details->frames[d];

			c->costs[c->nr_costs++] = (struct cost){
				.code = entry->code,
				.line = frames->nr ? frames->items[0].line : 0,
				.file = frames->nr ? frames->items[0].file : NULL,
				.counts = details->items[d].counts,
			};
		}
	}
	qsort_r(c->costs, c->nr_costs, sizeof(*c->costs), compare_costs, c);
}

static int collect_files(struct callgrind *c)
{
	const struct pp_profile *profile = c->report->profile;
	size_t nr = 0, unique = 0;

	c->files = calloc(c->nr_costs + profile->nr_codes + 1, sizeof(*c->files));
	if (!c->files)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr_costs; i++)
		if (file_of(c, &c->costs[i]))
			c->files[nr++] = file_of(c, &c->costs[i]);
	for (size_t i = 0; i < profile->nr_codes; i++)
		if (profile->codes[i].file)
			c->files[nr++] = profile->codes[i].file;
	qsort(c->files, nr, sizeof(*c->files), compare_names);
	for (size_t i = 0; i < nr; i++)
		if (!unique || strcmp(c->files[i], c->files[unique - 1]))
			c->files[unique++] = c->files[i];
	c->nr_files = unique;
	return 0;
}

static int collect(struct callgrind *c)
{
	const struct pp_profile *profile = c->report->profile;

	c->costs = calloc(count_costs(profile) + 1, sizeof(*c->costs));
	c->arcs = calloc(profile->nr_arcs + 1, sizeof(*c->arcs));
	if (!c->costs || !c->arcs)
		return -ENOMEM;
	collect_costs(c);
	for (size_t i = 0; i < profile->nr_arcs; i++)
		c->arcs[i] = &profile->arcs[i];
	qsort(c->arcs, profile->nr_arcs, sizeof(*c->arcs), compare_arcs);
	if (collect_files(c))
		return -ENOMEM;
	c->file_named = calloc(c->nr_files + 1, 1);
	c->binary_named = calloc(profile->nr_binaries + 1, 1);
	c->code_named = calloc(profile->nr_codes + 1, 1);
	return c->file_named && c->binary_named && c->code_named ? 0 : -ENOMEM;
}

/* Write a reference to a name: "fn=(7) name" at the first use, later "fn=(7)". */
static void put_name(struct callgrind *c, const char *what, size_t number, const char *name,
		     uint8_t *named)
{
	char buf[OP_CLEAN_MAX];

	if (*named)
		fprintf(c->out, "%s=(%zu)\n", what, number);
	else
		fprintf(c->out, "%s=(%zu) %s\n", what, number, op_clean(buf, sizeof(buf), name));
	*named = 1;
}

static void put_file(struct callgrind *c, const char *what, const char *file)
{
	const char **found;

	if (!file) {
		put_name(c, what, 1, "???", &c->unknown_named);
		return;
	}
	found = bsearch(&file, c->files, c->nr_files, sizeof(*c->files), compare_names);
	put_name(c, what, found - c->files + 2, file, &c->file_named[found - c->files]);
}

static void put_binary(struct callgrind *c, const char *what, uint32_t code)
{
	uint32_t binary = c->report->profile->codes[code].binary;

	put_name(c, what, binary + 1, c->report->profile->binaries[binary].title,
		 &c->binary_named[binary]);
}

static void put_function(struct callgrind *c, const char *what, uint32_t code)
{
	put_name(c, what, code + 1,
		 pp_stack_code_name(&c->stacks, &c->report->profile->codes[code]),
		 &c->code_named[code]);
}

/* Print the counts of all events as the end of a line. */
static void put_values(struct callgrind *c, const uint64_t *counts)
{
	const struct pp_report *report = c->report;

	for (size_t i = 0; i < report->profile->nr_classes; i++)
		for (size_t side = 0; side < pp_nr_sides(report); side++)
			fprintf(c->out, " %" PRIu64, counts[pp_side_at(report, side) + i]);
	putc('\n', c->out);
}

static void put_counts(struct callgrind *c, uint32_t line, const uint64_t *counts)
{
	fprintf(c->out, "%" PRIu32, line);
	put_values(c, counts);
}

static void add(struct callgrind *c, uint64_t *sums, const uint64_t *counts)
{
	for (size_t i = 0; i < pp_shown_counts(c->report->profile); i++)
		sums[i] += counts[i];
}

/* Print the costs from @first up to, but not including, @end, all of one function. Before lines of
 * inlined code, print the name of their source file. */
static void put_costs(struct callgrind *c, size_t first, size_t end)
{
	const struct pp_code *code = &c->report->profile->codes[c->costs[first].code];
	const char *file = code->file;

	for (size_t i = first, j; i < end; i = j) {
		const char *at = file_of(c, &c->costs[i]);
		uint64_t sums[2 * PP_MAX_CLASSES] = { 0 };

		if (at != file && (!at || !file || strcmp(at, file)))
			put_file(c, at && (!code->file || strcmp(at, code->file)) ? "fi" : "fe",
				 at);
		file = at;
		for (j = i; j < end && c->costs[j].line == c->costs[i].line; j++) {
			const char *other = file_of(c, &c->costs[j]);

			if (other != at && (!other || !at || strcmp(other, at)))
				break;
			add(c, sums, c->costs[j].counts);
		}
		put_counts(c, c->costs[i].line, sums);
	}
}

/* Print the calls from @first up to, but not including, @end, which all have the same caller. Sum
 * the calls of all programs. */
static void put_arcs(struct callgrind *c, size_t first, size_t end)
{
	const struct pp_profile *profile = c->report->profile;

	for (size_t i = first, j; i < end; i = j) {
		uint32_t callee = c->arcs[i]->callee.code;
		uint64_t sums[2 * PP_MAX_CLASSES] = { 0 }, calls = 0;

		for (j = i; j < end && c->arcs[j]->callee.code == callee; j++)
			add(c, sums, c->arcs[j]->counts);
		/* If the session did not count calls, print the samples of each call instead of the
		 * number of calls. */
		for (size_t k = 0; k < profile->nr_classes; k++)
			calls += profile->calls == profile->nr_classes || k == profile->calls
					 ? sums[k]
					 : 0;
		put_binary(c, "cob", callee);
		put_file(c, "cfi", profile->codes[callee].file);
		put_function(c, "cfn", callee);
		fprintf(c->out, "calls=%" PRIu64 " %" PRIu32 "\n", calls,
			profile->codes[callee].line);
		put_counts(c, profile->codes[c->arcs[i]->caller.code].line, sums);
	}
}

static void put_functions(struct callgrind *c)
{
	const struct pp_profile *profile = c->report->profile;
	size_t arc = 0;

	for (size_t i = 0, j; i < c->nr_costs; i = j) {
		uint32_t code = c->costs[i].code;
		size_t first;

		for (j = i; j < c->nr_costs && c->costs[j].code == code; j++)
			;
		putc('\n', c->out);
		put_binary(c, "ob", code);
		put_file(c, "fl", profile->codes[code].file);
		put_function(c, "fn", code);
		put_costs(c, i, j);
		while (arc < profile->nr_arcs && c->arcs[arc]->caller.code < code)
			arc++;
		for (first = arc; arc < profile->nr_arcs && c->arcs[arc]->caller.code == code;)
			arc++;
		put_arcs(c, first, arc);
	}
}

/* Print the name of an event. The format allows letters, digits and underscores. */
static void put_event(FILE *out, const struct pp_report *report, size_t side, size_t class)
{
	char label[256];

	pp_side_label(label, sizeof(label), report, side, class);
	putc(' ', out);
	for (const char *s = label; *s; s++)
		putc(isalnum((unsigned char)*s) ? *s : '_', out);
}

static void put_header(struct callgrind *c)
{
	char buf[OP_CLEAN_MAX];

	fputs("# callgrind format\nversion: 1\ncreator: " PACKAGE_STRING "\n", c->out);
	fprintf(c->out, "cmd: %s\n", op_clean(buf, sizeof(buf), c->report->command));
	fputs("positions: line\nevents:", c->out);
	for (size_t i = 0; i < c->report->profile->nr_classes; i++)
		for (size_t side = 0; side < pp_nr_sides(c->report); side++)
			put_event(c->out, c->report, side, i);
	putc('\n', c->out);
}

static void put_sums(struct callgrind *c, const char *what)
{
	uint64_t sums[2 * PP_MAX_CLASSES] = { 0 };

	for (size_t i = 0; i < c->nr_costs; i++)
		add(c, sums, c->costs[i].counts);
	fputs(what, c->out);
	put_values(c, sums);
}

static int write_callgrind(const struct pp_report *report)
{
	struct callgrind c = { .report = report, .out = report->out };
	int err = pp_stacks_make(&c.stacks, report);

	if (!err)
		err = collect(&c);
	if (!err) {
		put_header(&c);
		put_sums(&c, "summary:");
		put_functions(&c);
		putc('\n', c.out);
		put_sums(&c, "totals:");
	}
	pp_stacks_release(&c.stacks);
	free(c.costs);
	free(c.arcs);
	free(c.files);
	free(c.file_named);
	free(c.binary_named);
	free(c.code_named);
	return err;
}

const struct pp_format_ops pp_format_callgrind = {
	.name = "callgrind",
	.what = "for callgrind_annotate and KCachegrind",
	.needs = PP_NEED_SYMBOLS | PP_NEED_ARCS | PP_NEED_PATHS,
	.flags = PP_FORMAT_MANY_AXES | PP_FORMAT_DIFF,
	.write = write_callgrind,
};
