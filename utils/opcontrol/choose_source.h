/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose_source.h -- the choice between the module and perf_events as the source of samples.
 */
#ifndef UTILS_OPCONTROL_CHOOSE_SOURCE_H
#define UTILS_OPCONTROL_CHOOSE_SOURCE_H

#include "utils/opcontrol/events.h"

/*
 * 0: the module samples, which is loaded then and has the backend asked for; or perf_events does,
 * and @why_perf says why, which is empty otherwise. Negative errno with @error.
 */
int ctl_choose_source(struct op_reason *why_perf, const struct op_settings *cfg,
		      const struct ctl_events *events, struct op_reason *error);

#endif
