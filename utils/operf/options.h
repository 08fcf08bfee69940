/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h -- operf's command line.
 */
#ifndef UTILS_OPERF_OPTIONS_H
#define UTILS_OPERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "libop/base/process.h"
#include "utils/shared/command_line.h"

struct operf_options {
	char **command;		/* ended by NULL, in argv; or NULL without a command */
	const struct op_caller *caller;	/* restored for the command */
	pid_t *pids;		/* --pid */
	size_t nr_pids;
	bool system_wide;
	bool append;
	bool separate_thread, separate_cpu;
	bool callgraph;
	/* in oprofiled's notation; NULL: the default */
	char *callgraph_by, *callgraph_stack, *cache_size, *priority;
	char *events;		/* in oprofiled's notation; NULL: the default event */
	char *session_dir;	/* NULL: ./oprofile_data */
	char *vmlinux;
	char *verbose;		/* NULL: not verbose */
	double duration;	/* seconds; 0: no limit */
};

/* Parse the command line into a zeroed @o. Call operf_options_release() after each result. */
enum ctl_parse operf_options_parse(struct operf_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error);
void operf_options_release(struct operf_options *o);

#endif
