// SPDX-License-Identifier: GPL-2.0-or-later
/* optop.c -- the optop program: shows what the machine is doing now. */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "libop/base/process.h"
#include "pp/tool/console.h"
#include "pp/top/batch.h"
#include "pp/top/options.h"
#include "pp/top/screen.h"

static int run(struct pp_top_command *command, struct pp_log *log)
{
	struct pp_top top = { 0 };
	int err = odb_survive_lost_pages();

	if (!command->batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return op_fail(&log->error, -ENOTTY,
			       "stdin and stdout must be a terminal; --batch prints text");
	if (!err)
		err = pp_top_open(&top, &command->top, log);
	if (!err && command->batch)
		err = pp_top_batch(&top, command, log);
	else if (!err)
		err = pp_top_screen(&top, command, log);
	pp_top_close(&top);
	return err;
}

int main(int argc, char **argv)
{
	struct pp_top_command command = { .batch = false };
	struct pp_console console;
	int err;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	setlocale(LC_CTYPE, "");
	pp_console_init(&console, "optop", stderr);
	err = pp_top_parse(&command, argc, argv, stdout, &console.log.error);
	if (!err)
		err = run(&command, &console.log);
	pp_top_command_release(&command);
	return pp_console_end(&console, err < 0 ? err : 0);
}
