/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprofilefs_setup.h -- what the module is told before its buffer is opened, and why it refuses.
 */
#ifndef OPD_OPROFILEFS_SETUP_H
#define OPD_OPROFILEFS_SETUP_H

struct op_reason;
struct opd_config;
struct opd_ext;

struct opd_oprofilefs {
	const struct opd_config *cfg;	/* both borrowed */
	struct opd_ext *ext;		/* NULL: no such events */
	int dir_fd;			/* the mount; -1: not open. The caller's to close, whatever the result */
	char backend[32];		/* the module's; empty: a module without choice */
};

/* Tells the module what is asked of it. Returns its open `buffer`, or a negative errno with the cause in @why. */
int opd_oprofilefs_open(struct opd_oprofilefs *fs, struct op_reason *why);

#endif
