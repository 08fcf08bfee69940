/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_to_csp.h -- conversion of a .csp.live file to a .csp file.
 */
#ifndef LIBOP_RAW_LIVE_TO_CSP_H
#define LIBOP_RAW_LIVE_TO_CSP_H

#include "libop/raw/csp.h"
#include "libop/raw/live.h"
#include "libop/raw/live_tree.h"

struct raw_live_sums {
	struct raw_live_counts samples;	/* accounting of the samples in the written trees */
	struct raw_live_counts calls;
	struct raw_live_marker marker;
	/* number of samples, and number of calls, that were neither recorded nor lost, because the
	 * program was killed, or because a part of the file is missing */
	uint64_t cut_off, calls_cut_off;
	/* number of samples recorded or lost minus the number of samples taken, or 0. Not 0 if the
	 * program is still counting, or if the file is damaged */
	uint64_t surplus;
	uint64_t nodes;
	uint32_t trees, epochs;
	/* number of trees and epochs that were not written, because they are damaged */
	uint32_t broken;
};

/* maximum value of .surplus after a program was killed while it recorded samples */
#define RAW_LIVE_IN_FLIGHT	100

/* Write a .csp file of all arenas, or of the arena with the number @only, if @only is not 0. The
 * counts of threads without an arena are in the file of the first arena. @sums may be NULL. Return
 * 0, -EUCLEAN, or the error of out->write. */
int raw_live_to_csp(const struct raw_live *live, struct raw_csp_out *out, uint32_t only,
		   struct raw_live_sums *sums);

/* Return the thread id of the arena @arena if the arena's thread has its own .csp file, otherwise
 * 0. */
uint32_t raw_live_own_file(const struct raw_live *live, uint32_t arena);

void raw_live_counts_add(struct raw_live_counts *sum, const struct raw_live_counts *counts);

/* Write the counters @counts as items of the trailer. The name of each counter begins with @of. */
void raw_live_counts_write(struct raw_csp_out *out, const char *of,
			   const struct raw_live_counts *counts, uint64_t cut_off);

#endif
