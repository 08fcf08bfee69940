// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main of opattach, which profiles a running process.
 */
#include "config.h"

#include <stdlib.h>

#include "libop/base/process.h"
#include "utils/opattach/run.h"
#include "utils/opattach/worker.h"

int main(int argc, char **argv)
{
	struct attach_options options = { 0 };
	struct op_reason error = { "" };
	struct attach_worker worker;
	int status = EXIT_FAILURE;
	enum ctl_parse parsed;

	op_process_prepare(NULL, OP_PROCESS_WORKS);
	parsed = attach_options_parse(&options, argc, argv, stdout, &error);
	worker = (struct attach_worker){
		.pid = options.pid, .begin_ms = attach_begin_ms(&options), .ms = options.ms};
	if (parsed == CTL_RUN && attach_worker_fork(&worker, &status, &error) &&
	    !attach_run(&options, worker.begun, &error))
		status = EXIT_SUCCESS;
	attach_options_release(&options);
	return ctl_command_line_exit("opattach", parsed, status, &error);
}
