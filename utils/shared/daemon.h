/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon.h -- oprofiled from outside: is it there, start it, ask it, end it.
 */
#ifndef UTILS_SHARED_DAEMON_H
#define UTILS_SHARED_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "utils/shared/client.h"
#include "utils/shared/settings.h"

enum ctl_daemon_state {
	CTL_DAEMON_NONE,    /* not running */
	CTL_DAEMON_STALE,   /* not running; the lock file of an earlier one (pid) is still there */
	CTL_DAEMON_RUNNING, /* listening on its control socket */
	CTL_DAEMON_DEAF,    /* holds the lock but does not listen: starting, ending, or stuck */
};

struct ctl_daemon {
	enum ctl_daemon_state state;
	pid_t pid;		/* 0 when not known */
	uid_t uid;		/* whose it is; when it listens */
};

int ctl_daemon_find(struct ctl_daemon *ret, const char *session_dir, struct op_reason *error);

/* RUNNING or DEAF: another one cannot be started. */
bool ctl_daemon_alive(const struct ctl_daemon *d);

/*
 * One request to the daemon of @session_dir; @reply zeroed, or NULL. -ESRCH with text when there is
 * none, -ETIMEDOUT after @timeout_s seconds, else as ctl_client_request(). @notices is told when it
 * takes more than a moment; or NULL.
 */
int ctl_daemon_ask(const char *session_dir, const char *request, int timeout_s, FILE *notices,
		   struct ctl_reply *reply, struct op_reason *error);

/* A dump may have much to write to a slow disk; a daemon that hangs should still be noticed. */
#define CTL_WRITE_TIMEOUT_S 60

/* oprofiled's arguments for @cfg, NULL at the end. @source: "module" or "perf"; @why: why not the
 * other, or NULL; @verbose as after --verbose=, or NULL. NULL: out of memory. */
char **ctl_daemon_argv(const char *program, const struct op_settings *cfg, const char *source,
		       const char *why, const char *verbose);
void ctl_daemon_argv_free(char **argv);

/* Runs argv[0] until it has become a daemon, its messages going to our stderr. @remembered: what it was told will be told
 * the next one too. */
int ctl_daemon_start(char *const argv[], bool remembered, struct op_reason *error);

/*
 * Ends it, everything sampled written, and waits until it is gone. 0; 1 when it had to be killed
 * and samples may be lost; negative errno with text.
 */
int ctl_daemon_shutdown(const char *session_dir, const struct ctl_daemon *d, FILE *notices,
			struct op_reason *error);

#endif
