/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon.h -- control of oprofiled from outside: find it, start it, send it requests, shut it down.
 */
#ifndef UTILS_SHARED_DAEMON_H
#define UTILS_SHARED_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/session/client.h"
#include "utils/shared/daemonrc.h"

enum ctl_daemon_state {
	CTL_DAEMON_NONE,    /* state: no daemon runs */
	/* state: no daemon runs, but an earlier daemon (.pid) has left its lock file */
	CTL_DAEMON_STALE,
	CTL_DAEMON_RUNNING, /* state: the daemon listens on its control socket */
	/* state: a daemon holds the lock but does not listen: it is starting, ending, or stuck */
	CTL_DAEMON_DEAF,
};

struct ctl_daemon {
	enum ctl_daemon_state state;
	pid_t pid;		/* process id of the daemon; 0: unknown */
	uid_t uid;		/* user id of the daemon; valid while the daemon listens */
};

int ctl_daemon_find(struct ctl_daemon *ret, const char *session_dir, struct op_reason *error);

/* Return whether the daemon is RUNNING or DEAF, so that no other can be started. */
bool ctl_daemon_alive(const struct ctl_daemon *d);

/*
 * Send a request to the daemon of @session_dir. @reply is zeroed, or NULL. A notice goes to
 * @notices (or NULL) if the answer takes longer than a moment. Return 0, -ESRCH with a message in
 * @error without a daemon, -ETIMEDOUT after @timeout_s seconds, or the result of
 * op_client_request().
 */
int ctl_daemon_ask(const char *session_dir, const char *request, int timeout_s, FILE *notices,
		   struct op_reply *reply, struct op_reason *error);

/* time limit in seconds for a request that writes samples: enough for a dump to a slow disk, so
 * that only a daemon that hangs exceeds it */
#define CTL_WRITE_TIMEOUT_S 60

/*
 * Return oprofiled's arguments for @cfg, ended by NULL; or NULL if memory is short. @source:
 * "module" or "perf"; @why: the cause if the other source is not used, or NULL; @verbose: the value
 * of --verbose=, or NULL.
 */
char **ctl_daemon_argv(const char *program, const struct op_settings *cfg, const char *source,
		       const char *why, const char *verbose);
void ctl_daemon_argv_free(char **argv);

/*
 * Run argv[0] until it has become a daemon; its messages go to our stderr. @remembered: its
 * settings are remembered for the next daemon.
 */
int ctl_daemon_start(char *const argv[], bool remembered, struct op_reason *error);

/*
 * Shut the daemon down after it has written all samples, and wait for its end. Return 0, 1 if it
 * had to be killed and samples may be lost, or a negative errno with a message in @error.
 */
int ctl_daemon_shutdown(const char *session_dir, const struct ctl_daemon *d, FILE *notices,
			struct op_reason *error);

#endif
