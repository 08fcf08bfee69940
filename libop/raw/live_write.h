/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_write.h -- .csp.live files: what was counted becomes a .csp.
 */
#ifndef LIBOP_RAW_LIVE_WRITE_H
#define LIBOP_RAW_LIVE_WRITE_H

#include "libop/raw/csp.h"
#include "libop/raw/live.h"
#include "libop/raw/live_open.h"

struct raw_live_sums {
	struct raw_live_counts samples;	/* recorded: are in the trees that are written */
	struct raw_live_counts calls;
	struct raw_live_marker marker;
	uint64_t cut_off, calls_cut_off;	/* neither recorded nor lost: the program was killed meanwhile, or a part of the
					 * file is not there */
	uint64_t surplus;		/* samples recorded or lost, beyond all that were taken: their program counts, or the file is damaged */
	uint64_t nodes;
	uint32_t trees, epochs;
	uint32_t broken;		/* trees and epochs that were left out, as they cannot be */
};

/* Writes all of it as a .csp, or (@only not 0) what the threads of one arena have counted; the first has with it what no thread
 * has. 0, -EUCLEAN, what out->write says. @sums may be NULL. */
int raw_live_write(const struct raw_live *live, struct raw_csp_out *out, uint32_t only, struct raw_live_sums *sums);

/* The thread of an arena, if that is to have a .csp of its own; 0: it is not. */
uint32_t raw_live_own_file(const struct raw_live *live, uint32_t arena);

#endif
