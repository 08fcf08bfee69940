// SPDX-License-Identifier: GPL-2.0-or-later
/* pager.c -- a pager that reads stdout. */
#include "config.h"
#include "pp/tool/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
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

/* Split @text in place, and end the list of words with NULL. */
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

static int spawn(struct pp_pager *pager, char **words)
{
	posix_spawn_file_actions_t actions;
	int in[2], err;

	if (pipe2(in, O_CLOEXEC))
		return errno;
	setenv("LESS", "FRX", 0);	/* less exits at once if the report fits the screen */
	setenv("LV", "-c", 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	err = posix_spawnp(&pager->pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err) {
		pager->pid = 0;
	} else {
		fflush(stdout);
		pager->stdout_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		dup2(in[1], STDOUT_FILENO);
		/* the user may quit the pager before the end of the report */
		signal(SIGPIPE, SIG_IGN);
	}
	close(in[0]);
	close(in[1]);
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
		/* Do not warn if less is missing, unless a variable requested it. */
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
