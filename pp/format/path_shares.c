// SPDX-License-Identifier: GPL-2.0-or-later
/* path_shares.c -- shares of whole and short paths. */
#include "config.h"
#include "pp/format/path_shares.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/format/percent.h"
#include "pp/format/stacks.h"

#define MAX_SHARES	32	/* further reasons are summed in the last */

/* Samples whose paths are short for one reason, or (.reason NULL) whole. */
struct share {
	const char *reason;
	uint64_t samples;	/* of all classes */
};

static const char *words_of(const struct pp_place *place)
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

/* The classes to sum: all classes, or a single class if they count different units. */
struct range {
	size_t first, end;
};

static uint64_t sum_of(const uint64_t *counts, struct range classes)
{
	uint64_t sum = 0;

	for (size_t c = classes.first; c < classes.end; c++)
		sum += counts[c];
	return sum;
}

static void add(struct share *shares, size_t *nr, const char *reason, uint64_t samples)
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

static int compare(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return strcmp(x->reason, y->reason);
}

/* Return the number of shares: whole paths first, then the other ends, ordered by samples; 0 if
 * the profile has no call paths. */
static size_t sum_shares(struct share shares[MAX_SHARES], const struct pp_profile *profile,
			 struct range classes)
{
	const struct pp_paths *paths = profile->paths;
	bool *is_short = paths ? calloc(paths->nr_nodes + 1, sizeof(*is_short)) : NULL;
	size_t nr = 1;

	if (!is_short)
		return 0;
	shares[0] = (struct share){ .samples = sum_of(paths->nodes[PP_PATH_ROOT].total, classes) };
	/* Do not walk the report's tree: paths that --threshold leaves out count, too. */
	for (size_t i = 1; i < paths->nr_nodes; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		uint64_t samples = sum_of(node->total, classes);

		is_short[i] =
			is_short[node->parent] || pp_place_is_reason(&paths->places[node->place]);
		if (!is_short[i] || is_short[node->parent])
			continue;
		add(shares, &nr, words_of(&paths->places[node->place]), samples);
		shares[0].samples -= samples;
	}
	free(is_short);
	qsort(shares + 1, nr - 1, sizeof(*shares), compare);
	while (nr > 1 && !shares[nr - 1].samples)
		nr--;
	return nr;
}

/* Print a sentence. @of: the name of the single class that is summed, or NULL. */
static void put_sentence(FILE *out, const struct share *shares, size_t nr, const char *unit,
			 const char *of, void (*put_text)(FILE *out, const char *text))
{
	char percent[PP_PERCENT_SIZE];
	uint64_t all = 0;

	for (size_t i = 0; i < nr; i++)
		all += shares[i].samples;
	pp_percent(percent, shares[0].samples, all);
	/* Each unit is a plural that ends with s. */
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
