/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprofilefs_setup.h -- writes settings to the module before its buffer is opened, and reports why
 * it refuses.
 */
#ifndef OPD_OPROFILEFS_SETUP_H
#define OPD_OPROFILEFS_SETUP_H

struct op_reason;
struct opd_config;
struct opd_ext;

struct opd_oprofilefs {
	const struct opd_config *cfg;	/* both borrowed */
	struct opd_ext *ext;		/* NULL: no such events */
	/* the mount; -1: not open. The caller must close it in all cases */
	int dir_fd;
	/* the backend in use; empty: a module without this setting */
	char backend[32];
};

/* Write the settings to the module. Return its open `buffer`, or a negative errno with the reason
 * in @error. */
int opd_oprofilefs_open(struct opd_oprofilefs *fs, struct op_reason *error);

#endif
