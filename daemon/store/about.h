/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * about.h -- a session's metadata file: when and where its samples were taken, and with which
 * programs.
 */
#ifndef OPD_ABOUT_H
#define OPD_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

struct opd_config;

/* The parts of the session's metadata file that the next write needs. Initialize the struct with
 * zeros. */
struct opd_about {
	bool is_named;		/* the file already contains this daemon's command */
	/* time up to which the file includes the duration of sampling; 0: the daemon does not
	 * sample */
	uint64_t since_ms;
};

/*
 * Write to the session's metadata file that sampling lasted until now; the time of the session's
 * start stays. @limits: kinds of samples that the daemon does not take. @reader: see
 * opd_tables_program(); @packer: see opd_intervals_program(), or NULL. While a recorded stream is
 * replayed, write nothing, because its samples are from another time and machine. Return 0 or a
 * negative errno.
 */
int opd_about_write(struct opd_about *state, const struct opd_config *cfg, const char *limits,
		    bool is_running, const char *reader, const char *packer, int current_fd);

#endif
