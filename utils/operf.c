// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf.c -- main: profiles one command, some processes, or the whole machine, through perf_events.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "utils/held_command.h"
#include "utils/operf_options.h"
#include "utils/operf_run.h"

int main(int argc, char **argv)
{
	struct operf_options options = { 0 };
	struct op_reason error = { "" };
	int status = EXIT_SUCCESS;

	switch (operf_options_parse(&options, argc, argv, stdout, &error)) {
	case CTL_RUN:
		status = operf_run(&options, &error);
		break;
	case CTL_DONE:
		status = fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
		break;
	case CTL_WRONG:
		status = CTL_EXIT_FAILED;
		break;
	}
	if (*error.text)
		fprintf(stderr, "operf: %s\n", error.text);
	operf_options_release(&options);
	return status;
}
