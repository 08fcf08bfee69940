/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_counts.h -- sums of samples and calls, and writing them to a .csp's trailer.
 */
#ifndef LIBOP_RAW_LIVE_COUNTS_H
#define LIBOP_RAW_LIVE_COUNTS_H

#include "libop/raw/csp.h"
#include "libop/raw/live.h"

void raw_live_counts_add(struct raw_live_counts *sum, const struct raw_live_counts *counts);

/* maximum number by which recorded and lost samples can exceed taken samples if the program is
 * killed while it records samples */
#define RAW_LIVE_IN_FLIGHT	100

/* Return by how much the samples recorded or lost exceed the samples taken; 0: they do not. */
uint64_t raw_live_counts_surplus(const struct raw_live_counts *sum);

/* Return the number of samples that a killed thread had begun, and that were neither recorded nor
 * lost. If the samples recorded or lost exceed the samples taken, because a thread is still
 * counting, increase the number of samples taken. */
uint64_t raw_live_counts_balance(struct raw_live_counts *sum);

void raw_live_marker_write(struct raw_csp_out *out, const struct raw_live_marker *marker);

/* Write the counters in @counts as items of a trailer, with names that begin with @of. */
void raw_live_counts_write(struct raw_csp_out *out, const char *of,
			   const struct raw_live_counts *counts, uint64_t cut_off);

#endif
