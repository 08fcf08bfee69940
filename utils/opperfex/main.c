// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main of opperfex: runs a command with virtual counters and prints the totals, like
 * perfctr's perfex.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/error.h"
#include "libop/base/process.h"
#include "libop/base/reason.h"
#include "libvperf/vperf.h"
#include "utils/opperfex/event.h"
#include "utils/opperfex/info.h"
#include "utils/opperfex/options.h"
#include "utils/shared/run_command.h"
#include "utils/shared/virtual_counters.h"

/* The following functions print the totals of a command in the format of perfctr's perfex. */

#define NS_KHZ		1000000
#define NAME_WIDTH	24
#define TAB		8

static void print_row(FILE *out, const char *kind, const char *name, uint64_t count)
{
	size_t width = strlen(kind) + strlen(name);

	fputs(kind, out);
	op_put_clean(out, name, strlen(name));
	do
		fputc('\t', out);
	while ((width = width / TAB * TAB + TAB) < NAME_WIDTH);
	fprintf(out, "%19" PRIu64, count);
}

/*
 * Print a line for the elapsed time, then a line for each event, in the order of @events. @tsc_khz:
 * result of vperf_tsc_khz(). If perf_events count, the time is in nanoseconds and is not labelled
 * as TSC.
 */
static void perfex_print(FILE *out, char *const *events, uint64_t tsc_khz,
			 const struct vperf_counts *counts)
{
	print_row(out, "", tsc_khz == NS_KHZ ? "nanoseconds" : "tsc", counts->tsc);
	fputc('\n', out);
	for (uint32_t i = 0; i < counts->nr; i++) {
		const struct vperf_count *c = &counts->slot[i];

		print_row(out, "event ", events[i], c->count);
		if (counts->incomplete & 1u << i)
			fprintf(out, "\t(had a counter for %.2f %% of the time)",
				c->enabled ? 100.0 * (double)c->running / (double)c->enabled : 0.0);
		fputc('\n', out);
	}
}

/* Print the totals of the command's child processes. The totals of the command are already
 * printed. */
static void perfex_print_children(FILE *out, char *const *events, uint64_t tsc_khz,
				  const struct vperf_counts *counts)
{
	fputs("children", out);
	if (counts->nr_children)
		fprintf(out, "\t\t%19" PRIu64, counts->nr_children);
	if (counts->nr_missed)
		fprintf(out, "\t(%" PRIu64 " more were not counted: no memory)", counts->nr_missed);
	fputc('\n', out);
	perfex_print(out, events, tsc_khz, counts);
}

/* State of a command that runs with counters, and the totals at its end. */

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
	/* Open the output file only after the counters are open: fopen() truncates an existing
	 * file, which must not happen if the counters cannot be opened. */
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

/* Run the command, print its totals, and return the exit status of opperfex: the status of the
 * command (128 + N if signal N killed it) or, on a failure of opperfex, one of CTL_EXIT_*
 * (run_command.h) with a message in @error. */
static int perfex_run(const struct perfex_options *options, struct op_reason *error)
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
		err = run_command_exec(&r.command, options->command[0], error);
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
		err = op_fail(error, -EIO, "cannot write to stdout: %s", strerror(errno));
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
