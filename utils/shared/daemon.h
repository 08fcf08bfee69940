/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon.h -- finds, starts, queries and stops oprofiled.
 */
#ifndef UTILS_SHARED_DAEMON_H
#define UTILS_SHARED_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/session/client.h"
#include "utils/shared/daemonrc.h"

enum ctl_daemon_state {
	CTL_DAEMON_NONE,    /* state: no daemon is running */
	/* state: no daemon is running; a killed daemon (.pid) has left its lock file */
	CTL_DAEMON_STALE,
	CTL_DAEMON_RUNNING, /* state: the daemon accepts requests on its control socket */
	/* state: a daemon holds the lock but does not accept requests: it is starting, ending, or
	 * stuck */
	CTL_DAEMON_DEAF,
};

struct ctl_daemon {
	enum ctl_daemon_state state;
	pid_t pid;		/* process id of the daemon; 0: unknown */
	uid_t uid;		/* user id of the daemon; valid in state RUNNING */
};

int ctl_daemon_find(struct ctl_daemon *ret, const char *session_dir, struct op_reason *error);

/* Return whether the daemon is RUNNING or DEAF, so that another daemon cannot start. */
bool ctl_daemon_alive(const struct ctl_daemon *d);

/*
 * Send a request to the daemon of @session_dir. @reply: zeroed, or NULL. If the reply takes longer
 * than a moment, print a notice on @notices (NULL: no notice). Return 0, -ESRCH with a message in
 * @error if no daemon is running, -ETIMEDOUT after @timeout_s seconds, or the result of
 * op_client_request().
 */
int ctl_daemon_request(const char *session_dir, const char *request, int timeout_s, FILE *notices,
		       struct op_reply *reply, struct op_reason *error);

/* timeout in seconds for a request that writes samples: long enough for a slow disk, so that only a
 * hanging daemon exceeds it */
#define CTL_WRITE_TIMEOUT_S 60

/*
 * Return oprofiled's NULL-terminated arguments for @cfg, or NULL if out of memory. @source:
 * "module" or "perf"; @why: why the other source is not used, or NULL; @verbose: value of
 * --verbose=, or NULL.
 */
char **ctl_daemon_argv(const char *program, const struct op_settings *cfg, const char *source,
		       const char *why, const char *verbose);
void ctl_daemon_argv_free(char **argv);

/*
 * Run oprofiled with the arguments @argv until it has become a daemon. Its messages go to stderr of
 * this process. @remembered: whether the daemon's settings are stored for the next daemon.
 */
int ctl_daemon_start(char *const argv[], bool remembered, struct op_reason *error);

/*
 * Stop the daemon after it has written all samples, and wait for its end. Return 0; 1 if the daemon
 * had to be killed, so that samples may be lost; or a negative errno with a message in @error.
 */
int ctl_daemon_shutdown(const char *session_dir, const struct ctl_daemon *d, FILE *notices,
			struct op_reason *error);

#endif
