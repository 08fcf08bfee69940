/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose_source.h -- the choice between the module and perf_events as the source of samples.
 */
#ifndef UTILS_OPCONTROL_CHOOSE_SOURCE_H
#define UTILS_OPCONTROL_CHOOSE_SOURCE_H

#include "utils/opcontrol/events.h"

/*
 * Decide whether the module or perf_events samples. If the module samples, load it, and select
 * the required backend. Return 0, with @why_perf empty for the module, or set to the reason for
 * perf_events; or a negative errno with a message in @error.
 */
int ctl_choose_source(struct op_reason *why_perf, const struct op_settings *cfg,
		      const struct ctl_events *events, struct op_reason *error);

#endif
