// SPDX-License-Identifier: GPL-2.0-or-later
/* signals.c -- the signals that concern a program that watches a command. */
#include "config.h"
#include "utils/shared/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "libop/base/clean.h"

int ctl_signals_open(struct op_reason *error)
{
	struct sigaction hangup;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? op_fail(error, -errno, "No signal descriptor: %s.", strerror(errno)) : fd;
}

int ctl_command_status(const char *program, const char *command, int status, int sent)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (!sig)
		return WEXITSTATUS(status);
	if (sig != SIGINT && sig != SIGPIPE && sig != sent)
		op_clean_printf(stderr, "%s: %s was killed by signal %d (%s)\n", program, command, sig, strsignal(sig));
	return 128 + sig;
}
