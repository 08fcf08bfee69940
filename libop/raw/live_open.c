// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_open.c -- finding the arenas of .csp.live files.
 */
#include "libop/raw/live_open.h"

#include <errno.h>

void *raw_live_get(const struct raw_live_arena *arena, uint32_t ref, uint64_t size)
{
	uint64_t at = (uint64_t)ref * 8;
	unsigned int k = raw_live_chunk_of(at);

	if (!ref || k >= RAW_LIVE_MAX_CHUNKS || !arena->chunks[k])
		return NULL;
	at -= raw_live_start(k);
	if (at < sizeof(struct raw_live_chunk) || size > ((uint64_t)RAW_LIVE_FIRST << k) - at)
		return NULL;
	return arena->chunks[k] + at;
}

/* Return the chunk at @at, or NULL if it is not complete. */
static struct raw_live_chunk *chunk_at(const void *file, uint64_t size, uint64_t at)
{
	struct raw_live_chunk *c = (void *)((unsigned char *)(uintptr_t)file + at);

	if (at > size || size - at < RAW_LIVE_FIRST || c->magic != RAW_LIVE_MAGIC ||
	    c->arena >= RAW_LIVE_MAX_ARENAS || c->index >= RAW_LIVE_MAX_CHUNKS ||
	    c->size != (uint64_t)RAW_LIVE_FIRST << c->index || c->size > size - at)
		return NULL;
	return c;
}

/* Return the next offset to examine after @at, where @c is a chunk or NULL; a chunk may be
 * unfinished. */
static uint64_t next_chunk(const struct raw_live_chunk *c, uint64_t at)
{
	return at + (c ? c->size : RAW_LIVE_FIRST);
}

int raw_live_count(const void *file, uint64_t size)
{
	uint32_t nr = 0;

	for (uint64_t at = 0; at < size; ) {
		const struct raw_live_chunk *c = chunk_at(file, size, at);

		if (c && c->arena >= nr)
			nr = c->arena + 1;
		at = next_chunk(c, at);
	}
	return nr ? (int)nr : -EUCLEAN;
}

int raw_live_open(struct raw_live *live, void *file, uint64_t size)
{
	__builtin_memset(live->arenas, 0, live->nr_arenas * sizeof(*live->arenas));
	for (uint64_t at = 0; at < size; ) {
		struct raw_live_chunk *c = chunk_at(file, size, at);

		if (c && c->arena < live->nr_arenas && !live->arenas[c->arena].chunks[c->index])
			live->arenas[c->arena].chunks[c->index] = (unsigned char *)c;
		at = next_chunk(c, at);
	}
	return raw_live_run(live) ? 0 : -EUCLEAN;
}

const struct raw_live_run *raw_live_run(const struct raw_live *live)
{
	const struct raw_live_run *run;

	if (!live->nr_arenas)
		return NULL;
	run = raw_live_get(&live->arenas[0], RAW_LIVE_TOP, sizeof(*run));
	return run && run->nr_metrics <= RAW_LIVE_MAX_METRICS &&
	       run->program[RAW_LIVE_PATH - 1] == '\0' ? run : NULL;
}
