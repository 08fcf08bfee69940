/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon.h -- an oprofiled that samples for one operf and ends with it.
 */
#ifndef UTILS_OPERF_DAEMON_H
#define UTILS_OPERF_DAEMON_H

#include <stddef.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "utils/operf/options.h"

/*
 * Start an oprofiled that samples the processes of @targets (none: the whole machine) by @events
 * and stores the samples in @session_dir. Sampling has started when this function returns. *@pid:
 * process id of the oprofiled, a child of this process in a process group of its own. oprofiled
 * gets SIGTERM when operf dies, and prints messages on stderr of this process. Return 0, or a
 * negative errno with a message in @error.
 */
int operf_daemon_start(pid_t *pid, const struct operf_options *o, const char *session_dir,
		       const char *events, const pid_t *targets, size_t nr_targets,
		       struct op_reason *error);

/* Stop the oprofiled @pid, and wait until all samples are on disk. Return 0, or a negative errno
 * with a message in @error. The daemon has ended even after an error. */
int operf_daemon_end(pid_t pid, const char *session_dir, struct op_reason *error);

#endif
