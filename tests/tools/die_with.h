/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * die_with.h -- ties the life of a test program to its test: if the test is killed, the program is
 * killed too.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Let the kernel kill this process when @parent ends. Return false if @parent has already ended. */
static inline bool die_with(pid_t parent)
{
	return !prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent;
}

/*
 * Let the kernel kill this program when the test that started it ends. The test's pid is in
 * $SUBJECT_OF. Return false if the test has already ended.
 */
static inline bool die_with_test(void)
{
	const char *test = getenv("SUBJECT_OF");

	return test && die_with(atoi(test));
}
