/* SPDX-License-Identifier: GPL-2.0-or-later */
/* swapped.h -- reads unaligned numbers of a file that may have the other byte order. */
#ifndef PP_IMAGE_SWAPPED_H
#define PP_IMAGE_SWAPPED_H

#include <byteswap.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t pp_get32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? bswap_32(v) : v;
}

static inline uint64_t pp_get64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? bswap_64(v) : v;
}

#endif
