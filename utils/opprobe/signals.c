// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signals.c -- signals that are meant for a command, and come to its parent.
 */
#include "config.h"
#include "utils/opprobe/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int forwarded[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };

/* In its parent's memory, of which it may change nothing: errno is its parent's too, so no function that sets it. */
static int stand_by(void *parent)
{
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (syscall(SYS_getppid) == *(const pid_t *)parent)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return 0;
}

/* There is one in each run, and hardly ever a signal: so it shares our memory, which would take longer to copy than all of the rest. */
static int new_bystander(struct probe_signals *s)
{
	char *stack = s->stacks[s->nr_stacks++ % 2];
	sigset_t all, before;
	pid_t pid;

	s->parent = getpid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = clone(stand_by, stack + sizeof(s->stacks[0]), CLONE_VM | SIGCHLD, &s->parent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return -errno;
	s->bystander = pid;
	return 0;
}

static void end_bystander(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Whether @pid has got signal @nr. */
static bool has_got(pid_t pid, int nr)
{
	char path[40], line[200];
	uint64_t pending = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "ShdPnd: %" SCNx64, &pending) == 1)
			break;
	}
	if (f)
		fclose(f);
	return pending >> (nr - 1) & 1;
}

/*
 * A fork waits until the kernel has sent a signal to all of a group, so after one the old bystander has got what it
 * gets. The new one begins with nothing.
 */
static bool was_for_group(struct probe_signals *s, int nr)
{
	pid_t before = s->bystander;
	bool ret;

	if (new_bystander(s))
		return has_got(before, nr);
	ret = has_got(before, nr);
	end_bystander(before);
	return ret;
}

int probe_signals_open(struct probe_signals *s, struct op_reason *error)
{
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return op_fail(error, -errno, "No signal descriptor: %s.", strerror(errno));
	s->nr_stacks = 0;
	err = new_bystander(s);
	if (err)
		close(s->fd);
	return err ? op_fail(error, err, "No process can be made: %s.", strerror(-err)) : 0;
}

static void forward(struct probe_signals *s, const struct signalfd_siginfo *info, pid_t pid, bool tells)
{
	/* Signals of the kernel come from a terminal, which sends them to the whole group. */
	if (info->ssi_signo == SIGCHLD || info->ssi_code == SI_KERNEL || was_for_group(s, (int)info->ssi_signo))
		return;
	kill(pid, (int)info->ssi_signo);
	if (tells)
		fprintf(stderr, "opprobe: signal %u is forwarded to process %d\n", info->ssi_signo, (int)pid);
}

int probe_signals_wait(struct probe_signals *s, struct held_command *command, int *status, bool tells)
{
	struct signalfd_siginfo info;

	while (!held_command_ended(command, status)) {
		struct pollfd fds[] = { { .fd = s->fd, .events = POLLIN }, { .fd = command->pidfd, .events = POLLIN } };

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		while (read(s->fd, &info, sizeof(info)) == sizeof(info))
			forward(s, &info, command->pid, tells);
	}
	return 0;
}

void probe_signals_close(struct probe_signals *s)
{
	end_bystander(s->bystander);
	close(s->fd);
}
