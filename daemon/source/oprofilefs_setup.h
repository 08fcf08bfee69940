/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprofilefs_setup.h -- set-up of the kernel module: writes settings to it before its buffer is
 * opened, and reports why it refuses a setting.
 */
#ifndef OPD_OPROFILEFS_SETUP_H
#define OPD_OPROFILEFS_SETUP_H

struct op_reason;
struct opd_config;
struct opd_ext;

struct opd_oprofilefs {
	const struct opd_config *cfg;	/* the daemon's configuration; borrowed, as .ext is */
	/* CPU features in use; NULL: no configured event belongs to a feature */
	struct opd_ext *ext;
	/* descriptor of the directory of the module's file system; -1: not open. The caller must
	 * close the descriptor in all cases. */
	int dir_fd;
	/* the module's backend in use; empty: an old module without a choice of backends */
	char backend[32];
};

/* Write the settings to the module. Return the open descriptor of its `buffer`, or a negative errno
 * with the reason in @error. */
int opd_oprofilefs_open(struct opd_oprofilefs *fs, struct op_reason *error);

#endif
