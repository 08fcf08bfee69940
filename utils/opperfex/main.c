// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main: runs a command with virtual counters and prints their sums, as perfctr's perfex
 * did.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/process.h"
#include "utils/shared/run_command.h"
#include "utils/opperfex/costs.h"
#include "utils/opperfex/options.h"
#include "utils/opperfex/run.h"
#include "utils/opperfex/info.h"

static int print_info(const struct perfex_options *o, struct op_reason *error)
{
	int err = 0;

	switch (o->what) {
	case PERFEX_COMMAND:
		return perfex_run(o, error);
	case PERFEX_INFO:
		err = perfex_info(stdout, o->source, error);
		break;
	case PERFEX_LIST:
	case PERFEX_LIST_LONG:
		err = perfex_list(stdout, o->what == PERFEX_LIST_LONG, error);
		break;
	case PERFEX_COSTS:
		err = perfex_costs(stdout, o, error);
		break;
	case PERFEX_WHO:
		err = perfex_who(stdout, error);
		break;
	}
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = op_fail(error, -EIO, "cannot write: %s", strerror(errno));
	if (err && !*error->text)
		op_fail(error, err, "%s", op_strerror(err));
	return err ? CTL_EXIT_FAILED : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct op_caller caller;
	struct perfex_options options = { .caller = &caller };
	struct op_reason error = { "" };
	int status = CTL_EXIT_FAILED;
	enum ctl_parse parsed;

	op_process_prepare(&caller, OP_PROCESS_WORKS);
	parsed = perfex_options_parse(&options, argc, argv, stdout, &error);
	if (parsed == CTL_RUN)
		status = print_info(&options, &error);
	perfex_options_release(&options);
	return ctl_command_line_exit("opperfex", parsed, status, &error);
}
