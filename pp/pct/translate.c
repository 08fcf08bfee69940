// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * translate.c -- translation of addresses by another program, which reads addresses and prints
 * their source lines.
 */
#include "config.h"
#include "pp/pct/translate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/grow.h"

#define MAX_ANSWER	65536	/* maximum size of an answer in bytes, with all its lines */
/* number of bytes that a writable pipe accepts without blocking (PIPE_BUF) */
#define PART		4096

extern char **environ;

struct asking {
	const struct pp_translator *t;
	const uint64_t *pcs;
	size_t nr, asked, answered;
	char **ret;
	char out[PART]; /* text of the addresses that the program has not read yet */
	size_t out_len;
	/* the beginning of the current answer, as far as it was read */
	char answer[MAX_ANSWER];
	size_t answer_len;
	unsigned int nr_lines;		/* number of complete lines in .answer */
	/* pipes to and from the translator; -1: closed */
	int to, from;
	pid_t pid;
};

/* Return a malloc'd copy of @word, one word of the translator's command, with %f replaced by the
 * file name @file. */
static char *expand(const char *word, size_t len, const char *file)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (word[i] == '%' && i + 1 < len && word[i + 1] == 'f') {
			fputs(file, f);
			i++;
		} else {
			putc(word[i], f);
		}
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

static char **split(const char *command, const char *file)
{
	char **words = NULL;
	size_t nr = 0;

	for (;;) {
		size_t len;

		command += strspn(command, " \t\n");
		len = strcspn(command, " \t\n");
		if (op_grow(&words, nr))
			goto failed;
		words[nr] = len ? expand(command, len, file) : NULL;
		if (!len)
			return words;
		if (!words[nr])
			goto failed;
		command += len;
		nr++;
	}
failed:
	for (size_t i = 0; i < nr; i++)
		free(words[i]);
	free(words);
	return NULL;
}

static int start(struct asking *a, int fd, struct op_reason *error)
{
	char file[32], **words;
	posix_spawn_file_actions_t actions;
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err;

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	words = split(a->t->command, file);
	if (!words)
		return -ENOMEM;
	if (!words[0]) {
		free_words(words);
		return op_fail(error, -EINVAL,
			       "a translator must be a program and its arguments, not \"\"");
	}
	err = pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)
		      ? errno
		      : posix_spawn_file_actions_init(&actions);
	if (!err) {
		err = posix_spawn_file_actions_adddup2(&actions, in[0], 0);
		if (!err)
			err = posix_spawn_file_actions_adddup2(&actions, out[1], 1);
		/* Keep the descriptor of the binary open in the child: the translator opens it as
		 * /proc/self/fd/N. */
		if (!err)
			err = posix_spawn_file_actions_adddup2(&actions, fd, fd);
		if (!err)
			err = posix_spawnp(&a->pid, words[0], &actions, NULL, words, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	if (err)
		op_fail(error, -err, "%s: %s", words[0], strerror(err));
	free_words(words);
	if (in[0] >= 0)
		close(in[0]);
	if (out[1] >= 0)
		close(out[1]);
	a->to = in[1];
	a->from = out[0];
	return -err;
}

/* Write as many addresses as the pipe accepts without blocking. Close the pipe after the last
 * address. */
static int send_addresses(struct asking *a)
{
	ssize_t done;

	while (a->asked < a->nr && a->out_len + 24 < sizeof(a->out))
		a->out_len += snprintf(a->out + a->out_len, sizeof(a->out) - a->out_len, "0x%llx\n",
				       (unsigned long long)a->pcs[a->asked++]);
	done = write(a->to, a->out, a->out_len);
	if (done < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	memmove(a->out, a->out + done, a->out_len - done);
	a->out_len -= done;
	if (a->asked == a->nr && !a->out_len) {
		close(a->to);
		a->to = -1;
	}
	return 0;
}

static int add_text(struct asking *a, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (a->answered == a->nr || a->answer_len == sizeof(a->answer))
			return -EOVERFLOW;
		a->answer[a->answer_len++] = text[i];
		if (text[i] != '\n' || ++a->nr_lines < a->t->lines)
			continue;
		a->ret[a->answered] = strndup(a->answer, a->answer_len - 1);
		if (!a->ret[a->answered])
			return -ENOMEM;
		a->answered++;
		a->answer_len = a->nr_lines = 0;
	}
	return 0;
}

static int listen_to(struct asking *a)
{
	char part[PART];
	ssize_t got = read(a->from, part, sizeof(part));

	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (!got) {
		close(a->from);
		a->from = -1;
		return 0;
	}
	return add_text(a, part, got);
}

static int converse(struct asking *a)
{
	int err = 0;

	while (a->from >= 0 && !err) {
		struct pollfd fds[2] = {{.fd = a->from, .events = POLLIN},
					{.fd = a->to, .events = POLLOUT}};
		int got = poll(fds, 2, a->t->timeout_s * 1000);

		if (!got)
			return -ETIMEDOUT;
		if (got < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		if (fds[0].revents)
			err = listen_to(a);
		if (!err && a->to >= 0 && fds[1].revents)
			err = send_addresses(a);
		/* The translator has closed its input, so stop writing. Read its output to the end,
		 * because all answers may already be in the pipe. */
		if (err == -EPIPE) {
			close(a->to);
			a->to = -1;
			err = 0;
		}
	}
	return err;
}

/* Wait for the translator, which has closed its output, and return its wait status. Kill the
 * translator at once if @err is set, else if it does not exit within a second. */
static int end(const struct asking *a, int err)
{
	int status = 0;

	for (int i = 0; !err && i < 100; i++) {
		if (waitpid(a->pid, &status, WNOHANG))
			return status;
		usleep(10000);
	}
	kill(a->pid, SIGKILL);
	while (waitpid(a->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int explain(const struct asking *a, int err, int status, struct op_reason *error)
{
	const char *command = a->t->command;

	switch (err) {
	case 0:
		break;
	case -ETIMEDOUT:
		return op_fail(
			error, err,
			"translator \"%s\": no input read and no output written for %u seconds, "
			"after %zu of %zu addresses; it must read addresses from its stdin and "
			"answer on its stdout",
			command, a->t->timeout_s, a->answered, a->nr);
	case -EOVERFLOW:
		return op_fail(
			error, err,
			"translator \"%s\": writes more than %u lines for an address; set --lines",
			command, a->t->lines);
	default:
		return op_fail(error, err, "translator \"%s\": %s", command, strerror(-err));
	}
	if (WIFSIGNALED(status))
		return op_fail(
			error, -EPIPE,
			"translator \"%s\": was killed by signal %d after %zu of %zu addresses",
			command, WTERMSIG(status), a->answered, a->nr);
	if (a->answered != a->nr)
		return op_fail(error, -EPIPE,
			       "translator \"%s\": ended (status %d) after %zu of %zu addresses",
			       command, WEXITSTATUS(status), a->answered, a->nr);
	return 0;
}

int pp_translate(const struct pp_translator *t, int fd, const uint64_t *pcs, size_t nr, char **ret,
		 struct op_reason *error)
{
	struct asking *a;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int status = 0, err;

	if (!nr)
		return 0;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->t = t;
	a->pcs = pcs;
	a->nr = nr;
	a->ret = ret;
	a->to = a->from = -1;
	err = start(a, fd, error);
	sigaction(SIGPIPE, &ignore, &before);
	if (!err)
		err = fcntl(a->to, F_SETFL, O_NONBLOCK) ? -errno : converse(a);
	sigaction(SIGPIPE, &before, NULL);
	if (a->to >= 0)
		close(a->to);
	if (a->from >= 0)
		close(a->from);
	if (a->pid > 0) {
		status = end(a, err);
		err = explain(a, err, a->answered == nr ? 0 : status, error);
	}
	for (size_t i = 0; err && i < a->answered; i++) {
		free(ret[i]);
		ret[i] = NULL;
	}
	free(a);
	return err;
}
