/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * about.h -- when, where and of what a session was taken: the file "stats/about" beside its samples.
 *
 * Lines "KEY VALUE", keys as below, unknown ones skipped; what is not known has no line.
 */
#ifndef OP_SESSION_ABOUT_H
#define OP_SESSION_ABOUT_H

#include <stdint.h>

struct op_session_about {
	int64_t begun, ended;	/* seconds since 1970, 0: not known */
	int64_t sampled_ms;	/* milliseconds of sampling, without pauses, whatever the clock was set to; 0: not known */
	char host[256];		/* empty: not known */
	char kernel[256];	/* its release */
	char command[1024];	/* that was profiled; several with "; " between them; empty: none in particular */
	uint32_t nr_commands;	/* how many runs of commands that were; 0: not known */
	char limits[256];	/* what could not be sampled, and why; empty: all could */
	char daemon[1024];	/* the profiler's own programs, as paths: who samples, */
	char reader[1024];	/* and who reads symbols for it; empty: not known, or longer */
};

/* One more was profiled into the session. What was named last is not named again, and where there is no room for a name
 * "..." stands. */
void op_session_about_add_command(struct op_session_about *about, const char *command);

/* 0 or negative errno; lines that cannot be are left out. @samples_dirfd: DIR/samples/NAME. */
int op_session_about_read(struct op_session_about *ret, int samples_dirfd);
/* Replace the file in its own blocks, so that a disk which is full by now does not matter: op_replace_file_in_place(). */
int op_session_about_write(const struct op_session_about *about, int samples_dirfd);

#endif
