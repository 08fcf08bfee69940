/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h -- what every cmocka test includes, in the order cmocka asks for, and a scratch directory.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline int check_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* For cmocka_unit_test_setup_teardown(): *@state is the path of an empty directory. */
static inline int check_make_dir(void **state)
{
	char *path = strdup("/tmp/oprofile-unit-XXXXXX");

	*state = path && mkdtemp(path) ? path : NULL;
	return *state ? 0 : -1;
}

static inline int check_remove_dir(void **state)
{
	int err = nftw(*state, check_unlink, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return err;
}

static inline int check_open_dir(void **state)
{
	int fd = open(*state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

#define test_in_dir(f) cmocka_unit_test_setup_teardown(f, check_make_dir, check_remove_dir)

#endif
