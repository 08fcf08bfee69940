/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprofilefs_setup.h -- writing the settings to the kernel module before its buffer is opened,
 * with messages about rejected settings.
 */
#ifndef OPD_OPROFILEFS_SETUP_H
#define OPD_OPROFILEFS_SETUP_H

struct op_reason;
struct opd_config;
struct opd_ext;

struct opd_oprofilefs {
	const struct opd_config *cfg;	/* the daemon's configuration; borrowed */
	/* CPU features with their own sampling method (IBS) that are in use, borrowed; NULL: no
	 * configured event belongs to such a feature */
	struct opd_ext *ext;
	/* descriptor of the root directory of the module's file system; -1: not open. The caller
	 * closes it in all cases. */
	int dir_fd;
	/* name of the module's backend that is in use; empty: an old module without backends */
	char backend[32];
};

/* Write the settings to the module, and open the module's file `buffer`. Return the descriptor, or
 * a negative errno with a message in @error. */
int opd_oprofilefs_open(struct opd_oprofilefs *fs, struct op_reason *error);

#endif
