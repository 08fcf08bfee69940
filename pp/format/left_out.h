/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * left_out.h -- threshold of trees of calls, and a line for the parts below it.
 */
#ifndef PP_FORMAT_LEFT_OUT_H
#define PP_FORMAT_LEFT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/format/format.h"

/* Zeroed: nothing was left out. */
struct pp_left_out {
	size_t nr;
	uint64_t counts[PP_MAX_CLASSES];
};

/* Return whether @counts reaches the report's threshold. */
bool pp_is_shown(const struct pp_report *report, const uint64_t *counts);
/* Count a part that is not shown, with the samples that no shown part has. @counts may be NULL. */
void pp_left_out_add(struct pp_left_out *left, const struct pp_report *report,
		     const uint64_t *counts);
/* Print "3 PARTs below 0.5 % are not shown, 0.8 % of samples in all: -t 0 shows them". Print
 * nothing if only lines are wanted. */
void pp_left_out_put(const struct pp_left_out *left, const struct pp_report *report,
		     const char *part, const char *parts);

#endif
