// SPDX-License-Identifier: GPL-2.0-or-later
/* batch.c -- optop without a terminal: prints snapshots as text. */
#include "config.h"
#include "pp/top/batch.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "libop/base/clock.h"
#include "pp/top/print.h"

#define NS_PER_S 1000000000ull

/* Sleep until the time @ns of the monotonic clock. */
static void sleep_until(uint64_t ns)
{
	const struct timespec t = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

int pp_top_batch(struct pp_top *top, const struct pp_top_command *command, struct pp_log *log)
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
			err = op_fail(&log->error, -errno, "cannot write: %s", strerror(errno));
		if (!err && top->gone)
			err = op_fail(&log->error, -ENOTCONN, "%s", top->trouble.text);
		else if (!err && *top->trouble.text)
			pp_warn(log, "%s", top->trouble.text);
	}
	return err;
}
