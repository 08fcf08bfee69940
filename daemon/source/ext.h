/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext.h -- CPU features with their own sampling method, such as AMD's IBS. From each record of such
 * a feature, several events are derived.
 *
 * A user configures the events of a feature like other events; the event tables mark these events
 * with "ext:". For these events, too, opd_sample.event is an index into the configured events. Only
 * the implementation of a feature contains the names of its events.
 *
 * Each feature has a const struct of functions, which only ext.c calls.
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
/* State of the CPU features with their own sampling method (IBS) that the configured events use. */
struct opd_ext;

/* Create *@ret, the state of the CPU's features (IBS) that the configured events use. Set *@ret to
 * NULL if the events use no such feature. Return 0 or -ENOMEM. */
int opd_ext_create(struct opd_ext **ret, const struct opd_config *cfg);
/* Destroy @e, which may be NULL. */
void opd_ext_destroy(struct opd_ext *e);

/* Write the settings of the CPU features in use to the files of the kernel module. Call this before
 * the module's file `buffer` is opened. Return 0, or a negative errno with a message in @error. */
int opd_ext_setup(const struct opd_ext *e, int oprofilefs_fd, struct op_reason *error);

/*
 * Derive the configured events from a feature's record of type @code with the words @operands. Set
 * .event and .count of one sample for each event that applies. Return the number of samples, or -1
 * if no feature in use has such records. Called by the stream decoder (struct opd_decoder).
 */
int opd_ext_derive(const struct opd_ext *e, unsigned long code, const unsigned long *operands,
		   struct opd_sample *samples);

/* Add the statistics of the CPU features in use to @stats, for status and reports. Return 0 or
 * -ENOMEM. */
int opd_ext_stats(const struct opd_ext *e, struct op_session_stats *stats);

/* Convert "NAME:ARGS", the value of --ext-feature, to a list for --events. Set *@ret to the list,
 * which the caller frees. Return 0, -EINVAL or -ENOMEM. */
int opd_ext_events(char **ret, const char *text);

struct op_session_stats;
struct opd_config;

struct opd_ext_feature {
	const char *name;	/* name of the feature on the command line (--ext-feature) */

	/* Create the feature's state. Set *@ret to NULL if no configured event belongs to the
	 * feature. Return 0 or -ENOMEM. */
	int (*create)(void **ret, const struct opd_config *cfg);
	void (*destroy)(void *state);

	/* Write the feature's settings to the files of the kernel module. If @state is NULL,
	 * disable the feature if the module supports it. */
	int (*setup)(const void *state, int oprofilefs_fd, struct op_reason *error);

	/* Derive samples from a record of the feature; see opd_ext_derive(). */
	int (*derive)(void *state, unsigned long code, const unsigned long *operands,
		      struct opd_sample *samples);

	/* Add the feature's counters to @stats; see opd_ext_stats(). NULL: the feature has no
	 * counters. */
	int (*stats)(const void *state, struct op_session_stats *stats);

	/* Convert @args of --ext-feature=NAME:ARGS to NAME:COUNT:UM[,...] for --events. Return 0
	 * or -EINVAL. */
	int (*events)(FILE *out, const char *args);
};

extern const struct opd_ext_feature opd_ext_ibs;

#endif
