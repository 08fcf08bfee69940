// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * virtual_counters.c -- options for virtual counters, and their set-up for a command that waits
 * before its exec.
 */
#include "config.h"
#include "utils/shared/virtual_counters.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int virtual_counters_source(unsigned int *ret, const char *word, struct op_reason *error)
{
	static const struct {
		const char *word;
		unsigned int flag;
	} words[] = { { "auto", 0 }, { "module", VPERF_MODULE }, { "perf", VPERF_PERF } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(word, words[i].word)) {
			*ret = words[i].flag;
			return 0;
		}
	}
	return op_fail(error, -EINVAL, "option \"--source\": \"%s\" is neither auto nor module nor "
				       "perf", word);
}

static int stop(pid_t pid, struct op_reason *error)
{
	int status;

	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
		return op_fail(error, -errno, "cannot stop the command to give it counters (ptrace): %s; --source=perf counts "
			       "without a stop", strerror(errno));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return op_fail(error, -errno, "cannot give the command counters: it has "
						      "ended: %s", strerror(errno));
	return WIFSTOPPED(status) ? 0 : op_fail(error, -ESRCH, "cannot give the command "
							       "counters: it has ended");
}

int virtual_counters_give(pid_t pid, unsigned int source,
			  int (*give)(void *arg, struct op_reason *error), void *arg,
			  struct op_reason *error)
{
	int err;

	if (access(VPERFCTR_DEVICE, F_OK) || source == VPERF_PERF)
		return give(arg, error);
	err = stop(pid, error);
	if (!err) {
		err = give(arg, error);
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
	}
	return err;
}
