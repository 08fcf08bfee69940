/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h -- opcontrol's verbs.
 */
#ifndef UTILS_OPCONTROL_VERBS_H
#define UTILS_OPCONTROL_VERBS_H

#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/opcontrol/options.h"

/*
 * Run the verb of @req, and print its results on @out. Return 0; -EINVAL if the combination of verb
 * and options has no meaning; or another negative errno with a message in @error, if the verb
 * failed or did only a part of its work.
 */
int ctl_run(const struct ctl_request *req, FILE *out, struct op_reason *error);

#endif
