/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ext_feature.h -- operations of a CPU feature with its own method of sampling; each feature has
 * one const table. Only ext.c uses the tables. */
#ifndef OPD_EXT_FEATURE_H
#define OPD_EXT_FEATURE_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/record.h"
#include "libop/base/reason.h"

struct op_session_stats;
struct opd_config;

struct opd_ext_feature {
	const char *name;	/* the feature's name in --ext-feature */

	/* Creates the feature's state; *@ret is NULL if no configured event belongs to the feature.
	 * Returns 0 or -ENOMEM. */
	int (*create)(void **ret, const struct opd_config *cfg);
	void (*destroy)(void *state);

	/* Writes the feature's settings to the module's files; if @state is NULL, disables the
	 * feature if the module supports it. */
	int (*setup)(const void *state, int oprofilefs_fd, struct op_reason *error);

	/* Derives samples from a record; see opd_ext_derive(). */
	int (*derive)(void *state, unsigned long code, const unsigned long *operands,
		      struct opd_sample *samples);

	/* Adds the feature's counters; see opd_ext_stats(). NULL if the feature has no counters. */
	int (*stats)(const void *state, struct op_session_stats *stats);

	/* Writes @args of --ext-feature=NAME:ARGS as NAME:COUNT:UM[,...] for --events. Returns 0 or
	 * -EINVAL. */
	int (*events)(FILE *out, const char *args);
};

extern const struct opd_ext_feature opd_ext_ibs;

#endif
