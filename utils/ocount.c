// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocount.c -- main: counts events of a command, of processes and threads, or of CPUs, through perf_events.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "libop/base/clean.h"
#include "utils/count_options.h"
#include "utils/count_run.h"
#include "utils/held_command.h"

int main(int argc, char **argv)
{
	struct count_options options = { 0 };
	struct op_reason error = { "" };
	int status = EXIT_SUCCESS;

	switch (count_options_parse(&options, argc, argv, stdout, &error)) {
	case CTL_RUN:
		status = count_run(&options, &error);
		break;
	case CTL_DONE:
		status = fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
		break;
	case CTL_WRONG:
		status = CTL_EXIT_FAILED;
		break;
	}
	if (*error.text)
		op_clean_printf(stderr, "ocount: %s\n", error.text);
	count_options_release(&options);
	return status;
}
