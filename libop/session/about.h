/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * about.h -- the description of a session (time, host, command) in the file "stats/about".
 *
 * The file has lines "KEY VALUE"; keys are the names of the members below. Readers skip unknown
 * keys. Unknown values are not written.
 */
#ifndef OP_SESSION_ABOUT_H
#define OP_SESSION_ABOUT_H

#include <stdint.h>

struct op_session_about {
	/* start and end of the session, in seconds since 1970; 0: unknown */
	int64_t begun, ended;
	/* duration of sampling in ms, without pauses, measured by a monotonic clock; 0: unknown */
	int64_t sampled_ms;
	char host[256];		/* name of the profiled machine; empty: unknown */
	char kernel[256];	/* release of the machine's kernel; empty: unknown */
	/* the profiled commands, separated by "; "; empty: the whole system */
	char command[1024];
	uint32_t nr_commands;	/* number of runs of commands that were profiled; 0: unknown */
	/* description of the code that could not be sampled, and of the cause; empty: all code
	 * could be sampled */
	char limits[256];
	char daemon[1024];	/* path of the program that samples; empty: unknown or too long */
	/* path of the program that reads symbols for the daemon; empty: unknown or too long */
	char reader[1024];
	/* path of the program that packs intervals; empty: no intervals, unknown or too long */
	char packer[1024];
};

/* Add @command to the list of profiled commands, unless it equals the last command of the list. If
 * the list is full, add "...". */
void op_session_about_add_command(struct op_session_about *about, const char *command);

/* Read the description of the session @samples_dirfd (DIR/samples/NAME), and ignore invalid lines.
 * Return 0 or a negative errno. */
int op_session_about_read(struct op_session_about *ret, int samples_dirfd);
/* Write the description to the session's directory. This works on a full disk, because it
 * overwrites existing blocks; see op_replace_file_in_place(). */
int op_session_about_write(const struct op_session_about *about, int samples_dirfd);

#endif
