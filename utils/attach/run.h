/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- one use of opattach: the first way that fits is gone.
 */
#ifndef ATTACH_RUN_H
#define ATTACH_RUN_H

#include "utils/attach/options.h"

/* 0, or negative with text: no way fits. */
int attach_run(const struct attach_options *o, struct op_reason *error);

#endif
