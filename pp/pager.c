// SPDX-License-Identifier: GPL-2.0-or-later
/* pager.c -- runs a pager behind stdout. */
#include "config.h"
#include "pp/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORDS 16

static const char *pager_name(void)
{
	const char *name = getenv("OPROFILE_PAGER");

	if (!name)
		name = getenv("PAGER");
	return name ? name : "less";
}

/* Splits @text in place; NULL behind the last word. */
static size_t split(char *text, char **words)
{
	size_t nr = 0;
	char *word;

	while (nr + 1 < MAX_WORDS && (word = strsep(&text, " \t")))
		if (*word)
			words[nr++] = word;
	words[nr] = NULL;
	return nr;
}

/* In the child: the error goes to @report when exec does not work. */
static void run(char **words, int input, int report)
{
	int err;

	dup2(input, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	setenv("LESS", "FRX", 0);	/* nothing to page: nothing waits for a key */
	setenv("LV", "-c", 0);
	execvp(words[0], words);
	err = errno;
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

static int spawn(struct pp_pager *pager, char **words)
{
	int in[2] = { -1, -1 }, report[2] = { -1, -1 }, err = 0;
	pid_t pid = -1;

	if (pipe2(in, O_CLOEXEC) || pipe2(report, O_CLOEXEC)) {
		err = errno;
		goto done;
	}
	pid = fork();
	if (!pid)
		run(words, in[0], report[1]);
	if (pid < 0) {
		err = errno;
		goto done;
	}
	close(report[1]);
	report[1] = -1;
	/* Nothing comes when it was executed, since the pipe is closed then. */
	if (read(report[0], &err, sizeof(err)) == sizeof(err)) {
		waitpid(pid, NULL, 0);
		goto done;
	}
	err = 0;
	fflush(stdout);
	pager->stdout_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(in[1], STDOUT_FILENO);
	pager->pid = pid;
	signal(SIGPIPE, SIG_IGN);	/* the user may leave before the end */
done:
	for (int i = 0; i < 2; i++) {
		if (in[i] >= 0)
			close(in[i]);
		if (report[i] >= 0)
			close(report[i]);
	}
	return err;
}

void pp_pager_start(struct pp_pager *pager, struct pp_log *log)
{
	char *text, *words[MAX_WORDS];
	int err;

	*pager = (struct pp_pager){ 0 };
	if (!isatty(STDOUT_FILENO))
		return;
	text = strdup(pager_name());
	if (!text)
		return;
	if (split(text, words) && strcmp(words[0], "cat")) {
		err = spawn(pager, words);
		/* Without less nobody who asked for nothing needs to hear of it. */
		if (err && (getenv("OPROFILE_PAGER") || getenv("PAGER")))
			pp_warn(log, "pager '%s': %s", words[0], strerror(err));
	}
	free(text);
}

void pp_pager_finish(struct pp_pager *pager)
{
	int status;

	if (!pager->pid)
		return;
	fflush(stdout);
	dup2(pager->stdout_fd, STDOUT_FILENO);
	close(pager->stdout_fd);
	while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
		;
	pager->pid = 0;
}
