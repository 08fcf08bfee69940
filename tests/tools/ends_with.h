/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ends_with.h -- a subject that works until it is told to stop lives no longer than who would tell it: a test that is killed leaves
 * nothing running.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* From now on it is killed when @parent ends. False: that has happened already. */
static inline bool ends_with(pid_t parent)
{
	return !prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent;
}

/* End with the test that started this program, whose pid is in $SUBJECT_OF. */
static inline bool ends_with_test(void)
{
	const char *test = getenv("SUBJECT_OF");

	return test && ends_with(atoi(test));
}
