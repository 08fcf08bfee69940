// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check_perfevents.c -- main of op-check-perfevents: exits with 0 if perf_events can be used, else
 * with the errno of perf_event_open(). The option -v prints an explanation.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "libop/base/process.h"
#include "utils/shared/perf_event.h"

#define EXIT_USAGE 255	/* exit status for an invalid command line; not equal to any errno */

int main(int argc, char **argv)
{
	int verbose = argc > 1 && (!strcmp(argv[1], "-v") || !strcmp(argv[1], "--verbose"));
	struct op_reason error = { "" };
	int err;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		puts("Usage: op-check-perfevents [-v|--verbose]\n"
		     "Exits with 0 where perf_events can be used, else with the error's number.\n"
		     "  -v, --verbose  print the missing part\n"
		     "      --version  print the version\n"
		     "  -h, --help     print this");
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("op-check-perfevents: " PACKAGE_STRING);
		return 0;
	}
	if (argc > 2 || (argc == 2 && !verbose)) {
		fprintf(stderr, "op-check-perfevents: unknown option; see op-check-perfevents "
			"--help\n");
		return EXIT_USAGE;
	}
	err = operf_try_perf_events(&error);
	if (verbose && err)
		fprintf(stderr, "perf_events cannot be used: %s\n", error.text);
	else if (verbose && *error.text)
		fprintf(stderr, "perf_events can be used, for time and software events only: %s\n",
			error.text);
	else if (verbose)
		fprintf(stderr, "perf_events can be used\n");
	return err;
}
