/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_open.h -- .csp.live files: what lies where in them, whoever wrote them.
 */
#ifndef LIBOP_RAW_LIVE_OPEN_H
#define LIBOP_RAW_LIVE_OPEN_H

#include "libop/raw/live.h"

/* What @ref is, of @size bytes, in anybody's arena. NULL: there is no such. */
void *raw_live_get(const struct raw_live_arena *arena, uint32_t ref, uint64_t size);

struct raw_live {
	struct raw_live_arena *arenas;
	uint32_t nr_arenas;
	bool is_whole;		/* include the arenas that exist in memory only, so that NO_ROOM is 0 */
	bool has_ended;		/* the program counts no more, so do not raise taken to the samples that are found */
};

/* How many arenas a file has. -EUCLEAN: the bytes are no such file. */
int raw_live_count(const void *file, uint64_t size);

/*
 * Finds the arenas in a file at @file (which is written to: let the mapping be a private one), for which there is room
 * in live->arenas for live->nr_arenas as raw_live_count() said. A file cut short has what is left of them. 0, -EUCLEAN.
 */
int raw_live_open(struct raw_live *live, void *file, uint64_t size);

/* What the run tells of itself; NULL: nothing. */
const struct raw_live_run *raw_live_run(const struct raw_live *live);

#endif
