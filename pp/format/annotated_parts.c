// SPDX-License-Identifier: GPL-2.0-or-later
/* annotated_parts.c -- columns, comments and header of annotated source and assembly. */
#include "config.h"
#include "pp/format/annotated.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pp/format/percent.h"
#include "pp/format/text.h"
#include "pp/profile/sort.h"

#define MIN_COUNT_WIDTH 6

/* Smallest share of the profile, in percent, with which a line is coloured as hot or as warm. */
#define HOT	5.0
#define WARM	0.5

void pp_columns_init(struct pp_columns *ret, const struct pp_annotated *a)
{
	const struct pp_profile *profile = a->report->profile;

	*ret = (struct pp_columns){
		.profile = profile,
		.count_width = MIN_COUNT_WIDTH,
		.color = a->options->color,
	};
	for (size_t i = 0; i < profile->nr_classes; i++) {
		int digits = snprintf(NULL, 0, "%" PRIu64, profile->totals[i]);

		if (digits > ret->count_width)
			ret->count_width = digits;
	}
	ret->blank_width = profile->nr_classes * (ret->count_width + PP_PERCENT_WIDTH + 2);
}

static void print_count(FILE *out, uint64_t n, int width)
{
	char buf[24], *p = buf + sizeof(buf);

	do {
		*--p = '0' + n % 10;
		n /= 10;
		width--;
	} while (n);
	pp_text_pad(out, width);
	fwrite_unlocked(p, 1, buf + sizeof(buf) - p, out);
}

void pp_columns_numbers(const struct pp_columns *columns, FILE *out, const uint64_t *counts)
{
	const struct pp_profile *profile = columns->profile;

	for (size_t i = 0; i < profile->nr_classes; i++) {
		char percent[PP_PERCENT_SIZE];

		if (i)
			putc_unlocked(' ', out);
		print_count(out, counts[i], columns->count_width);
		putc_unlocked(' ', out);
		fwrite_unlocked(percent, 1, pp_percent(percent, counts[i], profile->totals[i]),
				out);
	}
}

static const char *heat(const struct pp_columns *columns, const uint64_t *counts)
{
	const struct pp_profile *profile = columns->profile;

	if (pp_reaches(counts, profile->totals, profile->nr_classes, HOT))
		return "\033[1;31m";
	if (pp_reaches(counts, profile->totals, profile->nr_classes, WARM))
		return "\033[33m";
	return "\033[32m";
}

void pp_columns_print(const struct pp_columns *columns, FILE *out, const uint64_t *counts)
{
	if (!counts) {
		pp_text_pad(out, columns->blank_width);
		putc_unlocked(':', out);
		return;
	}
	if (columns->color)
		fputs_unlocked(heat(columns, counts), out);
	pp_columns_numbers(columns, out, counts);
	if (columns->color)
		fputs_unlocked("\033[m", out);
	fputs_unlocked(" :", out);
}

void pp_print_in_comment(FILE *out, const char *text)
{
	const char *end;

	while ((end = strstr(text, "*/"))) {
		pp_source_print(out, text, end + 1 - text);
		putc_unlocked(' ', out);
		text = end + 1;
	}
	pp_source_print(out, text, strlen(text));
}

void pp_columns_symbol(const struct pp_columns *columns, FILE *out, const char *name,
		       const uint64_t *counts)
{
	if (columns->color)
		fputs_unlocked("\033[36m", out);
	fputs_unlocked(" /* ", out);
	pp_print_in_comment(out, name);
	fputs_unlocked(" total: ", out);
	pp_columns_numbers(columns, out, counts);
	fputs_unlocked(" */", out);
	if (columns->color)
		fputs_unlocked("\033[m", out);
}

/* Print each line of @text inside a comment of the source language, with the prefix " * ". */
static void print_lines(FILE *out, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = strndup(text, len);

		fputs(" * ", out);
		if (line)
			pp_print_in_comment(out, line);
		putc('\n', out);
		free(line);
		text += len + (text[len] == '\n');
	}
}

static void print_interpretation(const struct pp_annotated *a, FILE *out)
{
	const struct pp_annotated_options *o = a->options;

	fputs(" * \n * Interpretation of command line:\n", out);
	if (o->assembly && o->source)
		fputs(" * Output annotated assembly listing with samples and source lines\n", out);
	else if (o->assembly)
		fputs(" * Output annotated assembly listing with samples\n", out);
	else
		fputs(" * Output annotated source file with samples\n", out);
	if (o->threshold > 0)
		fprintf(out, " * Output %s with at least %g%% of the samples\n",
			o->assembly ? "symbols" : "files", o->threshold);
	else
		fprintf(out, " * Output all %s\n", o->assembly ? "symbols" : "files");
}

/* If the profile has several classes of samples (events, for example), print the meaning of the
 * columns. */
static int print_columns(const struct pp_annotated *a, FILE *out)
{
	const struct pp_session *session = a->report->session;

	if (session->classes.nr < 2)
		return 0;
	fputs(" * \n", out);
	for (size_t i = 0; i < session->classes.nr; i++) {
		char *title = pp_text_class_title(session, i);

		if (!title)
			return -ENOMEM;
		fprintf(out, " * Columns %zu and %zu: samples and percentage of ", 2 * i + 1,
			2 * i + 2);
		pp_print_in_comment(out, title);
		putc('\n', out);
		free(title);
	}
	return 0;
}

int pp_annotated_header(const struct pp_annotated *a, FILE *out)
{
	struct pp_report report = *a->report;
	char *text = NULL;
	size_t size;
	int err;

	report.out = open_memstream(&text, &size);
	if (!report.out)
		return -ENOMEM;
	err = pp_text_header(&report);
	if (fclose(report.out) || err) {
		free(text);
		return -ENOMEM;
	}
	fputs("/* \n * Command line: ", out);
	pp_print_in_comment(out, report.command);
	putc('\n', out);
	print_interpretation(a, out);
	fputs(" * \n", out);
	print_lines(out, text);
	free(text);
	err = print_columns(a, out);
	fputs(" */\n", out);
	return err;
}

bool pp_annotated_wants(const struct pp_annotated_options *o, const char *path)
{
	if (o->exclude_files && o->exclude_files->nr && path &&
	    pp_values_match(o->exclude_files, path))
		return false;
	if (o->include_files && o->include_files->nr)
		return path && pp_values_match(o->include_files, path);
	return true;
}
