// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf.c -- main: profiles one command, some processes, or the whole machine, through perf_events.
 */
#include "config.h"

#include <stdio.h>

#include "utils/held_command.h"
#include "utils/operf_options.h"
#include "utils/operf_run.h"

int main(int argc, char **argv)
{
	struct operf_options options = { 0 };
	struct op_reason error = { "" };
	const enum ctl_parse parsed = operf_options_parse(&options, argc, argv, stdout, &error);
	const int status = parsed == CTL_RUN ? operf_run(&options, &error) : CTL_EXIT_FAILED;

	operf_options_release(&options);
	return ctl_command_line_exit("operf", parsed, status, &error);
}
