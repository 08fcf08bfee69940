/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h -- a command's sums as perfex printed them.
 */
#ifndef UTILS_OPPERFEX_OUTPUT_H
#define UTILS_OPPERFEX_OUTPUT_H

#include <stdio.h>

#include "libvperf/vperf.h"

/*
 * A line for the time and for each event, in @events' order. @tsc_khz as vperf_tsc_khz(): what is not the TSC, but
 * perf_events' nanoseconds, is not called so.
 */
void perfex_print(FILE *out, char *const *events, uint64_t tsc_khz, const struct vperf_counts *counts);

/* The children's, below their parent's. */
void perfex_print_children(FILE *out, char *const *events, uint64_t tsc_khz, const struct vperf_counts *counts);

#endif
