// SPDX-License-Identifier: GPL-2.0-or-later
/* opimport.c -- the opimport program: converts sample files of machines with another byte order or
 * word size. */
#include "config.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/option_words.h"
#include "libop/base/plural.h"
#include "libop/base/process.h"
#include "pp/archive/import.h"
#include "pp/tool/console.h"

#define MAX_ABI	65536	/* maximum size of an abi file, in bytes */

struct options {
	char *abi, *output;
	int force, verbose, version;
};

static int read_abi(struct pp_abi *ret, const char *name, struct pp_log *log)
{
	FILE *f = fopen(name, "re");
	char *text;
	size_t len;
	int err;

	if (!f)
		return op_fail(&log->error, -errno, "%s: %s", name, strerror(errno));
	text = calloc(1, MAX_ABI + 1);
	len = text ? fread(text, 1, MAX_ABI, f) : 0;
	if (!text)
		err = -ENOMEM;
	/* reject a file that has a NUL byte or is too long */
	else if (ferror(f) || strlen(text) < len || len == MAX_ABI)
		err = op_fail(&log->error, -EINVAL, "%s: is not an abi file", name);
	else
		err = pp_abi_parse(ret, text, name, log);
	free(text);
	fclose(f);
	return err;
}

static int import(const struct options *options, const char *from, struct pp_console *console)
{
	struct pp_log *log = &console->log;
	struct pp_abi abi, native;
	struct pp_import job = { .abi = &abi, .force = options->force, .log = log };
	int err = read_abi(&abi, options->abi, log);

	if (err)
		return err;
	pp_abi_native(&native);
	if (pp_abi_same(&abi, &native) && !options->force) {
		return op_fail(&log->error, -EINVAL,
			       "%s: describes the layout of this machine, so no conversion is "
			       "needed; --force copies the files anyway",
			       options->abi);
	}
	err = pp_import(&job, from, options->output);
	pp_verbose(log, "%zu sample %s converted, %zu other %s copied", job.nr_converted,
		   op_plural(job.nr_converted, "file", "files"), job.nr_copied,
		   op_plural(job.nr_copied, "file", "files"));
	return err;
}

/* Import the file or directory named by the first of @words. Return 0 or a negative errno. */
static int import_word(const char **words, const struct options *options,
		       struct pp_console *console)
{
	struct op_reason *error = &console->log.error;

	if (!options->abi || !options->output || !words || !words[0])
		return op_fail(error, -EINVAL,
			       "usage: opimport --abi=FILE --output=FILE SAMPLE-FILE, or opimport "
			       "--abi=FILE --output=DIR DIRECTORY");
	if (words[1])
		return op_fail(
			error, -EINVAL,
			"unexpected argument %s: import one sample file or directory at a time",
			words[1]);
	return import(options, words[0], console);
}

int main(int argc, const char **argv)
{
	struct options options = { 0 };
	const struct poptOption table[] = {
		{"abi", 'a', POPT_ARG_STRING, &options.abi, 0,
		 "read the abi file of the machine that recorded the samples", "FILE"},
		{"output", 'o', POPT_ARG_STRING, &options.output, 0, "write the sample file, or the directory, to this path",
		 "FILE|DIR"},
		{"force", 'f', POPT_ARG_NONE, &options.force, 0,
		 "convert damaged files as far as possible, and files of this machine", NULL},
		{"verbose", 'V', POPT_ARG_NONE, &options.verbose, 0, "print the number of converted and copied files", NULL},
		{"version", 'v', POPT_ARG_NONE, &options.version, 0, "print the version", NULL},
		POPT_AUTOHELP POPT_TABLEEND};
	struct pp_console console;
	poptContext popt = poptGetContext("opimport", argc, argv, table, 0);
	char meant[200];
	int err, once;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	pp_console_init(&console, "opimport", stderr);
	if (!popt || op_options_abbreviate(popt, table, NULL))
		return pp_console_end(&console, -ENOMEM);
	poptSetOtherOptionHelp(popt, "[OPTION...] SAMPLE-FILE|DIRECTORY");
	once = op_options_once(table, argv, false, &console.log.error);
	while ((err = poptGetNextOpt(popt)) > 0)
		;
	console.log.verbose = options.verbose;
	if (once) {
		err = once;
	} else if (err < -1) {
		const char *bad = poptBadOption(popt, POPT_BADOPTION_NOALIAS);

		err = op_fail(&console.log.error, -EINVAL, "%s: %s%s; see opimport --help", bad,
			      poptStrerror(err),
			      err == POPT_ERROR_BADOPT
				      ? op_options_suggest(table, bad, meant, sizeof(meant))
				      : "");
	} else if (options.version) {
		printf("opimport: %s\n", PACKAGE_STRING);
		err = 0;
	} else {
		err = import_word(poptGetArgs(popt), &options, &console);
	}
	poptFreeContext(popt);
	free(options.abi);
	free(options.output);
	return pp_console_end(&console, err);
}
