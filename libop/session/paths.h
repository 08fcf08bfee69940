/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- paths of the files in a session directory, and rules for the names of sessions.
 */
#ifndef OP_SESSION_PATHS_H
#define OP_SESSION_PATHS_H

#include <stdbool.h>

#define OP_DEFAULT_SESSION_DIR	"/var/lib/oprofile"
/* operf's session directory, in the working directory */
#define OP_LOCAL_SESSION_DIR	"oprofile_data"
/* environment variable for the default of --session-dir */
#define OP_SESSION_DIR_ENV	"OPROFILE_SESSION_DIR"

struct op_session_paths {
	char *dir;	/* the session directory, called DIR below */
	/* DIR/samples, the directory with all saved sessions and the current session */
	char *samples;
	char *current;	/* DIR/samples/current, the directory of the current session */
	char *log;	/* DIR/samples/oprofiled.log, the daemon's log file */
	char *lock;	/* DIR/lock: the daemon locks this file, and writes its pid to it */
	char *control;	/* DIR/control: the daemon's socket (daemon/control.h) */
	char *abi;	/* DIR/abi, the description of the sample files' layout (abi.h) */
};

/* Compute the paths for the session directory @dir; NULL: OP_DEFAULT_SESSION_DIR. Return 0,
 * -ENOMEM, or -EINVAL if @dir is empty. */
int op_session_paths_init(struct op_session_paths *p, const char *dir);
void op_session_paths_release(struct op_session_paths *p);

/* Write the option by which a command selects the session directory @dir: " --session-dir=DIR",
 * quoted for a shell, or "" if @dir is the default. Return @buf. */
#define OP_SESSION_OPTION_SIZE	5000
const char *op_session_option(char buf[OP_SESSION_OPTION_SIZE], const char *dir);

/* Files in a samples directory (DIR/samples/NAME), beside the sample files. */
/* file with the kernel's symbols, see kernel_syms.h */
#define OP_KERNEL_SYMS_FILE	"kernel-symbols"
#define OP_STATS_DIR		"stats"
/* file with the counters of interrupts, see libop/session/stats.h */
#define OP_STATS_FILE		"stats/totals"

/* End of a message: the rule for names of sessions. */
#define OP_SESSION_NAME_RULE \
	"no '/', blanks, quotes or wildcards, no '.' or '-' in front, neither 'current' nor " \
	"'oprofiled.log'"

/* Prefix of the name of a session that is being deleted. When a daemon starts, it deletes sessions
 * whose deletion was interrupted. */
#define OP_DELETED_PREFIX	".deleted-"

/* Return whether a user may save a session under the name @name. */
bool op_session_name_ok(const char *name);

/* Return 1 if the samples directory @fd (DIR/samples/NAME) contains sample files, 0 if not, or a
 * negative errno. */
int op_session_has_samples(int fd);

#endif
