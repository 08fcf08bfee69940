/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h -- one use of opattach: the first way that fits is gone.
 */
#ifndef ATTACH_RUN_H
#define ATTACH_RUN_H

#include "utils/attach/options.h"

/* How long the beginning may take, in milliseconds: the same again for the end. */
unsigned int attach_begin_ms(const struct attach_options *o);

/* Closes @begun when the process is sampled. 0, or negative with text: no way fits. */
int attach_run(const struct attach_options *o, int begun, struct op_reason *error);

#endif
