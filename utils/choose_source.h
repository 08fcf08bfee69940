/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose_source.h -- where samples come from: what is asked for, against what there is.
 */
#ifndef CTL_CHOOSE_SOURCE_H
#define CTL_CHOOSE_SOURCE_H

#include "utils/events.h"
#include "utils/settings.h"

/*
 * 0 with *@ret_why NULL for the module, which is loaded then and has the backend asked for, or with *@ret_why
 * the reason (malloc'd) why perf_events is used instead. Negative errno with text.
 */
int ctl_choose_source(char **ret_why, const struct op_settings *cfg, const struct ctl_events *events,
		      struct ctl_error *error);

#endif
