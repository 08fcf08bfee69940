// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c -- oprofiled: parses the options; creates, runs and destroys the daemon, by default in
 * the background.
 */
#include "config.h"
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/config_file.h"
#include "daemon/daemon.h"
#include "daemon/options.h"
#include "daemon/prepare.h"
#include "daemon/source/events.h"
#include "libdb/odb.h"
#include "libop/base/process.h"

/* blocks of at least this many bytes are allocated by mmap(); see limit_heap() */
#define MMAP_THRESHOLD	(256 << 10)

/*
 * Fork a daemon process in a new process session without a terminal. In the daemon, return a
 * descriptor; the daemon must write to it when it is ready. The parent waits for this write and
 * then exits. Return -1 if the fork failed.
 */
static int background(void)
{
	char ready = 0, how[OP_PROCESS_END];
	int fds[2], status;
	pid_t pid;

	/* Become a subreaper: when the intermediate process exits, the daemon becomes a child of
	 * this process, which can then wait for it. */
	if (pipe2(fds, O_CLOEXEC) < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return -1;
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		close(fds[0]);
		setsid();
		/* Fork again: the leader of a process session could acquire a terminal, and the
		 * second child is not a leader. */
		pid = fork();
		if (pid != 0)
			_exit(pid < 0);
		return fds[1];
	}
	close(fds[1]);
	waitpid(pid, NULL, 0);
	if (read(fds[0], &ready, 1) == 1)
		exit(EXIT_SUCCESS);
	/* Print a message if a signal killed the daemon. If the daemon exited, it has already
	 * printed the cause. */
	while (waitpid(-1, &status, 0) > 0)
		if (WIFSIGNALED(status))
			fprintf(stderr, "oprofiled: the daemon %s before it was ready\n",
				op_process_end(how, sizeof(how), status));
	exit(EXIT_FAILURE);
}

static void detach(int ready_fd)
{
	int null = open("/dev/null", O_RDWR);
	ssize_t n;

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		if (null > STDERR_FILENO)
			close(null);
	}
	n = write(ready_fd, "1", 1);
	(void)n;
	close(ready_fd);
}

/* Make a relative path absolute, because the daemon changes its current directory. Return 0, or -1
 * if out of memory or if the current directory is unknown. */
static int make_absolute(char **path)
{
	char *cwd, *absolute;

	if (!*path || (*path)[0] == '/')
		return 0;
	cwd = getcwd(NULL, 0);
	if (!cwd || asprintf(&absolute, "%s/%s", cwd, *path) < 0)
		absolute = NULL;
	free(cwd);
	if (!absolute)
		return -1;
	free(*path);
	*path = absolute;
	return 0;
}

/* Make the symbol and unwind tables for --prepare. Return the exit status. */
static int prepare(void)
{
	struct op_reason error = { "" };
	int err = opd_prepare(stdout, &error);

	if (!err)
		return EXIT_SUCCESS;
	fprintf(stderr, "oprofiled: %s\n", op_reason_text(&error, err));
	return EXIT_FAILURE;
}

/* Run the daemon in the directory /. Return the exit status. */
static int run(struct opd_config *cfg, int ready_fd)
{
	struct op_reason error = { "" };
	struct opd *opd = NULL;
	int err, status;

	if (chdir("/") < 0) {
		perror("oprofiled: /");
		return EXIT_FAILURE;
	}
	err = opd_create(&opd, cfg, &error);
	if (err) {
		fprintf(stderr, "oprofiled: %s\n", op_reason_text(&error, err));
		return EXIT_FAILURE;
	}
	if (ready_fd >= 0) {
		opd_quiet(opd);
		detach(ready_fd);
	}
	status = opd_run(opd) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	opd_destroy(opd);
	return status;
}

/* Return large freed blocks to the kernel. By default, after such a block was freed, the C library
 * keeps blocks of up to 32 MB in the heap. */
static void limit_heap(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
	mallopt(M_TRIM_THRESHOLD, MMAP_THRESHOLD);
#endif
}

int main(int argc, char **argv)
{
	struct opd_config cfg;
	struct op_reason error = { "" };
	int ready_fd = -1, status = EXIT_FAILURE, err;

	op_process_prepare(NULL, OP_PROCESS_WORKS);
	limit_heap();
	switch (opd_config_parse(&cfg, argc, argv, stdout, stderr)) {
	case OPD_PARSE_RUN:
		break;
	case OPD_PARSE_DONE:
		status = EXIT_SUCCESS;
		goto release_config;
	default:
		goto release_config;
	}
	if (cfg.set.prepare) {
		status = prepare();
		goto release_config;
	}
	if (make_absolute(&cfg.set.session_dir) || make_absolute(&cfg.set.replay) ||
	    make_absolute(&cfg.set.oprofilefs)) {
		fprintf(stderr, "oprofiled: cannot find the current directory\n");
		goto release_config;
	}

	err = opd_events_resolve(&cfg, &error);
	if (err && !opd_config_file_drop_events(&cfg, &error))
		err = opd_events_resolve(&cfg, &error);
	if (err) {
		fprintf(stderr, "oprofiled: %s\n", op_reason_text(&error, err));
		goto release_config;
	}

	umask(022);
	opd_block_signals();
	odb_survive_lost_pages();
	if (!cfg.set.foreground) {
		ready_fd = background();
		if (ready_fd < 0) {
			fprintf(stderr, "oprofiled: cannot fork into the background\n");
			goto release_config;
		}
	}
	status = run(&cfg, ready_fd);

release_config:
	opd_config_release(&cfg);
	return status;
}
