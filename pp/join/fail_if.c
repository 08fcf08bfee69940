// SPDX-License-Identifier: GPL-2.0-or-later
/* fail_if.c -- conditions on the changes in a differential profile. */
#include "config.h"
#include "pp/join/fail_if.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/plural.h"

#define RULE "write KIND:NAME > PERCENT%%, as in \"symbol:parse*|read_line > 5%%\"; KIND is " \
	     "symbol, image, program or total"
#define MAX_LISTED	20	/* maximum number of warnings about single lines */

static const char *const kinds[] = {
	[PP_FAIL_SYMBOL] = "symbol",
	[PP_FAIL_IMAGE] = "image",
	[PP_FAIL_PROGRAM] = "program",
	[PP_FAIL_TOTAL] = "total",
};

static int refuse(const char *text, struct pp_log *log)
{
	return op_fail(&log->error, -EINVAL, "--fail-if=%s: not a condition: " RULE, text);
}

/* Parse the kind of a condition, the word before its first colon. Return the length of the word, or
 * 0 if the word is unknown. */
static size_t parse_kind(enum pp_fail_kind *ret, const char *text)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i]);

		if (!strncmp(text, kinds[i], len) &&
		    (i == PP_FAIL_TOTAL ? strchr(" <>", text[len]) != NULL : text[len] == ':')) {
			*ret = (enum pp_fail_kind)i;
			return len;
		}
	}
	return 0;
}

/* Add the globs in the list "A|B", without surrounding blanks, to @globs. Return 0, -EINVAL or
 * -ENOMEM. */
static int parse_globs(struct pp_values *globs, const char *text, size_t len)
{
	const char *end = text + len;

	while (text <= end) {
		const char *next = memchr(text, '|', (size_t)(end - text));
		size_t n;

		if (!next)
			next = end;
		while (text < next && *text == ' ')
			text++;
		n = (size_t)(next - text);
		while (n && text[n - 1] == ' ')
			n--;
		if (!n)
			return -EINVAL;
		if (pp_values_add(globs, text, n))
			return -ENOMEM;
		text = next + 1;
	}
	return 0;
}

/* Parse the limit of a condition, the number after the comparison operator. Return 0 or -EINVAL. */
static int parse_limit(double *ret, const char *text)
{
	char *end;

	*ret = strtod(text, &end);
	if (end == text || !(*ret >= -100 && *ret < 1e9))
		return -EINVAL;
	end += strspn(end, " ");
	end += *end == '%';
	return *end ? -EINVAL : 0;
}

int pp_fail_if_parse(struct pp_fail_if *ret, const char *text, struct pp_log *log)
{
	struct pp_fail_if c = { .text = strdup(text) };
	/* names of C++ functions also contain '<' and '>', so the last one is the operator */
	const char *less = strrchr(text, '<'), *more = strrchr(text, '>'),
		   *at = less > more ? less : more;
	size_t len = parse_kind(&c.kind, text);
	int err = c.text ? 0 : -ENOMEM;

	if (!err && (!len || !at || parse_limit(&c.percent, at + 1)))
		err = -EINVAL;
	if (!err && c.kind != PP_FAIL_TOTAL)
		err = at > text + len ?
			      parse_globs(&c.globs, text + len + 1, (size_t)(at - text) - len - 1) :
			      -EINVAL;
	else if (!err && text + len + strspn(text + len, " ") != at)
		err = -EINVAL;
	if (err) {
		pp_fail_if_release(&c);
		return err == -ENOMEM ? err : refuse(text, log);
	}
	c.is_less = at == less;
	*ret = c;
	return 0;
}

void pp_fail_if_release(struct pp_fail_if *condition)
{
	free(condition->text);
	pp_values_release(&condition->globs);
	*condition = (struct pp_fail_if){ 0 };
}

/* A line of the differential profile that the condition examines. */
struct line {
	const char *name;
	/* for a symbol: the title of its image; for an image: the title of its program; else
	 * NULL */
	const char *where;
	const uint64_t *counts;
};

static bool matches(const struct pp_fail_if *c, const char *name)
{
	const char *base = strrchr(name, '/');

	return pp_values_match(&c->globs, name) ||
	       (c->kind != PP_FAIL_SYMBOL && base && pp_values_match(&c->globs, base + 1));
}

static size_t nr_lines(const struct pp_fail_if *c, const struct pp_profile *diff)
{
	return c->kind == PP_FAIL_SYMBOL ? diff->nr_entries :
	       c->kind == PP_FAIL_IMAGE	 ? diff->nr_groups :
	       c->kind == PP_FAIL_PROGRAM ? diff->nr_apps : 1;
}

static struct line line_of(const struct pp_fail_if *c, const struct pp_profile *diff, size_t i)
{
	switch (c->kind) {
	case PP_FAIL_SYMBOL:
		return (struct line){ pp_entry_code(diff, &diff->entries[i])->name,
				      pp_entry_group(diff, &diff->entries[i])->image,
				      diff->entries[i].counts };
	case PP_FAIL_IMAGE:
		return (struct line){ diff->groups[i].image,
				      strcmp(diff->groups[i].image, diff->groups[i].app) ?
					      diff->groups[i].app : NULL,
				      diff->groups[i].counts };
	case PP_FAIL_PROGRAM:
		return (struct line){ diff->apps[i].app, NULL, diff->apps[i].counts };
	case PP_FAIL_TOTAL:
		break;
	}
	return (struct line){ "total", NULL, diff->totals };
}

/* Return an array of the lines that the condition examines, and store its length in *@nr. Return
 * NULL if out of memory. */
static struct line *find_lines(size_t *nr, const struct pp_fail_if *c,
			       const struct pp_profile *diff)
{
	struct line *lines = calloc(nr_lines(c, diff) + 1, sizeof(*lines));

	*nr = 0;
	for (size_t i = 0; lines && i < nr_lines(c, diff); i++) {
		lines[*nr] = line_of(c, diff, i);
		*nr += c->kind == PP_FAIL_TOTAL || matches(c, lines[*nr].name);
	}
	return lines;
}

static void warn(const struct pp_fail_if *c, const struct line *line, const uint64_t *counts,
		 const struct pp_profile *diff, const struct pp_interval *change, double percent,
		 struct pp_log *log)
{
	double before = (double)counts[diff->nr_classes], after = (double)counts[0];
	size_t class = (size_t)(counts - line->counts);
	const struct pp_runs *runs = diff->diff->after;
	const char *unit = runs ? pp_class_unit(&runs->classes.items[class]) : "samples";

	if (before > 0 && !diff->diff->classes[class].is_sampled)
		pp_warn(log, "%s: %s%s%s%s changed by %+.2f %%: from %.0f to %.0f %s (exact "
			     "counts)",
			c->text, line->name, line->where ? " (" : "", line->where ? line->where : "",
			line->where ? ")" : "", 100 * (after / before - 1), before, after, unit);
	else if (before > 0)
		pp_warn(log,
			"%s: %s%s%s%s changed by %+.2f %%: between %+.2f and %+.2f %% with %g %% "
			"certainty",
			c->text, line->name, line->where ? " (" : "", line->where ? line->where : "",
			line->where ? ")" : "", 100 * (after / before - 1), change->low, change->high,
			percent);
	else
		pp_warn(log, "%s: %s%s%s%s is new, with %.0f %s", c->text, line->name,
			line->where ? " (" : "", line->where ? line->where : "",
			line->where ? ")" : "", after, unit);
}

/* Return the probability that each confidence interval needs, in percent, so that the intervals
 * of all @lines together have the condition's probability. Return a negative number if out of
 * memory. */
static double certainty_of_each(const struct pp_fail_if *c, const struct pp_profile *diff,
				const struct line *lines, size_t nr, double percent)
{
	size_t classes = diff->nr_classes;
	double *samples = calloc(nr * classes + 1, sizeof(*samples)), tests, ratio = INFINITY;

	if (!samples)
		return -1;
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < classes; k++)
			samples[i * classes + k] = (double)lines[i].counts[k] +
						   (double)lines[i].counts[2 * classes + k];
	/* Use the smallest ratio of all classes of samples: a smaller ratio gives a larger number
	 * of tests, so the result is on the safe side. */
	for (size_t k = 0; k < classes; k++) {
		const struct pp_diff_class *of = &diff->diff->classes[k];

		ratio = fmin(ratio, (1 + c->percent / 100) * of->factor * of->weight_before /
					    of->weight_after);
	}
	tests = c->is_less ? (double)(nr * classes) :
			     (double)pp_nr_tests(samples, nr * classes, ratio, 1 - percent / 100);
	free(samples);
	return 100 - (100 - percent) / tests;
}

int pp_fail_if_check(bool *met, const struct pp_fail_if *c, const struct pp_profile *diff,
		     double percent, struct pp_log *log)
{
	size_t nr, nr_met = 0, nr_unsure = 0, classes = diff->nr_classes;
	struct line *lines = find_lines(&nr, c, diff);
	double each;

	*met = false;
	if (lines && !nr) {
		free(lines);
		return op_fail(&log->error, -ENOENT, "--fail-if=%s: no %s has that name", c->text,
			       kinds[c->kind]);
	}
	each = lines ? certainty_of_each(c, diff, lines, nr, percent) : -1;
	if (each < 0) {
		free(lines);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr * classes; i++) {
		const struct line *line = &lines[i / classes];
		const uint64_t *counts = line->counts + i % classes;
		double before = (double)counts[classes], after = (double)counts[0];
		double change = before > 0 ? 100 * (after / before - 1) : after > 0 ? INFINITY : 0;
		struct pp_interval limits = { change, change };

		/* skip a line whose change does not exceed the condition's limit */
		if (c->is_less ? change >= c->percent : change <= c->percent)
			continue;
		pp_change_interval(&limits, diff->diff, line->counts, classes, i % classes,
				   i % classes, each);
		if (c->is_less ? limits.high < c->percent : limits.low > c->percent) {
			if (nr_met++ < MAX_LISTED)
				warn(c, line, counts, diff, &limits, percent, log);
		} else {
			nr_unsure++;
		}
	}
	if (nr_met > MAX_LISTED)
		pp_warn(log, "%s: %zu more lines", c->text, nr_met - MAX_LISTED);
	if (!nr_met && nr_unsure)
		pp_note(log,
			"%s: %zu %s beyond the limit, but may be chance; to decide, take more "
			"samples, or profile with operf --repeat",
			c->text, nr_unsure, op_plural(nr_unsure, "change is", "changes are"));
	*met = nr_met != 0;
	free(lines);
	return 0;
}
