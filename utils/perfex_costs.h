/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfex_costs.h -- what counting costs on this machine: measured, not assumed.
 */
#ifndef PERFEX_COSTS_H
#define PERFEX_COSTS_H

#include <stdio.h>

#include "utils/perfex_options.h"

/* 0, or negative with @error. */
int perfex_costs(FILE *out, const struct perfex_options *options, struct op_reason *error);

#endif
