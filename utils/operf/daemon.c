// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon.c -- starts and ends the oprofiled that samples for one operf. */
#include "config.h"
#include "utils/operf/daemon.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/clock.h"
#include "libop/base/process.h"
#include "libop/session/client.h"
#include "utils/shared/daemon.h"
#include "utils/shared/spawn.h"

#define START_TIMEOUT_MS	30000
#define LOOK_EVERY_MS		20
#define MAX_ARGS		20

struct args {
	char *argv[MAX_ARGS + 1];
	size_t nr;
	bool failed;
};

static void __attribute__((format(printf, 2, 3))) add(struct args *a, const char *fmt, ...)
{
	va_list ap;

	if (a->nr == MAX_ARGS) {
		a->failed = true;
		return;
	}
	va_start(ap, fmt);
	if (vasprintf(&a->argv[a->nr], fmt, ap) < 0) {
		a->argv[a->nr] = NULL;
		a->failed = true;
	} else {
		a->nr++;
	}
	va_end(ap);
}

static void release(struct args *a)
{
	while (a->nr)
		free(a->argv[--a->nr]);
}

static char *pid_list(const pid_t *pids, size_t nr)
{
	char *list = NULL;
	size_t size;
	FILE *f = open_memstream(&list, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < nr; i++)
		fprintf(f, "%s%d", i ? "," : "", (int)pids[i]);
	if (fclose(f)) {
		free(list);
		return NULL;
	}
	return list;
}

/* Return the words of a command line as one malloc'd string, separated by blanks. */
static char *words(char *const *argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; argv[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", argv[i]);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Return a malloc'd text that describes a profile without a command: it names the processes @pids
 * or, if @pids is NULL, the whole machine. */
static char *what(const struct operf_options *o, const char *pids)
{
	char *text;

	if (o->nr_pids)
		return asprintf(&text, "operf --pid=%s", pids ? pids : "") < 0 ? NULL : text;
	return strdup("operf --system-wide");
}

static int make_args(struct args *a, const struct operf_options *o, const char *session_dir,
		     const char *events, const pid_t *targets, size_t nr_targets)
{
	char *program = ctl_program_find("oprofiled");
	char *pids = nr_targets ? pid_list(targets, nr_targets) : NULL;
	char *command = o->command ? words(o->command) : what(o, pids);

	if (!program || (nr_targets && !pids) || !command)
		a->failed = true;
	add(a, "%s", program ? program : "");
	add(a, "--foreground");
	add(a, "--start");
	add(a, "--source=perf");
	add(a, "--session-dir=%s", session_dir);
	add(a, "--events=%s", events);
	if (o->callgraph)
		add(a, "--callgraph");
	if (o->callgraph_by)
		add(a, "--callgraph-by=%s", o->callgraph_by);
	if (o->callgraph_stack)
		add(a, "--callgraph-stack=%s", o->callgraph_stack);
	if (o->cache_size)
		add(a, "--cache-size=%s", o->cache_size);
	if (o->priority)
		add(a, "--priority=%s", o->priority);
	add(a, "--separate=lib,kernel%s%s", o->separate_thread ? ",thread" : "",
	    o->separate_cpu ? ",cpu" : "");
	if (pids)
		add(a, "--pid=%s", pids);
	if (o->vmlinux)
		add(a, "--vmlinux=%s", o->vmlinux);
	if (o->verbose)
		add(a, "--verbose");
	if (command)
		add(a, "--command=%s", command);
	free(command);
	free(program);
	free(pids);
	return a->failed ? -ENOMEM : 0;
}

/*
 * In the child: execute oprofiled in a new session, so that Ctrl-C reaches only the command and
 * operf. The scheduler's autogroups share the CPUs among sessions, so even many processes of the
 * command cannot starve the daemon. The daemon ends when operf ends.
 */
static void __attribute__((noreturn)) become_daemon(char **argv, pid_t parent)
{
	sigset_t none;

	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent)
		_exit(EXIT_FAILURE);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "operf: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(EXIT_FAILURE);
}

/* Wait until oprofiled (process @pid) is sampling. It opens its control socket when sampling has
 * started. */
static int await(pid_t pid, const char *session_dir, struct op_reason *error)
{
	char how[OP_PROCESS_END];
	int status;

	for (int ms = 0; ms < START_TIMEOUT_MS; ms += LOOK_EVERY_MS) {
		struct op_client client;
		int err = op_client_connect(&client, session_dir, CTL_WRITE_TIMEOUT_S, error);

		if (!err) {
			bool ours = client.pid == pid;

			op_client_close(&client);
			if (ours)
				return 0;
		}
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFSIGNALED(status) ?
				       op_fail(error, -EIO,
					       "cannot sample: oprofiled %s before it began",
					       op_process_end(how, sizeof(how), status)) :
				       op_fail(error, -EIO,
					       "cannot sample: see the message of oprofiled above");
		poll(NULL, 0, LOOK_EVERY_MS);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return op_fail(error, -ETIMEDOUT, "cannot sample: oprofiled did not begin within %d s",
		       START_TIMEOUT_MS / 1000);
}

int operf_daemon_start(pid_t *pid, const struct operf_options *o, const char *session_dir,
		       const char *events, const pid_t *targets, size_t nr_targets,
		       struct op_reason *error)
{
	struct args args = { .nr = 0 };
	pid_t self = getpid(), child;
	int err = make_args(&args, o, session_dir, events, targets, nr_targets);

	if (err) {
		op_fail(error, err, "out of memory");
		goto release_args;
	}
	child = fork();
	if (child < 0) {
		err = op_fail(error, -errno, "cannot start oprofiled: %s", strerror(errno));
		goto release_args;
	}
	if (child == 0)
		become_daemon(args.argv, self);
	err = await(child, session_dir, error);
	if (!err)
		*pid = child;
release_args:
	release(&args);
	return err;
}

int operf_daemon_end(pid_t pid, const char *session_dir, struct op_reason *error)
{
	const uint64_t end = op_now_ms() + CTL_WRITE_TIMEOUT_S * 1000;
	char how[OP_PROCESS_END];
	int status;
	pid_t n;

	kill(pid, SIGTERM);
	while ((n = waitpid(pid, &status, WNOHANG)) == 0) {
		if (op_now_ms() > end) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return op_fail(error, -ETIMEDOUT,
				       "oprofiled did not end within %d s and was killed: the last "
				       "samples may be lost",
				       CTL_WRITE_TIMEOUT_S);
		}
		poll(NULL, 0, LOOK_EVERY_MS);
	}
	if (n == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (n == pid && WIFSIGNALED(status))
		return op_fail(error, -EIO,
			       "some samples are lost: oprofiled %s; see %s/samples/oprofiled.log",
			       op_process_end(how, sizeof(how), status), session_dir);
	return op_fail(error, -EIO,
		       "some samples are lost; see %s/samples/oprofiled.log for the cause",
		       session_dir);
}
