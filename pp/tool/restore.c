// SPDX-License-Identifier: GPL-2.0-or-later
/* restore.c -- restores the terminal before a signal ends the process. */
#include "config.h"
#include "pp/tool/restore.h"

#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* State of the terminal: its modes, and the escape sequences that leave the screen of ncurses. The
 * signal handler has no argument, so the state is global. */
static struct termios modes;
static char leave[256];
static size_t leave_len;

/* Append the escape sequence of a terminfo capability, without padding delays ($<N>). */
static void add_sequence(const char *capability)
{
	const char *text = tigetstr(capability);

	/* The terminal does not have this capability. */
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

/* Signal handler that restores the terminal. All functions that it calls are async-signal-safe. */
static void restore(int sig)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };
	ssize_t ignored = 0;

	/* Write only if the terminal accepts output: the user may have stopped it with Ctrl-S. */
	if (poll(&p, 1, 0) > 0)
		ignored = write(STDOUT_FILENO, leave, leave_len);
	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSANOW, &modes);
	/* SA_RESETHAND has restored the default action of the signal. When this handler returns,
	 * the signal is delivered again and ends the process. */
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
	/* Do not handle signals that the caller ignores, such as SIGHUP under nohup. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}
