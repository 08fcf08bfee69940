// SPDX-License-Identifier: GPL-2.0-or-later
/* console.c -- messages and progress on the terminal. */
#include "config.h"
#include "pp/tool/console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"

#define FIRST_MS	500	/* delay before progress is shown first, in ms */
#define INTERVAL_MS	200

/* Print a message. Also replace control characters here, because some callers do not use pp_warn()
 * and similar functions, which replace them. */
static void write_message(struct pp_log *log, enum pp_log_level level, const char *text)
{
	static const char *const kind[] = {
		[PP_LOG_ERROR] = "error: ",
		[PP_LOG_WARNING] = "warning: ",
		[PP_LOG_NOTE] = "",
		[PP_LOG_VERBOSE] = "",
	};
	struct pp_console *console = (struct pp_console *)log;

	pp_console_clear(console);
	fprintf(console->to, "%s: %s", console->tool, kind[level]);
	while (*text) {
		size_t len = strcspn(text, "\n");

		op_put_clean(console->to, text, len);
		putc('\n', console->to);
		text += len + (text[len] == '\n');
	}
}

static void show_progress(struct pp_log *log, size_t done, size_t of)
{
	struct pp_console *console = (struct pp_console *)log;
	uint64_t now;

	if (!console->show_progress)
		return;
	now = op_now_ms();
	if (now < console->next_ms)
		return;
	console->next_ms = now + INTERVAL_MS;
	console->line_shown = 1;
	fprintf(console->to, "\r\033[K%s: %zu of %zu", console->tool, done, of);
	fflush(console->to);
}

void pp_console_clear(struct pp_console *console)
{
	if (!console->line_shown)
		return;
	fputs("\r\033[K", console->to);
	fflush(console->to);
	console->line_shown = 0;
}

int pp_console_end(struct pp_console *console, int err)
{
	if (err > 0 && *console->log.error.text)
		pp_note(&console->log, "%s", console->log.error.text);
	if (err >= 0)
		return EXIT_SUCCESS;
	pp_log_failure(&console->log, err);
	return EXIT_FAILURE;
}

void pp_console_init(struct pp_console *console, const char *tool, FILE *to)
{
	*console = (struct pp_console){
		.log = { .write = write_message, .progress = show_progress },
		.tool = tool,
		.to = to,
		.show_progress = isatty(fileno(to)),
		.next_ms = op_now_ms() + FIRST_MS,
	};
}

/* Maximum number of words in the command of a pager, such as less, that shows the tool's output. */

#define MAX_WORDS 16

static const char *pager_name(void)
{
	const char *name = getenv("OPROFILE_PAGER");

	if (!name)
		name = getenv("PAGER");
	return name ? name : "less";
}

/* Split @text at blanks, in place. Store the words in @words, with NULL after the last. Return the
 * number of words. */
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
	/* options of less: exit at once if the report fits on the screen (F), keep colours (R), do
	 * not clear the screen (X) */
	setenv("LESS", "FRX", 0);
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
		/* if the user quits the pager early, writes must fail instead of killing the
		 * tool */
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
		/* Warn only if an environment variable requested the pager. The default, less, may
		 * be missing. */
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
