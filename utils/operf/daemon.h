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
 * Samples @targets (none: the whole machine) by @events into @session_dir when it returns. *@pid:
 * our child, in a process group of its own, which gets SIGTERM when we die. Its messages are on our
 * stderr. 0, or negative errno with text.
 */
int operf_daemon_start(pid_t *pid, const struct operf_options *o, const char *session_dir,
		       const char *events, const pid_t *targets, size_t nr_targets,
		       struct op_reason *error);

/* Ends it: all samples are on disk. 0, or negative errno with text; it is gone in any case. */
int operf_daemon_end(pid_t pid, const char *session_dir, struct op_reason *error);

#endif
