// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c -- the command line of optop. */
#include "config.h"
#include "pp/top/options.h"

#include <errno.h>
#include <popt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/option_words.h"

enum { OPT_VERSION = 1, OPT_HELP, OPT_USAGE };

#define MIN_DELAY	0.2
#define MAX_DELAY	3600
#define MAX_NUMBER	1000000000L

/* end of a message: how the user can see samples of the past */
#define TIME_WAYS	"and the left arrow key goes back into closed intervals; opreport with " \
			"time:TIME, --last or --at prints a time"

/* Values of options as popt stores them. */
struct raw {
	char *by, *filter, *demangle, *delay;
	int batch, no_cache;
};

static int parse_demangle(enum pp_demangle *ret, const char *word, struct op_reason *error)
{
	if (!word || !strcmp(word, "normal"))
		*ret = PP_DEMANGLE_NORMAL;
	else if (!strcmp(word, "none"))
		*ret = PP_DEMANGLE_NONE;
	else if (!strcmp(word, "smart"))
		*ret = PP_DEMANGLE_SMART;
	else
		return op_fail(error, -EINVAL, "--demangle=%s: must be none, normal or smart", word);
	return 0;
}

static int parse_delay(double *ret, const char *text, struct op_reason *error)
{
	char *end;

	if (!text)
		return 0;
	*ret = strtod(text, &end);
	if (end == text || *end || !(*ret >= MIN_DELAY && *ret <= MAX_DELAY))
		return op_fail(error, -EINVAL, "--delay=%s: must be a number of seconds from %g to %d",
			       text, MIN_DELAY, MAX_DELAY);
	return 0;
}

static int convert(struct pp_top_command *c, const struct raw *raw, poptContext con,
		   struct op_reason *error)
{
	const char *extra = poptPeekArg(con);
	int err;

	if (extra && !strncmp(extra, "time:", strlen("time:")))
		return op_fail(error, -EINVAL, "%s: optop shows samples of now, " TIME_WAYS, extra);
	if (extra)
		return op_fail(error, -EINVAL,
			       "%s: optop takes options only: --session-dir=DIR chooses the session, "
			       "and --filter=TEXT chooses lines; opreport shows stored samples", extra);
	if (raw->by && !pp_top_by_parse(&c->view.by, raw->by))
		return op_fail(error, -EINVAL, "--by=%s: must be programs, symbols, paths or flame",
			       raw->by);
	if (raw->filter && strlen(raw->filter) >= sizeof(c->view.filter))
		return op_fail(error, -EINVAL, "--filter: the text is longer than %zu bytes",
			       sizeof(c->view.filter) - 1);
	if (c->nr < 0 || c->nr > MAX_NUMBER || c->lines < 0 || c->lines > MAX_NUMBER)
		return op_fail(error, -EINVAL,
			       "--iterations and --lines must be numbers from 0 to %ld", MAX_NUMBER);
	if (c->lines && !raw->batch)
		return op_fail(error, -EINVAL, "--lines needs --batch");
	err = parse_delay(&c->delay, raw->delay, error);
	if (!err)
		err = parse_demangle(&c->top.demangle, raw->demangle, error);
	if (err)
		return err;
	if (raw->filter)
		strcpy(c->view.filter, raw->filter);
	c->batch = raw->batch;
	c->view.all_open = raw->batch;
	c->top.no_cache = raw->no_cache;
	c->top.session_dir = c->session_dir;
	c->top.image_path = c->image_path;
	c->top.event = c->event;
	return 0;
}

/* Return whether @option chooses a time in the report tools. optop does not have these options. */
static bool is_of_time(const char *option)
{
	static const char *const names[] = { "--at", "--last", "--since", "--until" };
	const size_t len = strcspn(option, "=");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !strncmp(option, names[i], len))
			return true;
	return false;
}

/* Print which option popt did not accept, and why (@id). Return -EINVAL. */
static int report_bad(poptContext con, int id, const struct poptOption *table,
		      struct op_reason *error)
{
	const char *bad = poptBadOption(con, POPT_BADOPTION_NOALIAS), *suggestion = "";
	char meant[200];

	if (id == POPT_ERROR_BADOPT && is_of_time(bad))
		return op_fail(error, -EINVAL, "%s: optop shows samples of now, " TIME_WAYS, bad);
	if (id == POPT_ERROR_BADOPT)
		suggestion = op_options_suggest(table, bad, meant, sizeof(meant));
	return op_fail(error, -EINVAL, "%s: %s%s; see optop --help", bad, poptStrerror(id),
		       suggestion);
}

int pp_top_parse(struct pp_top_command *c, int argc, char **argv, FILE *out,
		 struct op_reason *error)
{
	struct raw raw = { 0 };
	const struct poptOption table[] = {
		{ "batch", 'b', POPT_ARG_NONE, &raw.batch, 0, "print text, for a pipe or a file", NULL },
		{ "iterations", 'n', POPT_ARG_LONG, &c->nr, 0, "end after this number of "
							       "updates", "N" },
		{ "delay", 'd', POPT_ARG_STRING, &raw.delay, 0, "set the time between two updates "
								"(default 1)",
		  "SECONDS" },
		{ "by", 0, POPT_ARG_STRING, &raw.by, 0, "begin with this view (default symbols)",
		  "programs|symbols|paths|flame" },
		{ "filter", 'f', POPT_ARG_STRING, &raw.filter, 0, "show only lines that contain this text", "TEXT" },
		{ "lines", 'l', POPT_ARG_LONG, &c->lines, 0, "with --batch: print at most this number of lines", "N" },
		{ "event", 'e', POPT_ARG_STRING, &c->event, 0, "show samples of this event", "NAME" },
		{ "session-dir", 0, POPT_ARG_STRING, &c->session_dir, 0,
		  "show the samples of the daemon of this directory (default " OP_DEFAULT_SESSION_DIR ")", "DIR" },
		{ "image-path", 'p', POPT_ARG_STRING, &c->image_path, 0, "search binaries in these directories too",
		  "DIR[,DIR]" },
		{ "demangle", 'D', POPT_ARG_STRING, &raw.demangle, 0, "choose how C++ and Rust names are printed",
		  "none|normal|smart" },
		{ "no-cache", 0, POPT_ARG_NONE, &raw.no_cache, 0, "do not use or write the cache of symbols", NULL },
		{ "version", 'v', POPT_ARG_NONE, NULL, OPT_VERSION, "print the version", NULL },
		{ "help", 'h', POPT_ARG_NONE, NULL, OPT_HELP, "print this help", NULL },
		{ "usage", 'u', POPT_ARG_NONE, NULL, OPT_USAGE, "print a short usage message", NULL },
		POPT_TABLEEND
	};
	poptContext con = poptGetContext("optop", argc, (const char **)argv, table, 0);
	int id, err = PP_TOP_DONE;

	c->delay = 1;
	c->view.by = PP_TOP_SYMBOLS;
	if (!con || op_options_abbreviate(con, table, NULL)) {
		poptFreeContext(con);
		return op_fail(error, -ENOMEM, "out of memory");
	}
	poptSetOtherOptionHelp(con, "[OPTION]...");
	if (op_options_once(table, (const char *const *)argv, false, error)) {
		poptFreeContext(con);
		return -EINVAL;
	}
	id = poptGetNextOpt(con);
	if (id == OPT_HELP)
		poptPrintHelp(con, out, 0);
	else if (id == OPT_USAGE)
		poptPrintUsage(con, out, 0);
	else if (id == OPT_VERSION)
		fprintf(out, "optop: " PACKAGE_STRING "\n");
	else if (id < -1)
		err = report_bad(con, id, table, error);
	else
		err = convert(c, &raw, con, error);
	free(raw.by);
	free(raw.filter);
	free(raw.demangle);
	free(raw.delay);
	poptFreeContext(con);
	return err;
}

void pp_top_command_release(struct pp_top_command *c)
{
	pp_top_view_release(&c->view);
	free(c->session_dir);
	free(c->image_path);
	free(c->event);
}
