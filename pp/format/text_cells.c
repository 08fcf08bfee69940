// SPDX-License-Identifier: GPL-2.0-or-later
/* text_cells.c -- text of table cells. */
#include "config.h"
#include "pp/format/text_cells.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "libop/base/clean.h"
#include "pp/join/diff.h"
#include "pp/profile/short_titles.h"

const char *pp_text_title(const struct pp_report *report, const char *title)
{
	return report->options->long_filenames ? title :
						pp_short_title(report->profile, title);
}

void pp_text_pad(FILE *out, int n)
{
	static const char blanks[] = "                                ";

	for (; n > 0; n -= (int)sizeof(blanks) - 1)
		fwrite_unlocked(blanks, 1,
				n < (int)sizeof(blanks) - 1 ? n : (int)sizeof(blanks) - 1, out);
}

void pp_text_print(FILE *out, const char *text, int width, int min)
{
	int n = width || min ? op_clean_columns(text) : 0;

	op_put_clean(out, text, strlen(text));
	pp_text_pad(out, width - n > min ? width - n : min);
}

int pp_text_digits(char buf[PP_TEXT_NUMBER], uint64_t n)
{
	int len = 1, i;

	for (uint64_t rest = n; rest >= 10; rest /= 10)
		len++;
	for (i = len; i > 0; n /= 10)
		buf[--i] = '0' + n % 10;
	return len;
}

int pp_text_number(FILE *out, uint64_t n)
{
	char buf[PP_TEXT_NUMBER];

	return (int)fwrite_unlocked(buf, 1, pp_text_digits(buf, n), out);
}

/* Return whether another class has the same event, so that the unit mask must be shown. */
static bool same_event(const struct pp_classes *classes, size_t class)
{
	for (size_t i = 0; i < classes->nr; i++)
		if (i != class && !strcmp(classes->items[i].event, classes->items[class].event) &&
		    classes->items[i].count == classes->items[class].count)
			return true;
	return false;
}

char *pp_text_class_title(const struct pp_session *session, size_t class)
{
	const struct pp_classes *classes = &session->classes;
	const struct pp_class *c = &classes->items[class];
	char *title;
	int n = -1;

	switch (classes->axis) {
	case PP_AXIS_NONE:
	case PP_AXIS_EVENT:
		if (same_event(classes, class))
			n = asprintf(&title, "%s:%" PRIu64 ":0x%02" PRIx32, c->event, c->count,
				     c->um);
		else
			n = asprintf(&title, "%s:%" PRIu64, c->event, c->count);
		break;
	case PP_AXIS_TGID:
		n = c->tgid == OP_ALL ? asprintf(&title, "tgid:?")
				      : asprintf(&title, "tgid:%d", c->tgid);
		break;
	case PP_AXIS_TID:
		n = c->tid == OP_ALL ? asprintf(&title, "tid:?")
				     : asprintf(&title, "tid:%d", c->tid);
		break;
	case PP_AXIS_CPU:
		n = c->cpu == OP_ALL ? asprintf(&title, "cpu:?")
				     : asprintf(&title, "cpu:%d", c->cpu);
		break;
	case PP_AXIS_SOURCE:
		n = asprintf(&title, "%s", pp_short_name(c->source));
		break;
	}
	return n < 0 ? NULL : title;
}

const uint64_t *pp_text_diff_counts(const struct pp_report *report, const uint64_t *counts)
{
	return pp_diff_change(report->profile, counts) == PP_DIFF_GONE ?
		       pp_diff_before(report->profile, counts) : counts;
}

void pp_text_change(char buf[PP_TEXT_CHANGE], const struct pp_report *report,
		    const uint64_t *counts, size_t class)
{
	enum pp_diff_change what = pp_diff_change(report->profile, counts);
	uint64_t before = pp_diff_before(report->profile, counts)[class];
	double change = before ? 100.0 * ((double)counts[class] - before) / before : 0;

	if (what == PP_DIFF_GONE)
		strcpy(buf, "---");
	/* maybe only in this column */
	else if (what == PP_DIFF_NEW || (!before && counts[class]))
		strcpy(buf, "+++");
	else
		snprintf(buf, PP_TEXT_CHANGE,
			 change && change < 0.001 && change > -0.001 ? "%+.1e" : "%+.4f", change);
}
