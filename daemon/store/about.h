/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * about.h -- writer of a session's notes: when and where the samples were taken, and of which
 * programs.
 */
#ifndef OPD_ABOUT_H
#define OPD_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

struct opd_config;

/* State of the session's notes about its times. Initialize it with zeros. */
struct opd_about {
	bool is_named;		/* the notes contain the command of this daemon already */
	/* time up to which the notes cover the sampling; 0: sampling is stopped */
	uint64_t since_ms;
};

/*
 * Write into the session's notes that sampling lasted until now. @limits: kinds of samples that the
 * daemon does not take. @reader: see opd_tables_program(); @packer: see opd_intervals_program(), or
 * NULL. The notes keep the time at which the session began. Write nothing while a recorded stream
 * is replayed, because its samples come from another time and machine. Return 0 or a negative
 * errno.
 */
int opd_about_write(struct opd_about *state, const struct opd_config *cfg, const char *limits,
		    bool is_running, const char *reader, const char *packer, int current_fd);

#endif
