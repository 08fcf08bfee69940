// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signals.c -- forwards signals to a command that is in the same process group as opprobe.
 */
#include "config.h"
#include "utils/opprobe/signals.h"

#include <errno.h>
#include <inttypes.h>
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

/*
 * Main function of the bystander process (signals.h): wait until the parent ends. The bystander
 * shares the memory of the parent, including errno, so it must not call functions that set errno.
 */
static int run_bystander(void *parent)
{
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (syscall(SYS_getppid) == *(const pid_t *)parent)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return 0;
}

/*
 * Create a bystander process (signals.h) that shares the memory of this process. Copying the memory
 * would be most of opprobe's run time, and each run needs a bystander, although signals are rare.
 */
static int new_bystander(struct probe_signals *s)
{
	char *stack = s->stacks[s->nr_stacks++ % 2];
	sigset_t all, before;
	pid_t pid;

	s->parent = getpid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = clone(run_bystander, stack + sizeof(s->stacks[0]), CLONE_VM | SIGCHLD, &s->parent);
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

/* Return whether signal @nr is pending in process @pid. */
static bool is_pending(pid_t pid, int nr)
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
 * Return whether signal @nr was sent to the whole process group. Create a new bystander, then check
 * whether the signal is pending in the old one. fork waits until the kernel has sent the signal to
 * all processes of the group, so a signal for the group is now pending in the old bystander. The
 * new bystander starts without pending signals.
 */
static bool was_for_group(struct probe_signals *s, int nr)
{
	pid_t before = s->bystander;
	bool ret;

	if (new_bystander(s))
		return is_pending(before, nr);
	ret = is_pending(before, nr);
	end_bystander(before);
	return ret;
}

static bool may_forward(void *arg, const struct signalfd_siginfo *info)
{
	struct probe_signals *s = arg;

	/* The kernel sends signals of the terminal (such as Ctrl-C) to the whole process group. */
	if (info->ssi_code == SI_KERNEL || was_for_group(s, (int)info->ssi_signo))
		return false;
	if (s->reports)
		fprintf(stderr, "opprobe: signal %u is forwarded to process %d\n", info->ssi_signo, (int)s->command->pid);
	return true;
}

int probe_signals_open(struct probe_signals *s, struct run_command *command, bool reports,
		       struct op_reason *error)
{
	static const int more[] = { SIGQUIT, SIGUSR1, SIGUSR2, 0 };
	int err, fd = run_command_open_signals(more, error);

	if (fd < 0)
		return fd;
	s->command = command;
	s->reports = reports;
	s->nr_stacks = 0;
	err = new_bystander(s);
	if (err) {
		close(fd);
		return op_fail(error, err, "cannot start a helper process for signals: %s", strerror(-err));
	}
	command->signal_fd = fd;
	command->may_forward = may_forward;
	command->arg = s;
	return 0;
}

void probe_signals_close(struct probe_signals *s)
{
	end_bystander(s->bystander);
	close(s->command->signal_fd);
}
