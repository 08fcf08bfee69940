// SPDX-License-Identifier: GPL-2.0-or-later
/* path_why.c -- the share of complete call paths, and the shares of incomplete call paths by reason
 * and file. */
#include "config.h"
#include "pp/format/path_why.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "pp/format/percent.h"
#include "pp/format/stacks.h"
#include "pp/profile/arcs.h"

/* maximum number of shares; the last share sums all further reasons */
#define MAX_SHARES	32

/* The samples whose call paths are incomplete for one reason; if .reason is NULL, the samples with
 * complete paths. */
struct share {
	const char *reason;
	uint64_t samples;	/* number of samples with this reason in all columns of the range */
};

static const char *short_words_of(const struct pp_place *place)
{
	switch (place->kind) {
	case PP_PLACE_SHORT:
		return place->name;
	case PP_PLACE_FOLDED:
		return "folded";
	case PP_PLACE_LOST:
		return "lost";
	case PP_PLACE_UNKNOWN:
		return "frame not known";
	case PP_PLACE_TOO_DEEP:
		return "deeper than is shown";
	case PP_PLACE_NO_PATH:
		return "taken without a path";
	default:
		return NULL;
	}
}

/* Columns of counts to sum: all columns, or a single column if columns count different units. */
struct range {
	size_t first, end;
};

static uint64_t sum_range(const uint64_t *counts, struct range classes)
{
	uint64_t sum = 0;

	for (size_t c = classes.first; c < classes.end; c++)
		sum += counts[c];
	return sum;
}

static void add_share(struct share *shares, size_t *nr, const char *reason, uint64_t samples)
{
	size_t i = 0;

	while (i < *nr && (!shares[i].reason || strcmp(shares[i].reason, reason)))
		i++;
	if (i == MAX_SHARES)
		i--;
	else if (i == *nr)
		shares[(*nr)++] = (struct share){ .reason = reason };
	shares[i].samples += samples;
}

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return strcmp(x->reason, y->reason);
}

/* Store the share of complete call paths, then the shares of incomplete paths by reason, most
 * samples first. Return the number of shares, or 0 if the profile has no call paths. */
static size_t sum_shares(struct share shares[MAX_SHARES], const struct pp_profile *profile,
			 struct range classes)
{
	const struct pp_paths *paths = profile->paths;
	bool *is_short = paths ? calloc(paths->nr_nodes + 1, sizeof(*is_short)) : NULL;
	size_t nr = 1;

	if (!is_short)
		return 0;
	shares[0] = (struct share){.samples = sum_range(paths->nodes[PP_PATH_ROOT].total, classes)};
	/* Use the profile's tree, because the report's tree lacks paths below --threshold. */
	for (size_t i = 1; i < paths->nr_nodes; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		uint64_t samples = sum_range(node->total, classes);

		is_short[i] =
			is_short[node->parent] || pp_place_is_reason(&paths->places[node->place]);
		if (!is_short[i] || is_short[node->parent])
			continue;
		add_share(shares, &nr, short_words_of(&paths->places[node->place]), samples);
		shares[0].samples -= samples;
	}
	free(is_short);
	qsort(shares + 1, nr - 1, sizeof(*shares), compare_shares);
	while (nr > 1 && !shares[nr - 1].samples)
		nr--;
	return nr;
}

/* Print a sentence with the shares. @of: name of the only column that is summed, or NULL. */
static void put_sentence(FILE *out, const struct share *shares, size_t nr, const char *unit,
			 const char *of, void (*put_text)(FILE *out, const char *text))
{
	char percent[PP_PERCENT_SIZE];
	uint64_t all = 0;

	for (size_t i = 0; i < nr; i++)
		all += shares[i].samples;
	pp_percent(percent, shares[0].samples, all);
	/* Each unit is a plural that ends in s. After the number 1, omit the s. */
	fprintf(out, "The whole path is known for %s %% of %" PRIu64 " %.*s",
		percent + strspn(percent, " "), all, (int)(strlen(unit) - (all == 1)), unit);
	if (of) {
		fputs(" (", out);
		put_text(out, of);
		putc(')', out);
	}
	for (size_t i = 1; i < nr; i++) {
		pp_percent(percent, shares[i].samples, all);
		fprintf(out, "%s %s %% %s", i == 1 ? "; of the others" : ",",
			percent + strspn(percent, " "), shares[i].reason);
	}
	putc('.', out);
}

void pp_path_shares_put(FILE *out, const struct pp_report *report, const char *between,
			void (*put_text)(FILE *out, const char *text))
{
	const struct pp_profile *profile = report->profile;
	const struct pp_class *classes = report->session->classes.items;
	size_t step = profile->units_differ ? 1 : profile->nr_classes;
	bool is_first = true;

	if (report->session->files.wakers)
		return;
	for (size_t c = 0; c < profile->nr_classes; c += step) {
		const struct range range = { c, c + step };
		struct share shares[MAX_SHARES];
		char label[256];
		size_t nr;

		if (profile->paths && profile->units_differ &&
		    !profile->paths->nodes[PP_PATH_ROOT].total[c])
			continue;
		nr = sum_shares(shares, profile, range);
		if (!nr)
			return;
		if (!is_first)
			fputs(between, out);
		pp_class_label(label, sizeof(label), &classes[c]);
		put_sentence(out, shares, nr, pp_class_unit(&classes[c]),
			     step < profile->nr_classes ? label : NULL, put_text);
		is_first = false;
	}
}

/* maximum number of lines with reasons below a header; reasons with .is_option do not count */
#define MAX_LARGEST	3
/* list a reason only if it has at least this share of the samples, in percent */
#define MIN_PERCENT	1.0

#define NO_BINARY	UINT32_MAX
/* value of .binary for all memory without a file; larger than the index of any binary */
#define MADE_CODE	(UINT32_MAX - 1)

#define BUILD_WITH	"build it with -fasynchronous-unwind-tables or -fno-omit-frame-pointer"

#define FRAME_POINTER	"build it with -fno-omit-frame-pointer"

/* reason that replaces "no row" if the outermost frame is a function of Go's run-time system that
 * switches stacks */
#define GO_STACK	"Go changes stacks"

#define LARGER_COPY	"record with a larger --callgraph-stack=SIZE, at most 63K"

/* A text for the reason why call paths are incomplete: "BEFORE FILE AFTER: REMEDY". */
struct remedy {
	const char *words;	/* text of the reason, from op_path_end_words() */
	const char *before, *after;
	/* remedy with which the user gets complete call paths; NULL: no remedy */
	const char *text;
	/* the cause is the file that contains the outermost known frame */
	bool has_file;
	bool is_code; /* the cause is how the file with the outermost known frame was compiled */
	/* the remedy is an option for recording; MAX_LARGEST does not limit such reasons */
	bool is_option;
};

static const struct remedy remedies[] = {
	{ "table not loaded yet", "the unwind table of ", " was not loaded yet", "profile for a longer time", true, false, false },
	{ "table too large", "the unwind table of ", " is too large", NULL, true, false, false },
	{ "no row", "no unwind information in ", "", BUILD_WITH, true, true, false },
	{ "rule not expressible", "the unwind information of ", " has a rule that cannot be followed", FRAME_POINTER, true, true, false },
	{ "register not known", "the unwind information of ", " needs a register that was not saved", FRAME_POINTER, true, true, false },
	{ "stack not readable", "the stack was not readable", "", NULL, false, false, false },
	{ "stack does not grow", "the caller found for a frame of ", " lies below that frame on the stack", BUILD_WITH, true, true, false },
	{ "not after a call", "the return address found for a frame of ", " does not follow a call", BUILD_WITH, true, true, false },
	{ "too deep", "the path has more frames than are recorded", "", "record with a larger --callgraph=DEPTH", false, false, true },
	{ "task exiting", "the task was exiting", "", NULL, false, false, false },
	{ "copy of the stack too small", "the copy of the stack was too small", "", LARGER_COPY, false, false, true },
	{ "mapping not known", "the mapping of the code is not known", "", NULL, false, false, false },
	{ "no stack with the sample", "no stack came with the sample", "", NULL, false, false, false },
	{ "file not readable", "", " was deleted or replaced before its unwind table was made", "keep the file while it runs", true, false, false },
	{ "a caller may be missing", "a function without unwind information may have no frame of its own, so that its caller is missing",
	  "", "build its file with -fasynchronous-unwind-tables", false, false, false },
	{ "outer frames read at another time", "the copy of the stack was too small, and the outer frames, which were read at another time, may have changed",
	  "", LARGER_COPY, false, false, true },
	{ GO_STACK, "Go's runtime changes from the stack of a goroutine to another one in ",
	  ", where paths end", NULL, true, false, false },
	{ "caller not known", "the caller is not known", "", NULL, false, false, false },
};

static const struct remedy *find_remedy(const char *words)
{
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (!strcmp(remedies[i].words, words))
			return &remedies[i];
	return NULL;
}

/* The samples whose call paths are incomplete for one reason, in one file. */
struct why {
	const char *words;
	/* text that describes the reason, an element of remedies; NULL: no such text */
	const struct remedy *remedy;
	/* index of the file's binary in the profile, or one of NO_BINARY and MADE_CODE */
	uint32_t binary;
	uint64_t samples;
};

struct whys {
	const struct pp_report *report;
	/* columns of counts to sum: from .first up to, but not including, .end */
	size_t first, end;
	/* the report also has columns whose counts have another unit */
	bool is_one_of_many;
	struct why *items;
	size_t nr;
	uint64_t all; /* number of all samples, including samples with complete paths */
};

static uint64_t sum_of(const struct whys *w, const uint64_t *counts)
{
	uint64_t sum = 0;

	for (size_t c = w->first; counts && c < w->end; c++)
		sum += counts[c];
	return sum;
}

static uint32_t binary_of(const struct pp_profile *profile, const struct pp_place *place)
{
	uint32_t binary;

	if (place->code == PP_NO_CODE)
		return NO_BINARY;
	binary = profile->codes[place->code].binary;
	return profile->binaries[binary].name->kind == OP_IMAGE_ANON ? MADE_CODE : binary;
}

/* If @place, an element of a call path, is not a function but the reason why a path is incomplete,
 * return the reason, else NULL. */
static const char *words_of(const struct pp_place *place)
{
	switch (place->kind) {
	case PP_PLACE_SHORT:
		return place->name;
	case PP_PLACE_FOLDED:
		return "rare paths were folded to save room: record with a larger "
		       "--callgraph-limit=SIZE";
	case PP_PLACE_LOST:
		return "the path is lost, or its file is damaged";
	case PP_PLACE_UNKNOWN:
		return "a frame is not known";
	case PP_PLACE_TOO_DEEP:
		return "more functions than a report shows";
	case PP_PLACE_NO_PATH:
		return "the sample was taken without a path";
	default:
		return NULL;
	}
}

/* Return the reason why the path with the outermost frame @place is incomplete: @words, or a more
 * specific reason. */
static const char *reason_at(const struct pp_profile *profile, const char *words,
			     const struct pp_place *place)
{
	static const char *const names[] = {"runtime.systemstack", "runtime.morestack",
					    "runtime.asmcgocall"};

	if (!words || strcmp(words, "no row") || place->code == PP_NO_CODE)
		return words;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = profile->codes[place->code].name;
		size_t len = strlen(names[i]);

		if (!strncmp(name, names[i], len) && (!name[len] || !strcmp(name + len, ".abi0")))
			return GO_STACK;
	}
	return words;
}

static void add(struct whys *w, const char *words, uint32_t binary, uint64_t samples)
{
	const struct remedy *remedy = find_remedy(words);

	if (samples)
		w->items[w->nr++] = (struct why){
			words, remedy, remedy && remedy->has_file ? binary : NO_BINARY, samples};
}

/* Find each pair of a reason and a file that contains outermost known frames. Return 0 or
 * -ENOMEM. */
static int collect(struct whys *w)
{
	const struct pp_profile *profile = w->report->profile;
	const struct pp_paths *paths = profile->paths;
	enum { WHOLE, REASON, BELOW } *is = calloc(paths->nr_nodes + 1, sizeof(*is));

	w->items = calloc(paths->nr_nodes + 1, sizeof(*w->items));
	if (!w->items || !is) {
		free(is);
		return -ENOMEM;
	}
	w->all = sum_of(w, paths->nodes[PP_PATH_ROOT].total);
	/* Use the profile's tree, because the report's tree lacks paths below --threshold. */
	for (size_t i = 1; i < paths->nr_nodes; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		const struct pp_place *place = &paths->places[node->place];

		if (is[node->parent] == REASON)
			add(w,
			    reason_at(profile, words_of(pp_path_place(paths, node->parent)), place),
			    binary_of(profile, place), sum_of(w, node->total));
		is[i] = is[node->parent] ? BELOW : words_of(place) ? REASON : WHOLE;
		if (is[i] == REASON)
			add(w, words_of(place), NO_BINARY, sum_of(w, node->self));
	}
	free(is);
	return 0;
}

static int compare_reasons(const void *a, const void *b)
{
	const struct why *x = a, *y = b;
	int d = strcmp(x->words, y->words);

	return d ? d : x->binary < y->binary ? -1 : x->binary > y->binary;
}

static int compare_samples(const void *a, const void *b)
{
	const struct why *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return compare_reasons(a, b);
}

static void add_up(struct whys *w)
{
	size_t kept = 0;

	if (!w->nr)
		return;
	qsort(w->items, w->nr, sizeof(*w->items), compare_reasons);
	for (size_t i = 0; i < w->nr; i++) {
		if (kept && !compare_reasons(&w->items[kept - 1], &w->items[i]))
			w->items[kept - 1].samples += w->items[i].samples;
		else
			w->items[kept++] = w->items[i];
	}
	w->nr = kept;
	qsort(w->items, w->nr, sizeof(*w->items), compare_samples);
}

static void put_clean(FILE *out, const char *text)
{
	op_put_clean(out, text, strlen(text));
}

static void put_reason(const struct whys *w, const struct why *why)
{
	const struct pp_binary *binaries = w->report->profile->binaries;
	const struct remedy *remedy = why->remedy;
	FILE *out = w->report->out;
	bool has_file = why->binary < MADE_CODE;
	const char *text = remedy ? remedy->text : NULL;

	fputs(remedy ? remedy->before : why->words, out);
	if (has_file)
		put_clean(out, binaries[why->binary].title);
	else if (remedy && remedy->has_file)
		fputs(why->binary == MADE_CODE ? "code made at run time" : "unknown code", out);
	if (remedy)
		fputs(remedy->after, out);
	if (why->binary == MADE_CODE && remedy->is_code)
		text = "have the program keep frame pointers in it (java "
		       "-XX:+PreserveFramePointer)";
	else if (remedy && remedy->has_file &&
		 (!has_file || binaries[why->binary].name->kind == OP_IMAGE_KERN))
		text = NULL;
	if (text)
		fprintf(out, ": %s", text);
	putc('\n', out);
}

/* If the report also has columns with another unit, print the name of the column that the following
 * lines describe. */
static void put_label(const struct whys *w)
{
	char label[256];

	if (!w->is_one_of_many)
		return;
	pp_class_label(label, sizeof(label), &w->report->session->classes.items[w->first]);
	put_clean(w->report->out, label);
	fputs(":\n", w->report->out);
}

static void put_share(const struct whys *w, const struct why *why)
{
	char percent[PP_PERCENT_SIZE];

	pp_percent(percent, why->samples, w->all);
	fprintf(w->report->out, "%-8s ", percent + strspn(percent, " "));
}

/* Return whether a line about this reason would contain a remedy or a file. Otherwise the line
 * would only repeat the sentence of pp_path_shares_put(). */
static bool has_more_reasons(const struct why *why)
{
	return why->remedy && (why->remedy->text || why->remedy->has_file);
}

static void put_largest(const struct whys *w)
{
	size_t nr = 0, left = 0;

	for (size_t i = 0; i < w->nr; i++) {
		if (!has_more_reasons(&w->items[i]))
			continue;
		if ((nr >= MAX_LARGEST && !w->items[i].remedy->is_option) ||
		    100.0 * w->items[i].samples < MIN_PERCENT * w->all) {
			left++;
			continue;
		}
		if (!nr++)
			put_label(w);
		fputs("  ", w->report->out);
		put_share(w, &w->items[i]);
		put_reason(w, &w->items[i]);
	}
	if (left)
		fprintf(w->report->out, "  --why-short lists %s%zu %s why paths end.\n",
			nr ? "all " : "the ", w->nr, op_plural(w->nr, "reason", "reasons"));
}

static void put_all(const struct whys *w)
{
	if (w->nr)
		put_label(w);
	for (size_t i = 0; i < w->nr; i++) {
		fprintf(w->report->out, "%-8" PRIu64 " ", w->items[i].samples);
		put_share(w, &w->items[i]);
		put_reason(w, &w->items[i]);
	}
}

/* Call @put once for the sum of all columns. If columns count different units, call it once for
 * each column. */
static int put(const struct pp_report *report, void (*put)(const struct whys *w))
{
	const struct pp_profile *profile = report->profile;
	size_t step = profile->units_differ ? 1 : profile->nr_classes;
	int err = 0;

	for (size_t c = 0; profile->paths && c < profile->nr_classes && !err; c += step) {
		struct whys w = {.report = report,
				 .first = c,
				 .end = c + step,
				 .is_one_of_many = step < profile->nr_classes};

		err = collect(&w);
		if (!err)
			add_up(&w);
		if (!err)
			put(&w);
		free(w.items);
	}
	return err;
}

int pp_path_why_largest(const struct pp_report *report)
{
	return put(report, put_largest);
}

int pp_path_why_all(const struct pp_report *report)
{
	if (report->options->show_header) {
		pp_path_shares_put(report->out, report, "\n", put_clean);
		fputs("\nsamples  %        why call paths end\n", report->out);
	}
	return put(report, put_all);
}
