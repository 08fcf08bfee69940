/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * costs.h -- what counting costs on this machine: measured, not assumed.
 */
#ifndef UTILS_OPPERFEX_COSTS_H
#define UTILS_OPPERFEX_COSTS_H

#include <stdio.h>

#include "utils/opperfex/options.h"

/* 0, or negative with @error. */
int perfex_costs(FILE *out, const struct perfex_options *options, struct op_reason *error);

#endif
