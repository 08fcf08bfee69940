/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext.h -- features of a CPU that sample in a way of their own: each record of the stream stands for
 * several events, which are derived from it.
 *
 * A feature's events are configured like any other and have ext: in the tables; opd_sample.event
 * indexes the configured events for them too. No other file names a feature.
 */
#ifndef OPD_EXT_H
#define OPD_EXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/base/record.h"
#include "libop/base/reason.h"

struct op_session_stats;
struct opd_config;
struct opd_ext;		/* the features in use, and what their events are */

/* -ENOMEM, or 0 with *@ret NULL when no configured event belongs to a feature. */
int opd_ext_create(struct opd_ext **ret, const struct opd_config *cfg);
void opd_ext_destroy(struct opd_ext *e);	/* takes NULL */

/* Tells the module, in its file system, before `buffer` is opened. Negative errno with *@why. */
int opd_ext_setup(const struct opd_ext *e, int oprofilefs_fd, struct op_reason *why);

/*
 * What a record of the stream says about the configured events: fills event and count of samples,
 * one per event that it stands for. @operands as behind @code in the stream. Returns how many; -1
 * when no feature in use has such records. For opd_decoder.
 */
int opd_ext_derive(const struct opd_ext *e, unsigned long code, const unsigned long *operands,
		   struct opd_sample *samples);

/* Add the counters of the features in use to @stats, for totals, status and reports. Return 0 or -ENOMEM. */
int opd_ext_stats(const struct opd_ext *e, struct op_session_stats *stats);

/* --ext-feature's "NAME:ARGS" as a list for --events: malloc'd, -EINVAL or -ENOMEM. */
int opd_ext_events(char **ret, const char *text);

#endif
