// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c -- one measurement: forks a command, gives it counters, lets it run, and prints the
 * counters' sums when it has ended.
 */
#include "config.h"
#include "utils/opperfex/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "utils/shared/run_command.h"
#include "utils/opperfex/event.h"
#include "utils/opperfex/output.h"
#include "utils/shared/virtual_counters.h"

struct run {
	const struct perfex_options *o;
	struct vperf *v;
	struct run_command command;	/* the command; pid 0: no command */
	FILE *out;
	int status;
};

static int open_counters(void *arg, struct op_reason *error)
{
	struct run *r = arg;
	unsigned int flags = VPERF_ON_EXEC | r->o->source | (r->o->children ? VPERF_CHILDREN : 0);
	int err = vperf_attach(&r->v, r->command.pid, flags);

	if (err)
		op_fail(error, err, "%s", vperf_error(r->v));
	for (size_t i = 0; i < r->o->nr_events && !err; i++)
		err = perfex_event_add(r->v, r->o->events[i], error);
	if (!err) {
		err = vperf_start(r->v);
		if (err)
			op_fail(error, err, "%s", vperf_error(r->v));
	}
	if (err) {
		vperf_close(r->v);
		r->v = NULL;
	}
	return err;
}

static int prepare(struct run *r, struct op_reason *error)
{
	int err;

	r->command.signal_fd = run_command_open_signals(NULL, error);
	if (r->command.signal_fd < 0)
		return r->command.signal_fd;
	err = run_command_fork(&r->command, r->o->command, r->o->caller, error);
	if (!err)
		err = virtual_counters_give(r->command.pid, r->o->source, open_counters, r, error);
	if (err)
		return err;
	/* Open the file after the counters: fopen() empties the file, so a failure of the counters
	 * must come first. */
	r->out = r->o->output ? fopen(r->o->output, "we") : stderr;
	return r->out ? 0 :
			op_fail(error, -errno, "cannot write %s: %s", r->o->output,
				strerror(errno));
}

static int wait_for_command(struct run *r)
{
	int status, err = run_command_wait(&r->command, &status);

	if (!err)
		r->status = run_command_exit_status("opperfex", r->o->command[0], status, 0);
	return err;
}

static int print(struct run *r, struct op_reason *error)
{
	struct vperf_counts counts;
	int err = vperf_read(r->v, &counts);

	if (err)
		return op_fail(error, err, "cannot read the counters: %s", strerror(-err));
	perfex_print(r->out, r->o->events, vperf_tsc_khz(r->v), &counts);
	if (r->o->children) {
		err = vperf_read_children(r->v, &counts);
		if (err)
			return op_fail(error, err, "%s", vperf_error(r->v));
		perfex_print_children(r->out, r->o->events, vperf_tsc_khz(r->v), &counts);
	}
	return fflush(r->out) || ferror(r->out) ?
		       op_fail(error, -EIO, "cannot write the counts: %s", strerror(errno)) :
		       0;
}

int perfex_run(const struct perfex_options *options, struct op_reason *error)
{
	struct run r = { .o = options, .command.signal_fd = -1 };
	int status = CTL_EXIT_FAILED, err;
	char *path = NULL;

	err = run_command_find(&path, options->command[0], error);
	free(path);
	if (err)
		return run_command_error_status(err);
	err = prepare(&r, error);
	if (!err) {
		err = run_command_go(&r.command, options->command[0], error);
		if (err == -ENOENT || err == -EACCES || err == -ENOEXEC)
			status = CTL_EXIT_NO_EXEC;
	}
	if (!err)
		err = wait_for_command(&r);
	if (!err)
		err = print(&r, error);
	if (err && !*error->text)
		op_fail(error, err, "%s", op_strerror(err));
	if (!err)
		status = r.status;
	run_command_release(&r.command);
	vperf_close(r.v);
	if (r.command.signal_fd >= 0)
		close(r.command.signal_fd);
	if (r.out && r.out != stderr)
		fclose(r.out);
	return status;
}
