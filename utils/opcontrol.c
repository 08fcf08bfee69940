// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcontrol.c -- main: reads the command line, runs the verb, tells what went wrong.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "utils/error.h"
#include "utils/options.h"
#include "utils/verbs.h"

#define EXIT_USAGE 2

static int run(const struct ctl_request *req, struct ctl_error *error)
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
	struct ctl_error error = { 0 };
	int status = EXIT_SUCCESS;

	if (ctl_options_parse(&req, argc, argv, &error))
		status = EXIT_USAGE;
	else if (run(&req, &error))
		status = EXIT_FAILURE;

	if (fflush(stdout) && !status)
		status = EXIT_FAILURE;
	if (status)
		fprintf(stderr, "opcontrol: %s\n", ctl_error_text(&error));
	ctl_error_release(&error);
	ctl_request_release(&req);
	return status;
}
