// SPDX-License-Identifier: GPL-2.0-or-later
/* restore.c -- restores the terminal when a signal ends the process. */
#include "config.h"
#include "pp/tool/restore.h"

#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* A signal handler has no argument, so the terminal's state is here: its modes, and the sequences
 * that leave the screen. */
static struct termios modes;
static char leave[256];
static size_t leave_len;

/* Append the sequence of a capability, without its delays ($<N>). */
static void add_sequence(const char *capability)
{
	const char *text = tigetstr(capability);

	/* The terminal does not have the capability. */
	if (!text || text == (const char *)-1)
		return;
	while (*text && leave_len < sizeof(leave)) {
		const char *end = strncmp(text, "$<", 2) ? NULL : strchr(text, '>');

		if (end)
			text = end + 1;
		else
			leave[leave_len++] = *text++;
	}
}

/* All functions that this handler calls are safe in handlers. */
static void restore(int sig)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };
	ssize_t ignored = 0;

	/* The user may have stopped the output: do not wait for its end. */
	if (poll(&p, 1, 0) > 0)
		ignored = write(STDOUT_FILENO, leave, leave_len);
	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSANOW, &modes);
	/* SA_RESETHAND has restored the default action. The signal comes when the handler ends. */
	raise(sig);
}

void pp_restore_on_signals(const struct termios *before)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2,
				       SIGPIPE, SIGXCPU, SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGSYS };
	static const char *const sequences[] = { "sgr0", "rmkx", "cnorm", "rmcup" };
	struct sigaction action = { .sa_handler = restore, .sa_flags = SA_RESETHAND }, now;

	modes = *before;
	leave_len = 0;
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		add_sequence(sequences[i]);
	sigfillset(&action.sa_mask);
	/* A signal that the caller ignores, such as SIGHUP below nohup, stays ignored. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}
