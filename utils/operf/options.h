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
	/* the command and its arguments in argv, terminated by NULL; NULL: no command */
	char **command;
	/* process attributes of operf's caller (such as ignored signals), restored for the
	 * command */
	const struct op_caller *caller;
	pid_t *pids;		/* process ids of --pid */
	size_t nr_pids;
	bool system_wide;
	bool append;
	bool separate_thread, separate_cpu;
	bool callgraph;
	/* values of the options --callgraph-by and so on, in the form that oprofiled accepts; NULL:
	 * default */
	char *callgraph_by, *callgraph_stack, *cache_size, *priority;
	/* list of events in the form that oprofiled accepts; NULL: the default event */
	char *events;
	char *session_dir;	/* path of the session directory; NULL: ./oprofile_data */
	char *vmlinux;
	char *verbose;		/* value of --verbose; NULL: option not given */
	/* --repeat: number of runs of the command; 0: one run, which becomes the current session
	 * and not a session run-01 */
	unsigned int repeat;
	double duration;	/* duration of sampling in seconds; 0: no limit */
};

/* Parse the command line into a zeroed @o. The caller calls operf_options_release(), whatever the
 * result. */
enum ctl_parse operf_options_parse(struct operf_options *o, int argc, char **argv, FILE *out,
				   struct op_reason *error);
void operf_options_release(struct operf_options *o);

#endif
