/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_paths.h -- where things are below a session directory. Pure string work.
 */
#ifndef OP_SESSION_PATHS_H
#define OP_SESSION_PATHS_H

#define OP_DEFAULT_SESSION_DIR	"/var/lib/oprofile"
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

/* Files beside the images in a samples directory (DIR/samples/NAME/...). */
#define OP_KERNEL_SYMS_FILE	"kernel-symbols"	/* kernel_syms.h */
#define OP_STATS_FILE		"stats/totals"		/* session_stats.h */

#endif
