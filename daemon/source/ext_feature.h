/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ext_feature.h -- what a feature has to do; one const table each. Behind ext.h. */
#ifndef OPD_EXT_FEATURE_H
#define OPD_EXT_FEATURE_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/record.h"
#include "libop/base/reason.h"

struct op_session_stats;
struct opd_config;

struct opd_ext_feature {
	const char *name;	/* as --ext-feature has it */

	/* *@ret: its own; NULL when no configured event is the feature's. 0 or -ENOMEM. */
	int (*create)(void **ret, const struct opd_config *cfg);
	void (*destroy)(void *state);

	/* Writes the module's files; @state NULL: the feature is switched off, where it is there. */
	int (*setup)(const void *state, int oprofilefs_fd, struct op_reason *why);

	/* As opd_ext_derive(). */
	int (*derive)(void *state, unsigned long code, const unsigned long *operands,
		      struct opd_sample *samples);

	/* Adds the feature's counters; see opd_ext_stats(). NULL if the feature has no counters. */
	int (*stats)(const void *state, struct op_session_stats *stats);

	/* @args of --ext-feature=NAME:ARGS as NAME:COUNT:UM[,...] for --events. 0 or -EINVAL. */
	int (*events)(FILE *out, const char *args);
};

extern const struct opd_ext_feature opd_ext_ibs;

#endif
