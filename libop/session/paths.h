/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- where things are below a session directory. Pure string work.
 */
#ifndef OP_SESSION_PATHS_H
#define OP_SESSION_PATHS_H

#define OP_DEFAULT_SESSION_DIR	"/var/lib/oprofile"
#define OP_LOCAL_SESSION_DIR	"oprofile_data"		/* operf's, in the working directory */
#define OP_SESSION_DIR_ENV	"OPROFILE_SESSION_DIR"	/* stands for --session-dir where that is not given */

struct op_session_paths {
	char *dir;	/* DIR */
	char *samples;	/* DIR/samples */
	char *current;	/* DIR/samples/current */
	char *log;	/* DIR/samples/oprofiled.log */
	char *lock;	/* DIR/lock: the daemon's pid; flock'd while it lives */
	char *control;	/* DIR/control: the daemon's socket (daemon/control.h) */
	char *abi;	/* DIR/abi */
};

/* @dir NULL: OP_DEFAULT_SESSION_DIR. -ENOMEM, -EINVAL for an empty path. */
int op_session_paths_init(struct op_session_paths *p, const char *dir);
void op_session_paths_release(struct op_session_paths *p);

/*
 * What must be added to a command so that it means session directory @dir: " --session-dir=DIR", as a shell
 * wants it, or "" where it would mean that anyway. Returns @buf.
 */
#define OP_SESSION_OPTION_SIZE	5000
const char *op_session_option(char buf[OP_SESSION_OPTION_SIZE], const char *dir);

/* Files beside the images in a samples directory (DIR/samples/NAME/...). */
#define OP_KERNEL_SYMS_FILE	"kernel-symbols"	/* kernel_syms.h */
#define OP_STATS_DIR		"stats"
#define OP_STATS_FILE		"stats/totals"		/* libop/session/stats.h */

#endif
