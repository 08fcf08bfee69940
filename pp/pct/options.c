// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c -- the command line of pct-print.
 */
#include "config.h"
#include "pp/pct/options.h"

#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/option_words.h"

enum { OPT_VERSION = 1, OPT_HELP, OPT_USAGE };

static int parse_by(struct pct_options *o, const char *word, struct op_reason *error)
{
	static const char *const words[] = {
		[PCT_BY_LINE] = "line", [PCT_BY_SYM] = "sym", [PCT_BY_FUNC] = "func", [PCT_BY_FILE] = "file",
		[PCT_BY_IMAGE] = "image",
	};

	for (size_t i = PCT_BY_LINE; word && i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(word, words[i]))
			o->by = (enum pct_by)i;
	}
	return !word || o->by ? 0
			      : op_fail(error, -EINVAL,
					"--by=%s: must be line, sym, func, file or image", word);
}

static int check(struct pct_options *o, struct op_reason *error)
{
	if (!o->files || !*o->files)
		return op_fail(error, -EINVAL,
			       "missing file; usage: pct-print [OPTION]... FILE.pct...");
	while (o->files[o->nr_files])
		o->nr_files++;
	if (o->just_pcs + o->just_cts + !!o->fifo > 1)
		return op_fail(error, -EINVAL,
			       "--just_pcs, --just_cts and -F exclude each other: give one of "
			       "them");
	if (o->by && (o->just_pcs || o->just_cts || o->fifo || o->image))
		return op_fail(
			error, -EINVAL,
			"--by cannot be combined with --just_pcs, --just_cts, -F or --image");
	if (o->rate && (o->by || o->just_pcs || o->just_cts || o->fifo || o->image || o->percent))
		return op_fail(error, -EINVAL,
			       "--rate cannot be combined with options for counts or addresses");
	if (o->percent && (o->just_pcs || o->fifo))
		return op_fail(error, -EINVAL, "-%% cannot be combined with --just_pcs or -F");
	if (o->translator && !o->by)
		return op_fail(error, -EINVAL, "--translator needs --by, which names the unit to "
					       "count");
	if (o->lines < 1 || o->lines > 1000 || o->timeout_s < 1 || o->timeout_s > 86400)
		return op_fail(error, -EINVAL, "--lines must be 1 to 1000, --timeout 1 to 86400");
	return 0;
}

enum pct_parse pct_options_parse(struct pct_options *o, int argc, char **argv, FILE *out,
				 struct op_reason *error)
{
	char *by = NULL;
	const struct poptOption table[] = {
		{ "by", 'b', POPT_ARG_STRING, &by, 0, "sum samples by line, sym, func, file or image",
		  "line|sym|func|file|image" },
		{ "percent", '%', POPT_ARG_NONE, &o->percent, 0, "print percentages instead of counts", NULL },
		{ "just_pcs", 0, POPT_ARG_NONE, &o->just_pcs, 0, "print only addresses, for a translator", NULL },
		{ "just_cts", 0, POPT_ARG_NONE, &o->just_cts, 0, "print only counts, in the same order", NULL },
		{ "fifo", 'F', POPT_ARG_STRING, &o->fifo, 0, "print addresses to stdout, counts to this file", "FIFO" },
		{ "rate", 'r', POPT_ARG_NONE, &o->rate, 0, "print the sampling rate of each file instead of counts", NULL },
		{ "image", 'i', POPT_ARG_STRING, &o->image, 0, "print addresses in this binary, not in the program", "PATH" },
		{ "translator", 't', POPT_ARG_STRING, &o->translator, 0, "translate addresses by this program; %f is the binary", "COMMAND" },
		{ "lines", 'l', POPT_ARG_INT, &o->lines, 0, "set the number of lines of each translation (default 1)", "N" },
		{ "timeout", 0, POPT_ARG_INT, &o->timeout_s, 0, "set the translator's idle timeout in seconds (default 60)", "SECONDS" },
		{ "version", 'v', POPT_ARG_NONE, NULL, OPT_VERSION, "print the version", NULL },
		{ "help", 'h', POPT_ARG_NONE, NULL, OPT_HELP, "print this help", NULL },
		{ "usage", 'u', POPT_ARG_NONE, NULL, OPT_USAGE, "print a short usage message", NULL },
		POPT_TABLEEND
	};
	poptContext con = poptGetContext("pct-print", argc, (const char **)argv, table, 0);
	enum pct_parse ret = PCT_WRONG;
	char meant[200];
	int id;

	o->lines = 1;
	o->timeout_s = 60;
	if (!con || op_options_abbreviate(con, table, NULL)) {
		op_fail(error, -ENOMEM, "out of memory");
		poptFreeContext(con);
		return PCT_WRONG;
	}
	o->popt = con;
	if (op_options_once(table, (const char *const *)argv, false, error))
		return PCT_WRONG;
	poptSetOtherOptionHelp(con, "[OPTION]... FILE.pct...");
	id = poptGetNextOpt(con);
	o->files = poptGetArgs(con);
	if (id == OPT_HELP) {
		poptPrintHelp(con, out, 0);
		ret = PCT_DONE;
	} else if (id == OPT_USAGE) {
		poptPrintUsage(con, out, 0);
		ret = PCT_DONE;
	} else if (id == OPT_VERSION) {
		fprintf(out, "pct-print: " PACKAGE_STRING "\n");
		ret = PCT_DONE;
	} else if (id < -1) {
		op_fail(error, -EINVAL, "%s: %s%s; see pct-print --help", poptBadOption(con, 0),
			poptStrerror(id),
			id == POPT_ERROR_BADOPT ? op_options_suggest(table, poptBadOption(con, 0),
								     meant, sizeof(meant))
						: "");
	} else if (!parse_by(o, by, error) && !check(o, error)) {
		ret = PCT_RUN;
	}
	free(by);
	return ret;
}

void pct_options_release(struct pct_options *o)
{
	free(o->fifo);
	free(o->image);
	free(o->translator);
	poptFreeContext(o->popt);
}
