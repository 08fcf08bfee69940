/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h -- what opcontrol does: one function per verb.
 */
#ifndef UTILS_OPCONTROL_VERBS_H
#define UTILS_OPCONTROL_VERBS_H

#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/opcontrol/options.h"

/*
 * Does what @req asks for, telling @out. Negative errno with text: it was not done, or not all of
 * it. -EINVAL: @req makes no sense.
 */
int ctl_run(const struct ctl_request *req, FILE *out, struct op_reason *error);

#endif
