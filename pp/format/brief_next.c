// SPDX-License-Identifier: GPL-2.0-or-later
/* brief_next.c -- commands at the end of a brief report that show more. */
#include "config.h"
#include "pp/format/brief.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/session/mangle.h"
#include "pp/format/brief_text.h"
#include "pp/source/source.h"

/* Return the command-line option that chose the event, after a blank, or "". */
static const char *heap_option(const struct pp_brief *b)
{
	if (!b->report->options->is_of_heap)
		return "";
	return !strcmp(b->report->session->classes.items[b->first].event, PP_SOURCE_NOT_FREED)
		       ? " --leaks"
		       : " --peak";
}

bool pp_brief_command(const struct pp_brief *b, const char *what, const char *before,
		      const char *name)
{
	const char *selection = b->report->selection;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool fits;

	if (!f)
		return false;
	fputs(before, f);
	if (name)
		op_put_word(f, name);
	fputs(heap_option(b), f);
	fputs(selection ? selection : "", f);
	fits = !fclose(f) && selection && size <= b->limits->command;
	if (fits)
		fprintf(b->out, "  %s: %s\n", what, text);
	free(text);
	return fits;
}

/* Return whether the argument "-i @name" selects exactly one function: @name has no comma that
 * would separate two names (a comma without a blank after it), and no characters that reports
 * replace. */
static bool is_word(const char *name)
{
	char clean[PP_BRIEF_NAME_MAX];

	for (const char *comma = strchr(name, ','); comma; comma = strchr(comma + 1, ','))
		if (comma[1] != ' ')
			return false;
	return *name && !strcmp(op_clean(clean, sizeof(clean), name), name);
}

/* Print commands about a function only if the function has at least 1/20 of the samples. */
#define WORTH_COMMANDS	20

/* Print commands about the function with most samples, among functions that have a name. Return the
 * number of commands. */
static size_t put_function_commands(const struct pp_brief *b)
{
	const struct pp_profile *profile = b->report->profile;
	const struct pp_code *code = NULL;
	const struct pp_binary *binary;
	size_t nr = 0;

	for (size_t i = 0; i < b->nr_functions && !code; i++) {
		const struct pp_brief_function *f = &b->functions[i];

		if (pp_brief_change(f->samples, f->before) < b->total / WORTH_COMMANDS ||
		    (b->is_diff && !f->is_significant))
			break;
		code = pp_entry_code(profile, b->functions[i].entry);
		if (code->kind != PP_CODE_SYMBOL || !is_word(code->name))
			code = NULL;
	}
	if (!code || b->report->options->some_symbols)
		return 0;
	if (b->has_paths)
		nr += pp_brief_command(b, "callers",
				       "opreport --calltree=callers --include-symbols=", code->name);
	binary = &profile->binaries[code->binary];
	if (!b->is_diff && binary->name->kind == OP_IMAGE_ROOT &&
	    binary->info.state == PP_IMAGE_OK && !b->report->options->is_of_heap)
		nr += pp_brief_command(b, "code", "opannotate --assembly --include-symbols=",
				       code->name);
	return nr;
}

/* Print the command that shows whether a function waits for memory or computes. Samples by time do
 * not show this. Only events of the caches show memory that several CPUs write. */
static void put_memory_command(const struct pp_brief *b)
{
	const struct pp_report *report = b->report;

	if (b->is_diff || report->options->is_of_heap || !b->nr_functions ||
	    b->functions[0].samples < b->total / WORTH_COMMANDS ||
	    strcmp(report->session->classes.items[b->first].event, "TIMER"))
		return;
	fputs("  waits for memory, false sharing: operf -g -e cache-misses:10000 COMMAND, on CPUs "
	      "with counters\n",
	      b->out);
}

void pp_brief_put_next(const struct pp_brief *b)
{
	size_t nr = 0;

	fputs("NEXT\n", b->out);
	nr += b->is_diff ? pp_brief_command(b, "all changes", "opreport -l --significant", NULL) :
			   pp_brief_command(b, "all functions", "opreport -l", NULL);
	if (b->has_paths && !b->is_diff)
		nr += pp_brief_command(b, "with callees", "opreport --calltree", NULL);
	if (!b->is_diff && pp_brief_short(b))
		nr += pp_brief_command(b, "why paths end", "opreport --why-short", NULL);
	nr += put_function_commands(b);
	put_memory_command(b);
	nr += pp_brief_command(b, "page", "opreport --html -o page.html", NULL);
	if (!nr)
		fputs("  opreport -l, with the options of this report, which are too long to "
		      "repeat\n",
		      b->out);
}
