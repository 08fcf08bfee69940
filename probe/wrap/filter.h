/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h -- how many known blocks there are by a hash of their address: that of any other costs one load to tell.
 */
#ifndef PROBE_WRAP_FILTER_H
#define PROBE_WRAP_FILTER_H

#include <stdint.h>

#define FILTER_SHARDS	64		/* of the table behind: a word of the filter is one shard's */
#define FILTER_SIZE	65536		/* as there are 16 bits of a hash */

/* Its higher bits are the better ones. */
static inline uint64_t filter_hash(uintptr_t at)
{
	return at * 0x9e3779b97f4a7c15u;
}

static inline uint32_t filter_place(uint64_t hash)
{
	return hash >> 48;
}

#endif
