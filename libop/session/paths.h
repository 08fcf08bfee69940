/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- paths of the files in a session directory. No function opens a file.
 */
#ifndef OP_SESSION_PATHS_H
#define OP_SESSION_PATHS_H

#define OP_DEFAULT_SESSION_DIR	"/var/lib/oprofile"
/* name of operf's session directory, in the working directory */
#define OP_LOCAL_SESSION_DIR	"oprofile_data"
/* environment variable with the default of --session-dir */
#define OP_SESSION_DIR_ENV	"OPROFILE_SESSION_DIR"

struct op_session_paths {
	char *dir;	/* DIR */
	char *samples;	/* DIR/samples */
	char *current;	/* DIR/samples/current */
	char *log;	/* DIR/samples/oprofiled.log */
	char *lock;	/* DIR/lock: contains the daemon's pid; the daemon holds its lock */
	char *control;	/* DIR/control: the daemon's socket (daemon/control.h) */
	char *abi;	/* DIR/abi */
};

/* Make the paths of the session directory @dir; NULL: OP_DEFAULT_SESSION_DIR. Return 0, -ENOMEM, or
 * -EINVAL if @dir is empty. */
int op_session_paths_init(struct op_session_paths *p, const char *dir);
void op_session_paths_release(struct op_session_paths *p);

/*
 * Write the option that a command needs to use session directory @dir: " --session-dir=DIR", quoted
 * for a shell, or "" if @dir is the default. Return @buf.
 */
#define OP_SESSION_OPTION_SIZE	5000
const char *op_session_option(char buf[OP_SESSION_OPTION_SIZE], const char *dir);

/* Files beside the images in a samples directory (DIR/samples/NAME/...). */
#define OP_KERNEL_SYMS_FILE	"kernel-symbols"	/* see kernel_syms.h */
#define OP_STATS_DIR		"stats"
#define OP_STATS_FILE		"stats/totals"		/* see libop/session/stats.h */

#endif
