/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext.h -- CPU features with their own method of sampling, such as AMD's IBS: each record of such a
 * feature stands for several events, which are derived from the record.
 *
 * A feature's events are configured like all other events, and have "ext:" in the tables of events.
 * opd_sample.event is an index into the configured events for these events too. Only the
 * implementations of features contain their names.
 *
 * Each feature has one const table of operations, which only ext.c uses.
 */
#ifndef OPD_EXT_H
#define OPD_EXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/base/record.h"
#include "libop/base/reason.h"

struct op_session_stats;
struct opd_config;
/* The CPU features that are in use, such as IBS, and their events. */
struct opd_ext;

/* Create *@ret, the CPU features in use; NULL if no configured event belongs to a feature. Return 0
 * or -ENOMEM. */
int opd_ext_create(struct opd_ext **ret, const struct opd_config *cfg);
/* @e may be NULL. */
void opd_ext_destroy(struct opd_ext *e);

/* Write the features' settings to the module's file system, before its `buffer` is opened. Return
 * 0, or a negative errno with the reason in @error. */
int opd_ext_setup(const struct opd_ext *e, int oprofilefs_fd, struct op_reason *error);

/*
 * Derive configured events from a feature's record in the stream: fill in .event and .count of one
 * sample for each event that applies. @operands: the words after @code in the stream. Return the
 * number of samples, or -1 if no feature in use has records with this code. The decoder of the
 * stream (struct opd_decoder) calls this function.
 */
int opd_ext_derive(const struct opd_ext *e, unsigned long code, const unsigned long *operands,
		   struct opd_sample *samples);

/* Add the counters of the features in use to @stats, for totals, status and reports. Return 0 or
 * -ENOMEM. */
int opd_ext_stats(const struct opd_ext *e, struct op_session_stats *stats);

/* Convert the value "NAME:ARGS" of --ext-feature to a list for --events in *@ret, malloc'd. Return
 * 0, -EINVAL or -ENOMEM. */
int opd_ext_events(char **ret, const char *text);

struct op_session_stats;
struct opd_config;

struct opd_ext_feature {
	const char *name;	/* name of the CPU feature in --ext-feature */

	/* Creates the feature's state; *@ret is NULL if no configured event belongs to the feature.
	 * Returns 0 or -ENOMEM. */
	int (*create)(void **ret, const struct opd_config *cfg);
	void (*destroy)(void *state);

	/* Writes the feature's settings to the module's files; if @state is NULL, disables the
	 * feature if the module supports it. */
	int (*setup)(const void *state, int oprofilefs_fd, struct op_reason *error);

	/* Make samples from a CPU feature's record; see opd_ext_derive(). */
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
