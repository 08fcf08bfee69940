/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h -- the number of known blocks by a hash of their address, so that one load recognizes an
 * unknown block.
 */
#ifndef PROBE_WRAP_FILTER_H
#define PROBE_WRAP_FILTER_H

#include <stdint.h>

/* number of the table's shards: a word of the filter belongs to one shard */
#define FILTER_SHARDS	64
#define FILTER_SIZE	65536		/* a hash has 16 bits */

/* The higher bits are distributed better. */
static inline uint64_t filter_hash(uintptr_t at)
{
	return at * 0x9e3779b97f4a7c15u;
}

static inline uint32_t filter_place(uint64_t hash)
{
	return hash >> 48;
}

#endif
