/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * info.h -- options of opperfex that do not run a command: print facts about the machine, its
 * events, the users of its counters, and the cost of counting.
 */
#ifndef UTILS_OPPERFEX_INFO_H
#define UTILS_OPPERFEX_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/opperfex/options.h"

/* The functions below print to @out. They return 0, or a negative errno with a message in
 * @error. */
int perfex_info(FILE *out, unsigned int source, struct op_reason *error);
int perfex_list(FILE *out, bool in_full, struct op_reason *error);
int perfex_who(FILE *out, struct op_reason *error);
/* Measure and print the cost of counting on this machine. */
int perfex_costs(FILE *out, const struct perfex_options *options, struct op_reason *error);

#endif
