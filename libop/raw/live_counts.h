/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_counts.h -- what became of samples and calls: added up, and in a .csp's trailer.
 */
#ifndef LIBOP_RAW_LIVE_COUNTS_H
#define LIBOP_RAW_LIVE_COUNTS_H

#include "libop/raw/csp.h"
#include "libop/raw/live.h"

void raw_live_counts_add(struct raw_live_counts *sum, const struct raw_live_counts *counts);

/* The surplus that a kill can leave, when it comes between the stores of one sample. */
#define RAW_LIVE_IN_FLIGHT	100

/* Returns how many are recorded or lost beyond those taken. */
uint64_t raw_live_counts_surplus(const struct raw_live_counts *sum);

/* How many were begun when a thread was killed, which are in no other number; and where a thread still counts, taken becomes
 * what the others are. */
uint64_t raw_live_counts_balance(struct raw_live_counts *sum);

void raw_live_marker_write(struct raw_csp_out *out, const struct raw_live_marker *marker);

/* Items of a trailer, their names behind @of. */
void raw_live_counts_write(struct raw_csp_out *out, const char *of, const struct raw_live_counts *counts,
			   uint64_t cut_off);

#endif
