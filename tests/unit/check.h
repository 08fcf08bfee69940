/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h -- common header of all cmocka tests: includes in the order that cmocka requires, and a
 * temporary directory.
 */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static inline int check_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* Setup function of cmocka tests: create an empty directory, and set *@state to its path. */
static inline int check_make_dir(void **state)
{
	char *path = strdup("/tmp/oprofile-unit-XXXXXX");

	*state = path && mkdtemp(path) ? path : NULL;
	return *state ? 0 : -1;
}

/*
 * Remove the test's directory. A thread of the tested daemon may delete files at the same time:
 * retry if a file has disappeared.
 */
static inline int check_remove_dir(void **state)
{
	int err = -1;

	for (int i = 0; i < 1000 && err; i++) {
		err = nftw(*state, check_unlink, 16, FTW_DEPTH | FTW_PHYS);
		if (err)
			usleep(10000);
	}
	free(*state);
	return err;
}

static inline int check_open_dir(void **state)
{
	int fd = open(*state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Fork a child that the kernel kills when this process ends for any reason. */
static inline pid_t check_fork(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

#define test_in_dir(f) cmocka_unit_test_setup_teardown(f, check_make_dir, check_remove_dir)

#endif
