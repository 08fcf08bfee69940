/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * about.h -- writes notes beside a session's samples: when, where and of which programs they are
 * taken.
 */
#ifndef OPD_ABOUT_H
#define OPD_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

struct opd_config;

struct opd_about {		/* initialize with zeros */
	bool is_named;		/* the session's commands include this daemon's command */
	uint64_t since_ms;	/* the notes cover sampling up to this time; 0: no sampling */
};

/*
 * Write that the session's samples extend until now. @limits: samples that the daemon does not
 * take. @reader: see opd_tables_program(). A continued session keeps its beginning. Write nothing
 * for a recorded stream, which is of another time and machine. Return 0 or a negative errno.
 */
int opd_about_write(struct opd_about *state, const struct opd_config *cfg, const char *limits,
		    bool is_running, const char *reader, int current_fd);

#endif
