// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main: counts events of a command, of processes and threads, or of CPUs, through
 * perf_events, or a command by vperfctr.ko.
 */
#include "config.h"

#include <stdio.h>

#include "libop/base/process.h"
#include "utils/ocount/options.h"
#include "utils/ocount/run.h"
#include "utils/shared/run_command.h"

int main(int argc, char **argv)
{
	struct op_caller caller;
	struct count_options options = { .caller = &caller };
	struct op_reason error = { "" };
	int status = CTL_EXIT_FAILED;
	enum ctl_parse parsed;

	op_process_prepare(&caller, OP_PROCESS_WORKS);
	parsed = count_options_parse(&options, argc, argv, stdout, &error);
	if (parsed == CTL_RUN)
		status = count_run(&options, &error);
	count_options_release(&options);
	return ctl_command_line_exit("ocount", parsed, status, &error);
}
