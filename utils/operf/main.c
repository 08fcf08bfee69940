// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- main of operf: profiles one command, some processes, or the whole machine, by
 * perf_events.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"
#include "libop/base/dir.h"
#include "libop/base/error.h"
#include "libop/base/process.h"
#include "libop/base/reason.h"
#include "libop/session/paths.h"
#include "utils/operf/daemon.h"
#include "utils/operf/needed_files.h"
#include "utils/operf/options.h"
#include "utils/operf/session.h"
#include "utils/shared/daemon.h"
#include "utils/shared/perf_event.h"
#include "utils/shared/run_command.h"

/* State of one profile, from renaming the previous profile to storing the last sample. */

struct run {
	const struct operf_options *o;
	unsigned int number;		/* with --repeat: number of this run, from 1 on */
	char *dir;			/* absolute path of the session directory */
	/* descriptor of the session directory's lock, held until operf ends; -1: not locked */
	int lock;
	bool made_dir;
	/* whether this operf has renamed the previous profile, and must restore or keep it */
	bool prepared;
	const char *events;
	struct run_command command;	/* the command; pid 0: no command */
	pid_t daemon;			/* process id of the daemon; 0: no daemon runs */
	int daemon_fd;			/* pidfd of the daemon, or -1 */
	/* whether another process ended the daemon; the samples until then are kept */
	bool daemon_ended;
	/* for each process of --pid: its pidfd; -1: the process has ended */
	int *pidfds;
	size_t nr_running;		/* number of processes of --pid that are still running */
	/* time (op_now_ms()) at which --duration will have passed; 0: no time limit, or it has
	 * passed */
	uint64_t deadline_ms;
	/* whether the previous profile is renamed, but sampling has not started yet */
	bool set_aside;
	bool begun;
	bool over;			/* whether all processes to be profiled have ended */
	/* number of received signals that request the end of the profile */
	unsigned int nr_signals;
	bool interrupted;		/* whether a signal has requested the end of the profile */
	/* whether --duration has passed, so that operf has asked the command to end */
	bool timed_out;
	int status;			/* wait(2) status of the command after its end */
};

/* Create the session directory if it does not exist. The daemon will check its contents. */
static int prepare_dir(struct run *r, struct op_reason *error)
{
	const char *name = r->o->session_dir ? r->o->session_dir : OP_LOCAL_SESSION_DIR;
	struct stat st;

	r->made_dir = mkdir(name, 0700) == 0;
	if (!r->made_dir && errno == EEXIST && stat(name, &st) == 0 && !S_ISDIR(st.st_mode))
		return op_fail(error, -ENOTDIR,
			       "cannot write the profile to %s: it is not a directory; name a "
			       "directory with --session-dir=DIR",
			       name);
	if (!r->made_dir && errno != EEXIST)
		return op_fail(error, -errno, "cannot make the directory %s for the profile: %s; "
					      "name another directory with --session-dir=DIR", name, strerror(errno));
	if (access(name, R_OK | W_OK | X_OK) < 0 && errno == EACCES)
		return op_fail(error, -EACCES,
			       "cannot use the directory %s: its profile belongs to another user; "
			       "name another directory with --session-dir=DIR",
			       name);
	r->dir = realpath(name, NULL);
	if (!r->dir)
		return op_fail(error, -errno, "cannot use the directory %s: %s", name,
			       strerror(errno));
	return 0;
}

/* Fail if another operf or a daemon is profiling into this session directory. A check for a running
 * daemon is not enough: another operf may be renaming sessions without a daemon. So take a lock. */
static int refuse_second(struct run *r, struct op_reason *error)
{
	struct ctl_daemon found;
	int err = operf_lock(&r->lock, r->dir, error);

	if (!err)
		err = ctl_daemon_find(&found, r->dir, error);
	if (err)
		return err;
	if (ctl_daemon_alive(&found))
		return op_fail(error, -EBUSY,
			       "a profile is already being taken in %s by oprofiled (pid %d): end "
			       "it, or name another directory with --session-dir",
			       r->dir, (int)found.pid);
	return 0;
}

static void choose_events(struct run *r)
{
	struct op_reason error = { "" };

	r->events = r->o->events ? r->o->events : operf_default_event(&error);
	if (*error.text && r->number == 1)
		op_clean_printf(stderr, "operf: sampling by time (%s): %s\n", r->events,
				error.text);
}

static int open_pidfds(struct run *r, struct op_reason *error)
{
	r->pidfds = calloc(r->o->nr_pids ? r->o->nr_pids : 1, sizeof(*r->pidfds));
	if (!r->pidfds)
		return -ENOMEM;
	for (size_t i = 0; i < r->o->nr_pids; i++) {
		int fd = op_pidfd_open(r->o->pids[i]);

		if (fd == -ESRCH)
			return op_fail(error, fd, "process %d does not exist", (int)r->o->pids[i]);
		if (fd < 0)
			return op_fail(error, fd, "cannot watch process %d: %s",
				       (int)r->o->pids[i], strerror(-fd));
		r->pidfds[r->nr_running++] = fd;
	}
	return 0;
}

static void set_deadline(struct run *r)
{
	if (r->o->duration > 0)
		r->deadline_ms = op_now_ms() + (uint64_t)(r->o->duration * 1000);
}

/* Return the time until the deadline of the profile in ms, or -1 if the profile has no deadline. */
static int time_left(const struct run *r)
{
	const uint64_t now = op_now_ms();

	if (!r->deadline_ms)
		return -1;
	if (now >= r->deadline_ms)
		return 0;
	return r->deadline_ms - now < INT_MAX ? r->deadline_ms - now : INT_MAX;
}

/* The daemon has ended early. Let the command finish without a profile, because the user needs the
 * result of the command. */
static void daemon_ended(struct run *r, int status)
{
	char how[OP_PROCESS_END];

	close(r->daemon_fd);
	r->daemon_fd = -1;
	r->daemon = 0;
	r->daemon_ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (r->daemon_ended)
		op_clean_printf(stderr,
				"operf: another process ended oprofiled, so sampling ended; the "
				"profile up to that time is in %s\n",
				r->dir);
	else
		op_clean_printf(stderr,
				"operf: oprofiled %s, so sampling ended; see "
				"%s/samples/oprofiled.log\n",
				op_process_end(how, sizeof(how), status), r->dir);
	r->over = !r->command.pid;
}

static void children_ended(struct run *r)
{
	int status;

	if (run_command_ended(&r->command, &status)) {
		r->status =
			run_command_exit_status("operf", r->o->command[0], status, r->command.sent);
		r->over = true;
	}
	if (r->daemon && waitpid(r->daemon, &status, WNOHANG) == r->daemon)
		daemon_ended(r, status);
}

/* Forward only the first signal to the command. The second signal ends the profile, even if the
 * command continues. */
static bool may_forward(void *arg, const struct signalfd_siginfo *info)
{
	struct run *r = arg;

	(void)info;
	r->interrupted = true;
	if (r->command.pid && !r->nr_signals++)
		return true;
	r->over = true;
	return false;
}

static void pids_ended(struct run *r, const struct pollfd *fds)
{
	for (size_t i = 0; i < r->o->nr_pids; i++) {
		if (r->pidfds[i] < 0 || !(fds[i].revents & POLLIN))
			continue;
		close(r->pidfds[i]);
		r->pidfds[i] = -1;
		r->nr_running--;
	}
	if (r->o->nr_pids && !r->nr_running)
		r->over = true;
}

/* After --duration, ask the command to end. Continue to sample until the command ends, because the
 * command may still write its results. */
static void time_is_up(struct run *r)
{
	r->deadline_ms = 0;
	r->timed_out = true;
	if (r->command.pid)
		run_command_kill(&r->command, SIGTERM);
	else
		r->over = true;
}

static int watch(struct run *r)
{
	size_t nr = r->o->nr_pids;
	struct pollfd *fds = calloc(nr + 1 + RUN_COMMAND_FDS, sizeof(*fds));
	int n;

	if (!fds)
		return -ENOMEM;
	while (!r->over) {
		for (size_t i = 0; i < nr; i++)
			fds[i] = (struct pollfd){ .fd = r->pidfds[i], .events = POLLIN };
		fds[nr] = (struct pollfd){ .fd = r->daemon_fd, .events = POLLIN };
		n = run_command_poll(&r->command, fds, nr + 1, time_left(r));
		if (n < 0 && n != -EINTR)
			break;
		if (n > 0) {
			children_ended(r);
			pids_ended(r, fds);
		} else if (n == 0 && time_left(r) == 0) {
			time_is_up(r);
		}
	}
	free(fds);
	return 0;
}

/*
 * Fork the command. If call paths are recorded, the child first maps the files that the command
 * will map, so that the daemon builds unwind tables for them before the command starts.
 */
static int fork_command(struct run *r, struct op_reason *error)
{
	struct needed_files needed = { 0 };
	char *path = NULL;
	int err;

	if (r->o->callgraph && run_command_find(&path, r->o->command[0], error) == 0)
		needed_files_map(&needed, path);
	free(path);
	err = run_command_fork(&r->command, r->o->command, r->o->caller, error);
	needed_files_unmap(&needed);
	return err;
}

static int begin(struct run *r, struct op_reason *error)
{
	const pid_t *targets = r->o->command ? &r->command.pid : r->o->pids;
	size_t nr_targets = r->o->command ? 1 : r->o->nr_pids;
	struct op_reason kept = { "" };
	int err = 0;

	if (r->o->command)
		err = fork_command(r, error);
	if (!err)
		err = operf_daemon_start(&r->daemon, r->o, r->dir, r->events, targets, nr_targets,
					 error);
	if (err)
		return err;
	r->daemon_fd = op_pidfd_open(r->daemon);
	set_deadline(r);
	if (r->o->command)
		err = run_command_exec(&r->command, r->o->command[0], error);
	if (err)
		return err;
	r->begun = true;
	if (r->set_aside && (err = operf_previous_save(r->dir, &kept)))
		op_clean_printf(stderr,
				"operf: cannot keep the former profile as session:previous: %s\n",
				op_reason_text(&kept, err));
	if (!r->o->command)
		fprintf(stderr, "operf: sampling; Ctrl-C or 'kill -INT %d' ends\n", (int)getpid());
	return 0;
}

static int end(struct run *r, struct op_reason *error)
{
	char option[OP_SESSION_OPTION_SIZE];
	int err = 0;

	if (r->daemon)
		err = operf_daemon_end(r->daemon, r->dir, error);
	else if (!r->daemon_ended)
		err = op_fail(error, -EIO,
			      "the profile in %s lacks the samples that were taken after oprofiled "
			      "had ended",
			      r->dir);
	r->daemon = 0;
	if (!err && r->o->repeat)
		err = operf_run_save(r->dir, r->number, error);
	if (err || r->number < r->o->repeat)
		return err;
	if (!err && r->o->session_dir)
		op_clean_printf(stderr, "operf: the profile is in %s: opreport%s\n", r->dir,
				op_session_option(option, r->dir));
	else if (!err)
		op_clean_printf(stderr, "operf: the profile is in %s: opreport shows it here\n",
				r->dir);
	if (r->o->verbose)
		op_clean_printf(stderr, "operf: the log is %s/samples/oprofiled.log\n", r->dir);
	return err;
}

static int prepare(struct run *r, struct op_reason *error)
{
	int err = open_pidfds(r, error);

	if (!err)
		err = prepare_dir(r, error);
	if (!err)
		err = refuse_second(r, error);
	r->prepared = !err;
	if (!err) {
		r->command.signal_fd = run_command_open_signals(NULL, error);
		err = r->command.signal_fd < 0 ? r->command.signal_fd : 0;
	}
	if (!err && !r->o->append) {
		err = operf_previous_set_aside(r->dir, error);
		r->set_aside = !err;
	}
	return err;
}

/* The new profile has no samples, so restore the previous profile. */
static void undo(struct run *r)
{
	struct op_reason error = { "" };
	int fd, err = r->set_aside ? operf_previous_restore(r->dir, &error) : 0;

	if (err)
		op_clean_printf(stderr, "operf: cannot restore the former profile: %s\n",
				op_reason_text(&error, err));
	if (!r->made_dir)
		return;
	fd = open(r->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		if (op_empty_dir(fd) == 0)
			rmdir(r->dir);
		close(fd);
	}
}

static void release(struct run *r)
{
	struct op_reason unheard = { "" };

	run_command_release(&r->command);
	if (r->daemon)
		operf_daemon_end(r->daemon, r->dir, &unheard);
	if (r->dir && r->prepared && !r->begun)
		undo(r);
	for (size_t i = 0; r->pidfds && i < r->o->nr_pids; i++)
		if (r->pidfds[i] > 0)
			close(r->pidfds[i]);
	free(r->pidfds);
	if (r->daemon_fd >= 0)
		close(r->daemon_fd);
	if (r->command.signal_fd >= 0)
		close(r->command.signal_fd);
	if (r->dir)
		operf_unlock(r->lock, r->dir);
	free(r->dir);
}

/*
 * Run one profile, and return the exit status of operf. With a command, this is the status of the
 * command (128 + N if signal N killed it). Without a command, it is 0. On a failure of operf, it is
 * one of CTL_EXIT_* (run_command.h), with a message in @error. @number: number of the run with
 * --repeat, from 1 on. Set *@goes_on to whether another run may follow.
 */
static int operf_run(const struct operf_options *options, unsigned int number, bool *goes_on,
		     struct op_reason *error)
{
	struct run r = { .o = options, .number = number, .lock = -1, .daemon_fd = -1,
		.command = { .signal_fd = -1, .may_forward = may_forward, .arg = &r } };
	int err, status = CTL_EXIT_FAILED;

	*goes_on = false;
	if (options->command) {
		char *path = NULL;

		err = run_command_find(&path, options->command[0], error);
		free(path);
		if (err)
			return run_command_error_status(err);
	}
	choose_events(&r);
	err = operf_check_events(r.events, error);
	if (!err)
		err = prepare(&r, error);
	if (!err) {
		err = begin(&r, error);
		if (err == -ENOENT || err == -EACCES || err == -ENOEXEC)
			status = CTL_EXIT_NO_EXEC;
	}
	if (!err)
		err = watch(&r);
	if (!err)
		err = end(&r, error);
	if (err && !*error->text)
		op_fail(error, err, "%s", op_strerror(err));
	/* If the command has run, return its exit status even if the profile failed, because the
	 * caller needs it. */
	if (!err || (options->command && !r.command.pid && r.command.hold_fd < 0))
		status = r.status;
	*goes_on = !err && !r.interrupted && (!status || r.timed_out);
	release(&r);
	return status;
}

/* Run as many profiles as --repeat requests. Stop after a failed run, or after a signal. Return the
 * exit status of the last run. */
static int repeat(const struct operf_options *options, struct op_reason *error)
{
	unsigned int number = 1;
	bool goes_on;
	int status;

	do {
		status = operf_run(options, number, &goes_on, error);
	} while (goes_on && number++ < options->repeat);
	if (number < options->repeat && !*error->text)
		fprintf(stderr, "operf: only %u of %u runs were profiled: the last run ended with "
			"status %d\n", number, options->repeat, status);
	return status;
}

int main(int argc, char **argv)
{
	struct op_caller caller;
	struct operf_options options = { .caller = &caller };
	struct op_reason error = { "" };
	int status = CTL_EXIT_FAILED;
	enum ctl_parse parsed;

	op_process_prepare(&caller, OP_PROCESS_WORKS);
	parsed = operf_options_parse(&options, argc, argv, stdout, &error);
	if (parsed == CTL_RUN)
		status = repeat(&options, &error);
	operf_options_release(&options);
	return ctl_command_line_exit("operf", parsed, status, &error);
}
