// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * worker.c -- samples the target in a child process, so that the parent can give up at a deadline.
 */
#include "config.h"
#include "utils/opattach/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/clock.h"
#include "utils/opattach/thread.h"

#define FIRST_FD	(STDERR_FILENO + 1)
/* maximum time to wait for the end of a killed child, in milliseconds */
#define KILLED_MS	1000

/* The state of the parent, which waits for the child. */
struct waiting {
	const struct attach_worker *worker;
	pid_t pid;
	/* pidfd of the child; -1: not available, so the end of the child's output is treated as the
	 * end of the child */
	int child;
	/* read end of the pipe for the child's stderr; -1: the child has closed it */
	int out;
	/* read end of a pipe that the child closes when sampling has started; -1: closed */
	int begun;
	int signals;
	bool is_interrupted;
	/* deadline for the end of the child, by op_now_ns(); 0: no limit */
	uint64_t end_ns;
};

enum { OUT, BEGUN, SIGNALS, CHILD, NR_FDS };

static uint64_t after_ms(unsigned int ms)
{
	return op_now_ns() + ms * 1000000ULL;
}

static int poll_ms(uint64_t end_ns)
{
	const uint64_t now = op_now_ns();

	return !end_ns ? -1 : end_ns <= now ? 0 : (int)((end_ns - now) / 1000000 + 1);
}

static void relay(struct waiting *w)
{
	char buf[4096];
	ssize_t got = read(w->out, buf, sizeof(buf));

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		close(w->out);
		w->out = -1;
		return;
	}
	for (ssize_t done = 0, sent; done < got; done += sent) {
		sent = write(STDERR_FILENO, buf + done, got - done);
		if (sent < 0)
			return;
	}
}

/* Forward a received signal to the child. The child must then end within begin_ms, unless the
 * caller ignores the signal (as nohup(1) does). */
static void pass_signal(struct waiting *w)
{
	struct signalfd_siginfo info;
	struct sigaction is;

	if (read(w->signals, &info, sizeof(info)) != sizeof(info))
		return;
	kill(w->pid, info.ssi_signo);
	if (sigaction(info.ssi_signo, NULL, &is) || is.sa_handler == SIG_IGN)
		return;
	w->is_interrupted = true;
	w->end_ns = after_ms(w->worker->begin_ms);
}

static void check_begun(struct waiting *w)
{
	close(w->begun);
	w->begun = -1;
	if (!w->is_interrupted)
		w->end_ns = w->worker->ms ?
				    after_ms(w->worker->ms) + w->worker->begin_ms * 1000000ULL :
				    0;
}

/* Wait for the end of the child. Return false at the deadline. */
static bool wait_for_child(struct waiting *w)
{
	while (!w->end_ns || op_now_ns() < w->end_ns) {
		struct pollfd p[NR_FDS] = {
			[OUT] = { w->out, POLLIN, 0 }, [BEGUN] = { w->begun, POLLIN, 0 },
			[SIGNALS] = { w->signals, POLLIN, 0 }, [CHILD] = { w->child, POLLIN, 0 },
		};

		if (poll(p, NR_FDS, poll_ms(w->end_ns)) < 0)
			continue;
		if (p[OUT].revents)
			relay(w);
		if (p[SIGNALS].revents)
			pass_signal(w);
		if (p[BEGUN].revents)
			check_begun(w);
		if (p[CHILD].revents || (w->child < 0 && w->out < 0))
			return true;
	}
	return false;
}

/* Relay the output that the child has already written. Do not wait for the end of the pipe, because
 * a process that the child started may keep the pipe open. */
static void relay_rest(struct waiting *w)
{
	if (w->out >= 0)
		fcntl(w->out, F_SETFL, O_NONBLOCK);
	while (w->out >= 0) {
		struct pollfd p = { w->out, POLLIN, 0 };

		if (poll(&p, 1, 0) <= 0)
			return;
		relay(w);
	}
}

/* Terminate like the child: return the child's exit status, or die by the same signal. */
static int end_as(int status)
{
	sigset_t set;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(status));
	kill(getpid(), WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return EXIT_FAILURE;
}

static int abandon_child(struct waiting *w, struct op_reason *error)
{
	struct pollfd p = { w->child, POLLIN, 0 };

	/* Reset the child's priority. The child may be waiting for memory of the target while a
	 * stopped thread gives the child a raised priority. */
	setpriority(PRIO_PROCESS, w->pid, getpriority(PRIO_PROCESS, 0));
	kill(w->pid, SIGKILL);
	poll(&p, 1, KILLED_MS);
	relay_rest(w);
	op_fail(error, -ETIMEDOUT,
		"cannot %s process %d within %u seconds: opattach is still waiting for the "
		"process's memory, files or threads%s; profile it from outside: operf --pid=%d",
		w->begun >= 0 ? "attach to" : "detach from", (int)w->worker->pid,
		w->worker->begin_ms / 1000,
		p.revents ? "" : ", and a child process of opattach still waits for "
				 "them", (int)w->worker->pid);
	return EXIT_FAILURE;
}

static int wait_and_end(struct waiting *w, struct op_reason *error)
{
	int status;

	if (!wait_for_child(w))
		return abandon_child(w, error);
	relay_rest(w);
	if (waitpid(w->pid, &status, __WALL) != w->pid) {
		op_fail(error, -ECHILD, "cannot wait for the child process: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	return end_as(status);
}

static sigset_t watched_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

/* Set up the child. Make the kernel kill it when its parent ends, and close the caller's files,
 * which would stay open if the parent gives up waiting. Return false on failure. */
static bool begin_child(struct attach_worker *worker, pid_t parent, const sigset_t *before, int out,
			int begun)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool is_ready = null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
			dup2(null, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0 &&
			(begun == FIRST_FD || dup2(begun, FIRST_FD) >= 0);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, before, NULL);
	worker->begun = FIRST_FD;
	return is_ready && !fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC) &&
	       !syscall(SYS_close_range, FIRST_FD + 1, ~0U, 0) && getppid() == parent;
}

bool attach_worker_fork(struct attach_worker *worker, int *status, struct op_reason *error)
{
	const sigset_t set = watched_signals();
	struct waiting w = { .worker = worker, .child = -1, .signals = -1 };
	int out[2] = { -1, -1 }, begun[2] = { -1, -1 };
	const pid_t parent = getpid();
	sigset_t before;

	sigprocmask(SIG_BLOCK, &set, &before);
	w.signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (w.signals < 0 || pipe2(out, O_CLOEXEC) || pipe2(begun, O_CLOEXEC) ||
	    (w.pid = fork()) < 0) {
		op_fail(error, -errno, "cannot start a child process: %s", strerror(errno));
		*status = EXIT_FAILURE;
		return false;
	}
	if (!w.pid) {
		*status = EXIT_FAILURE;
		return begin_child(worker, parent, &before, out[1], begun[1]);
	}
	close(out[1]);
	close(begun[1]);
	w.out = out[0];
	w.begun = begun[0];
	w.child = syscall(SYS_pidfd_open, w.pid, 0);
	w.end_ns = after_ms(worker->begin_ms);
	*status = wait_and_end(&w, error);
	return false;
}
