// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocount.c -- main: counts events of a command, of processes and threads, or of CPUs, through perf_events, or a
 * command by vperfctr.ko.
 */
#include "config.h"

#include <stdio.h>

#include "utils/count_options.h"
#include "utils/count_run.h"
#include "utils/held_command.h"

int main(int argc, char **argv)
{
	struct count_options options = { 0 };
	struct op_reason error = { "" };
	const enum ctl_parse parsed = count_options_parse(&options, argc, argv, stdout, &error);
	const int status = parsed == CTL_RUN ? count_run(&options, &error) : CTL_EXIT_FAILED;

	count_options_release(&options);
	return ctl_command_line_exit("ocount", parsed, status, &error);
}
