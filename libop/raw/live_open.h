/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_open.h -- finding the arenas of untrusted .csp.live files.
 */
#ifndef LIBOP_RAW_LIVE_OPEN_H
#define LIBOP_RAW_LIVE_OPEN_H

#include "libop/raw/live.h"

/* Return the object of @ref with @size bytes in an untrusted arena, or NULL if it is outside. */
void *raw_live_get(const struct raw_live_arena *arena, uint32_t ref, uint64_t size);

struct raw_live {
	struct raw_live_arena *arenas;
	uint32_t nr_arenas;
	/* set by the caller: .arenas includes the arenas that exist in memory only, so their
	 * samples do not count as lost for NO_ROOM */
	bool is_whole;
	/* set by the caller: the program has ended. Otherwise, the number of samples taken is
	 * raised to the number of samples found, because the program may still be counting. */
	bool has_ended;
};

/* Return the number of arenas in a file, or -EUCLEAN for another kind of file. */
int raw_live_count(const void *file, uint64_t size);

/*
 * Find the arenas of the file mapped at @file. The function writes to the mapping, which must be
 * private. The caller sets live->nr_arenas to the result of raw_live_count(), and provides
 * live->arenas of this size. A truncated file has only a part of the arenas. Return 0 or -EUCLEAN.
 */
int raw_live_open(struct raw_live *live, void *file, uint64_t size);

/* Return the description of the run, or NULL. */
const struct raw_live_run *raw_live_run(const struct raw_live *live);

#endif
