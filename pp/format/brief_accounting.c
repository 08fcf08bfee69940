// SPDX-License-Identifier: GPL-2.0-or-later
/* brief_accounting.c -- sums, losses and times, for the brief report and its difference. */
#include "config.h"
#include "pp/format/brief.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/clean.h"
#include "pp/format/brief_text.h"
#include "pp/format/text.h"
#include "pp/join/diff.h"

uint64_t pp_brief_sum(const struct pp_brief *b, const uint64_t *counts)
{
	uint64_t sum = 0;

	for (size_t c = b->first; counts && c < b->end; c++)
		sum += counts[c];
	return sum;
}

uint64_t pp_brief_before(const struct pp_brief *b, const uint64_t *counts)
{
	if (!b->is_diff || !counts)
		return 0;
	return pp_brief_sum(b, pp_diff_before(b->report->profile, counts));
}

uint64_t pp_brief_change(uint64_t x, uint64_t y)
{
	return x > y ? x - y : y - x;
}

int pp_brief_put_losses(const struct pp_brief *b, const struct pp_session *session)
{
	struct pp_report copy = *b->report;
	char *text = NULL;
	size_t size;

	copy.out = open_memstream(&text, &size);
	if (!copy.out)
		return -ENOMEM;
	pp_text_losses(&copy, session, copy.profile);
	if (!ftell(copy.out))
		fputs("The session does not record how many samples were taken and lost\n", copy.out);
	if (fclose(copy.out)) {
		free(text);
		return -ENOMEM;
	}
	pp_brief_lines(b->out, text, "  ", b->limits->nr_losses, b->limits->line);
	free(text);
	return 0;
}

void pp_brief_put_seconds(FILE *out, double seconds)
{
	fprintf(out, "%.*f s", seconds < 1 ? 3 : seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds);
}

void pp_brief_put_others(const struct pp_brief *b)
{
	const struct pp_classes *classes = &b->report->session->classes;
	size_t other = b->first ? 0 : b->end;
	char buf[PP_BRIEF_NAME_MAX];

	if (other >= classes->nr)
		return;
	fputs("  Not in this report: other events; event:", b->out);
	op_put_word(b->out, pp_brief_clip(buf, classes->items[other].event, b->limits->name));
	fputs(" chooses one\n", b->out);
}
