/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * costs.h -- measurement of the cost of counting on this machine.
 */
#ifndef UTILS_OPPERFEX_COSTS_H
#define UTILS_OPPERFEX_COSTS_H

#include <stdio.h>

#include "utils/opperfex/options.h"

/* Measure and print the costs. Return 0, or a negative errno with a message in @error. */
int perfex_costs(FILE *out, const struct perfex_options *options, struct op_reason *error);

#endif
