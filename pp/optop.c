// SPDX-License-Identifier: GPL-2.0-or-later
/* optop.c -- the optop program: shows what the machine is doing now. */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "libop/base/clock.h"
#include "libop/base/process.h"
#include "pp/tool/console.h"
#include "pp/top/options.h"
#include "pp/top/print.h"
#include "pp/top/screen.h"

#define NS_PER_S	1000000000ull

/* Sleep until the time @ns of the monotonic clock. */
static void sleep_until(uint64_t ns)
{
	const struct timespec t = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* Print snapshots to stdout until command->nr snapshots are printed, or until the reader closes
 * stdout. Return 0, or a negative errno with the reason in the log. The end of the daemon is an
 * error, too. */
static int print_snapshots(struct pp_top *top, const struct pp_top_command *command,
			   struct pp_log *log)
{
	uint64_t step = command->delay * NS_PER_S, next = op_now_ns();
	int err;

	top->wants_paths = pp_top_has_paths(command->view.by);
	err = pp_top_begin(top);
	for (long i = 0; !err && (!command->nr || i < command->nr); i++) {
		struct pp_top_snapshot snapshot = { 0 };

		next += step;
		/* After a stop of the process, or with a slow reader of stdout, skip the missed
		 * snapshots. */
		if (op_now_ns() > next)
			next = op_now_ns() + step;
		sleep_until(next);
		err = pp_top_next(top, &snapshot);
		if (!err)
			err = pp_top_print(stdout, &snapshot, &command->view, command->lines);
		pp_top_snapshot_release(&snapshot);
		if (!err && fflush(stdout))
			err = op_fail(&log->error, -errno, "cannot write to stdout: %s", strerror(errno));
		if (!err && top->gone)
			err = op_fail(&log->error, -ENOTCONN, "%s", top->trouble.text);
		else if (!err && *top->trouble.text)
			pp_warn(log, "%s", top->trouble.text);
	}
	return err;
}

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
		err = print_snapshots(&top, command, log);
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
