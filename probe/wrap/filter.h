/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h -- how many known blocks there are by a hash of their address: that of any other costs one load to tell.
 */
#ifndef PROBE_WRAP_FILTER_H
#define PROBE_WRAP_FILTER_H

#include <stdint.h>

#define FILTER_SHARDS	64		/* of the table behind: a word of the filter is one shard's */
#define FILTER_SIZE	65536

static inline uint64_t filter_hash(uintptr_t at)
{
	uint64_t h = at >> 4;

	h *= 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static inline uint32_t filter_place(uint64_t hash)
{
	return hash % FILTER_SIZE;
}

#endif
