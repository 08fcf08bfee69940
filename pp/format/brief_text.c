// SPDX-License-Identifier: GPL-2.0-or-later
/* brief_text.c -- text that is cut in the middle, and percentages. */
#include "config.h"
#include "pp/format/brief_text.h"

#include <stdbool.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "pp/format/clip.h"

/* longest text whose cleaned form fits into OP_CLEAN_MAX bytes, because op_clean() replaces each
 * byte by four bytes at most */
#define WHOLE	((OP_CLEAN_MAX - 1) / 4)

static bool is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

char *pp_brief_clip(char buf[PP_BRIEF_NAME_MAX], const char *text, size_t max)
{
	char head[OP_CLEAN_MAX], tail[OP_CLEAN_MAX];
	size_t len = strlen(text), kept, end, begin;

	op_clean(head, sizeof(head), text);
	if (len <= WHOLE && strlen(head) <= max)
		return strcpy(buf, head);
	/* op_clean() truncates the cleaned form of a long text, so clean the end of the text
	 * separately. */
	op_clean(tail, sizeof(tail), len > WHOLE ? text + len - WHOLE : text);
	kept = max - strlen(PP_CLIP_MARK);
	end = kept - kept / 2;
	while (end && is_inside_character(head[end]))
		end--;
	begin = strlen(tail) - kept / 2;
	while (is_inside_character(tail[begin]))
		begin++;
	snprintf(buf, PP_BRIEF_NAME_MAX, "%.*s" PP_CLIP_MARK "%s", (int)end, head, tail + begin);
	return buf;
}

char *pp_brief_clip_name(char buf[PP_BRIEF_NAME_MAX], const char *name, size_t max)
{
	char clipped[PP_CLIP_MAX];

	/* The name may have more than @max bytes, because each cut mark has three bytes but one
	 * column. */
	if (strlen(name) > max && strlen(name) < PP_CLIP_MAX)
		name = pp_clip_name(clipped, name, max - strlen(PP_CLIP_MARK));
	return pp_brief_clip(buf, name, max);
}

void pp_brief_lines(FILE *out, const char *text, const char *indent, size_t max_lines, size_t max)
{
	char line[PP_BRIEF_NAME_MAX], part[OP_CLEAN_MAX];
	size_t nr_left_out = 0;

	for (size_t nr = 0; *text; nr++) {
		size_t len = strcspn(text, "\n");

		if (nr < max_lines) {
			snprintf(part, sizeof(part), "%.*s", (int)len, text);
			fprintf(out, "%s%s\n", indent, pp_brief_clip(line, part, max));
		} else {
			nr_left_out++;
		}
		text += len + (text[len] == '\n');
	}
	if (nr_left_out)
		fprintf(out, "%s(%zu more %s: opreport prints all)\n", indent, nr_left_out,
			op_plural(nr_left_out, "line", "lines"));
}

const char *pp_brief_share(char buf[PP_BRIEF_SHARE], uint64_t part, uint64_t total)
{
	double percent = total ? 100.0 * (double)part / (double)total : 0;

	if (!part)
		return strcpy(buf, "0 %");
	if (part >= total)
		return strcpy(buf, "100 %");
	if (percent < 0.1)
		return strcpy(buf, "<0.1 %");
	snprintf(buf, PP_BRIEF_SHARE, "%.1f %%", percent > 99.9 ? 99.9 : percent);
	return buf;
}
