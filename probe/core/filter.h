/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h -- a filter of heap blocks: the number of recorded blocks by a hash of their address.
 * One load from the filter shows that a block is not recorded.
 */
#ifndef PROBE_CORE_FILTER_H
#define PROBE_CORE_FILTER_H

#include <stdint.h>

/* number of shards of the table of heap blocks; each word of the filter belongs to one shard */
#define FILTER_SHARDS	64
/* number of words of the filter, one for each 16-bit hash */
#define FILTER_SIZE	65536

/* Return the hash's word in the filter. The hash's high bits are distributed better than its low
 * bits. */
static inline uint64_t filter_hash(uintptr_t at)
{
	return at * 0x9e3779b97f4a7c15u;
}

static inline uint32_t filter_place(uint64_t hash)
{
	return hash >> 48;
}

#endif
