// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main of opcontrol: parses the command line, runs the verb, and prints the error.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/base/process.h"
#include "libop/base/reason.h"
#include "utils/opcontrol/options.h"
#include "utils/opcontrol/verbs.h"

#define EXIT_USAGE 2

static int run(const struct ctl_request *req, struct op_reason *error)
{
	if (req->verb == CTL_HELP) {
		ctl_options_help(stdout);
		return 0;
	}
	if (req->verb == CTL_VERSION) {
		puts("opcontrol: " PACKAGE_STRING);
		return 0;
	}
	return ctl_run(req, stdout, error);
}

int main(int argc, char **argv)
{
	struct ctl_request req = { 0 };
	struct op_reason error = { "" };
	int status = EXIT_FAILURE, err;

	op_process_prepare(NULL, OP_PROCESS_WORKS);
	err = ctl_options_parse(&req, argc, argv, &error);
	if (err)
		status = EXIT_USAGE;
	else
		err = run(&req, &error);
	if (fflush(stdout) && !err)
		err = -errno;
	/* If the reader of stdout has closed the pipe, exit without an error message, as if SIGPIPE
	 * had killed opcontrol. */
	if (err > 0)
		status = err;	/* exit status of --doctor, whose report is already printed */
	else if (err && (err != -EPIPE || *error.text))
		fprintf(stderr, "opcontrol: %s\n", op_reason_text(&error, err));
	ctl_request_release(&req);
	return err ? status : EXIT_SUCCESS;
}
