/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h -- a command's sums as perfex printed them.
 */
#ifndef UTILS_OPPERFEX_OUTPUT_H
#define UTILS_OPPERFEX_OUTPUT_H

#include <stdio.h>

#include "libvperf/vperf.h"

/*
 * Print a line for the time and for each event, in the order of @events. @tsc_khz is the result of
 * vperf_tsc_khz(). The time of perf_events, in nanoseconds, is not labelled as TSC.
 */
void perfex_print(FILE *out, char *const *events, uint64_t tsc_khz,
		  const struct vperf_counts *counts);

/* Print the sums of the command's child processes, as lines after those of the command. */
void perfex_print_children(FILE *out, char *const *events, uint64_t tsc_khz,
			   const struct vperf_counts *counts);

#endif
