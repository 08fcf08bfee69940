// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_reader.c -- the reader: a helper process that parses untrusted binaries. Starts the reader,
 * sends requests to it, and ends it.
 */
#include "config.h"
#include "daemon/store/table_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/image/finder.h"
#include "libop/base/beside.h"
#include "libop/session/table_request.h"

#define NICE	10

/* Return the path of the reader program, which the caller frees, or NULL with errno set. */
static char *find_program(void)
{
	static const char *const trees[] = { "../pp", NULL };
	const struct op_beside place = { OPD_SBIN_DIR, OPD_LIBEXEC_DIR, trees };
	char *path = op_beside_find(&place, OP_TABLE_PROGRAM);

	if (path && access(path, X_OK)) {
		free(path);
		errno = ENOENT;
		return NULL;
	}
	return path;
}

int opd_table_reader_init(struct opd_table_reader *r, bool urgent)
{
	*r = (struct opd_table_reader){ .program = find_program(), .urgent = urgent, .socket = -1 };
	return r->program ? 0 : -errno;
}

/* Reap the child process @pid if it has ended. Return true if it has. */
static bool reap(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}

static void reap_killed(struct opd_table_reader *r)
{
	size_t left = 0;

	for (size_t i = 0; i < r->nr_killed; i++)
		if (!reap(r->killed[i]))
			r->killed[left++] = r->killed[i];
	r->nr_killed = left;
}

void opd_table_reader_release(struct opd_table_reader *r)
{
	opd_table_reader_end(r, false);
	reap_killed(r);
	free(r->program);
	r->program = NULL;
}

/* Start the reader process. It inherits only its end of the socket pair, and has no signal
 * blocked. */
int opd_table_reader_start(struct opd_table_reader *r)
{
	char *const argv[] = { (char *)OP_TABLE_PROGRAM, NULL }, *const env[] = { NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int pair[2], err;

	if (r->pid)
		return 0;
	reap_killed(r);
	if (r->nr_killed == OPD_TABLE_READERS_STUCK)
		return -EBUSY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	fcntl(pair[1], F_SETFL, 0);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, pair[1], OP_TABLE_SOCKET);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	err = -posix_spawn(&r->pid, r->program, &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	close(pair[1]);
	if (err) {
		r->pid = 0;
		close(pair[0]);
		return err;
	}
	r->socket = pair[0];
	/* Set the reader's priority: the daemon's priority may be raised, but a process that parses
	 * users' files must not inherit this. */
	setpriority(PRIO_PROCESS, (id_t)r->pid, r->urgent ? 0 : NICE);
	return 0;
}

int opd_table_reader_request(const struct opd_table_reader *r, struct opd_finder *finder,
			     char request, int path_fd, uint32_t payer, int out_fd, int debug_fd)
{
	const int more[] = { out_fd, debug_fd };

	return opd_finder_hand_over(finder, path_fd, payer, r->socket, request, more,
				    debug_fd >= 0 ? 2 : 1);
}

int opd_table_reader_answer(const struct opd_table_reader *r, int32_t *result)
{
	ssize_t n = recv(r->socket, result, sizeof(*result), MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	return n == sizeof(*result) ? 0 : -EPIPE;
}

/* Close the reader's socket, so that the reader exits. If the reader does not exit, kill it. */
void opd_table_reader_end(struct opd_table_reader *r, bool now)
{
	bool gone = false;

	if (r->socket >= 0)
		close(r->socket);
	r->socket = -1;
	if (!r->pid)
		return;
	for (int i = 0; !now && !gone && i < 20; i++) {
		gone = reap(r->pid);
		if (!gone)
			poll(NULL, 0, 5);
	}
	if (!gone) {
		kill(r->pid, SIGKILL);
		r->killed[r->nr_killed++] = r->pid;
	}
	r->pid = 0;
}

uint64_t opd_table_reader_cpu_ms(const struct opd_table_reader *r)
{
	struct timespec used;
	clockid_t clock;

	if (!r->pid || clock_getcpuclockid(r->pid, &clock) || clock_gettime(clock, &used) < 0)
		return 0;
	return used.tv_sec * 1000ull + used.tv_nsec / 1000000;
}
