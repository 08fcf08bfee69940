// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main: profiles one command, some processes, or the whole machine, through perf_events.
 */
#include "config.h"

#include <stdio.h>

#include "libop/base/process.h"
#include "utils/shared/run_command.h"
#include "utils/operf/options.h"
#include "utils/operf/run.h"

int main(int argc, char **argv)
{
	struct op_caller caller;
	struct operf_options options = { .caller = &caller };
	struct op_reason error = { "" };
	int status = CTL_EXIT_FAILED;
	enum ctl_parse parsed;

	op_process_prepare(&caller, OP_PROCESS_WORKS);
	parsed = operf_options_parse(&options, argc, argv, stdout, &error);
	if (parsed == CTL_RUN)
		status = operf_run(&options, &error);
	operf_options_release(&options);
	return ctl_command_line_exit("operf", parsed, status, &error);
}
