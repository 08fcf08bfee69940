// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main of opattach, which profiles a running process.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"
#include "libop/base/process.h"
#include "utils/opattach/method.h"
#include "utils/opattach/options.h"
#include "utils/opattach/worker.h"

/* pause in milliseconds between two calls that release threads which have stopped too late */
#define REAP_MS		100
/* Minimum and maximum, in milliseconds, of the time limit for calling functions in the process.
 * Between them, the limit is the value of --time. */
#define LEAST_INSIDE_MS	2000
#define MOST_INSIDE_MS	20000
/* time in milliseconds between the child's own time limit and the moment at which the parent kills
 * it. A killed child may leave an unfinished call in the target, and until that call returns, no
 * opattach can call a function */
#define KILL_MS		10000

static const struct attach_method *const methods[] = {
	&attach_probe,	&attach_library, &attach_linked,
	&attach_mapped, &attach_events,	 &attach_timer,
};

#define NR_METHODS	(sizeof(methods) / sizeof(methods[0]))

static void passed_over(const struct attach *a, const char *name, const char *why)
{
	if (a->options->explains)
		op_clean_printf(stderr, "opattach: %s: %s\n", name, why);
}

static int stop(struct attach *a, struct op_reason *error)
{
	for (size_t i = 0; i < NR_METHODS; i++) {
		struct op_reason cause = { "" };
		int err = methods[i]->stop ? methods[i]->stop(a, &cause) : -ENOENT;

		if (!err) {
			op_clean_printf(stderr, "opattach: stopped sampling process %d\n",
					(int)a->target.pid);
			return 0;
		}
		if (methods[i]->stop)
			passed_over(a, methods[i]->name, cause.text);
		if (a->is_unclear || err == -EAGAIN)
			return op_fail(error, err, "%s", cause.text);
	}
	return op_fail(error, -ENOENT,
		       "cannot stop sampling process %d: opattach has loaded nothing into it; end "
		       "an opattach that is still running with Ctrl-C",
		       (int)a->target.pid);
}

static unsigned int inside_ms(const struct attach_options *o)
{
	return !o->ms || o->ms > MOST_INSIDE_MS ? MOST_INSIDE_MS :
	       o->ms < LEAST_INSIDE_MS		? LEAST_INSIDE_MS :
						  o->ms;
}

/* Return the time limit, in milliseconds, for starting to sample. The same limit applies to
 * stopping. */
static unsigned int attach_begin_ms(const struct attach_options *o)
{
	return inside_ms(o) + KILL_MS;
}

/* Return the deadline for calling functions in the process. */
static uint64_t inside_end_ns(const struct attach_options *o)
{
	return op_now_ns() + inside_ms(o) * 1000000ULL;
}

/* Wait while the process is sampled from inside, until --time has passed or the process has
 * ended. */
static void wait_for_end(const struct attach *a)
{
	struct pollfd p = { .fd = a->target.pidfd, .events = POLLIN };

	for (unsigned int left = a->options->ms, part; left && !p.revents; left -= part) {
		part = left < REAP_MS ? left : REAP_MS;
		attach_threads_release();
		poll(&p, 1, part);
	}
}

/* Print the opreport command for the file @path. The command names the directory, because the file
 * is renamed when the process ends. */
static void print_report_command(const char *path)
{
	const char *end = strrchr(path, '/');
	char *dir = end ? strndup(path, end > path ? (size_t)(end - path) : 1) : strdup(".");

	if (!dir)
		return;
	fputs("opattach: to report them, now or after the process has ended: opreport ", stderr);
	op_put_word(stderr, dir);
	fputc('\n', stderr);
	free(dir);
}

static int report_file(struct attach *a, const struct attach_method *method,
		       struct op_reason *error)
{
	if (!*a->path)
		return 0;
	attach_has_begun(a);
	op_clean_printf(stderr,
			"opattach: process %d is sampled from inside (%s); counts are in %s\n",
			(int)a->target.pid, method->name, a->path);
	print_report_command(a->path);
	if (!a->options->ms)
		return 0;
	wait_for_end(a);
	if (!attach_target_is_there(&a->target))
		return 0;
	attach_images_read(&a->images, &a->target);
	a->sigreturn = 0;
	a->target.end_ns = inside_end_ns(a->options);
	return stop(a, error);
}

/* Print why each method failed: the user may have expected another method than the last one. */
static void report_causes(const struct attach *a, const struct op_reason *error, size_t nr)
{
	for (size_t i = 0; i < nr && !a->options->explains; i++)
		op_clean_printf(stderr, "opattach: %s: %s\n", methods[i]->name, error[i].text);
}

static int begin(struct attach *a, struct op_reason *error)
{
	struct op_reason cause[NR_METHODS] = { { "" } };

	for (size_t i = 0; i < NR_METHODS; i++) {
		int err = methods[i]->begin(a, &cause[i]);

		if (!err)
			return report_file(a, methods[i], error);
		passed_over(a, methods[i]->name, cause[i].text);
		*a->path = '\0';
		/* Do not try the next method if a call in the process may be unfinished, or if the
		 * process has ended. */
		if (a->is_unclear || attach_target_check(&a->target, &cause[i]))
			return op_fail(error, -ENOTSUP, "%s", cause[i].text);
	}
	report_causes(a, cause, NR_METHODS - 1);
	return op_fail(error, -ENOTSUP, "%s: %s", methods[NR_METHODS - 1]->name,
		       cause[NR_METHODS - 1].text);
}

/* Sample the process as the options describe. Close the descriptor @begun when sampling has
 * started. Return 0, or a negative errno with a message in @error if no method works. */
static int attach_run(const struct attach_options *o, int begun, struct op_reason *error)
{
	struct attach a = { .options = o, .begun = begun };
	struct op_reason cause = { "" };
	int err = attach_target_open(&a.target, o->pid, &cause);

	a.images.files = &a.files;
	a.target.end_ns = inside_end_ns(o);
	if (!err && attach_images_read(&a.images, &a.target))
		err = attach_target_refused(&a.target, -EPERM, &cause);
	if (err)
		op_fail(error, err, "%s", cause.text);
	else
		err = o->stops ? stop(&a, error) : begin(&a, error);
	attach_images_release(&a.images);
	attach_target_close(&a.target);
	if (a.dir)
		close(a.dir_fd);
	free(a.dir);
	return err;
}

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
