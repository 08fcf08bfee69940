// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pct.c -- checks of the header and the regions of .pct files, and access to their counters.
 */
#include "libop/raw/pct.h"

uint64_t raw_pct_get(const void *at, uint32_t width)
{
	switch (width) {
	case 1: return __atomic_load_n((const uint8_t *)at, __ATOMIC_RELAXED);
	case 2: return __atomic_load_n((const uint16_t *)at, __ATOMIC_RELAXED);
	case 4: return __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED);
	default: return __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED);
	}
}

#define ADD(type, at, n)								\
({											\
	type old_ = __atomic_load_n((type *)(at), __ATOMIC_RELAXED), new_;		\
											\
	do {										\
		new_ = (n) > (type)~old_ ? (type)~(type)0 : (type)(old_ + (n));		\
	} while (new_ != old_ &&							\
		 !__atomic_compare_exchange_n((type *)(at), &old_, new_, true,		\
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));	\
	(n) - (type)(new_ - old_);							\
})

uint64_t raw_pct_add(void *at, uint32_t width, uint64_t n)
{
	switch (width) {
	case 1: return ADD(uint8_t, at, n);
	case 2: return ADD(uint16_t, at, n);
	case 4: return ADD(uint32_t, at, n);
	default: return ADD(uint64_t, at, n);
	}
}

static bool ends(const char *text, size_t size)
{
	return __builtin_memchr(text, 0, size) != NULL;
}

bool raw_pct_header_ok(const struct raw_pct_header *h, uint64_t size)
{
	return size >= sizeof(*h) && h->magic == RAW_PCT_MAGIC && h->version == RAW_PCT_VERSION &&
	       h->kind <= RAW_PCT_CIRCLE && ends(h->event, sizeof(h->event)) &&
	       ends(h->translator, sizeof(h->translator)) && ends(h->program, sizeof(h->program)) &&
	       (h->word == 4 || h->word == 8);
}

bool raw_pct_region_ok(const struct raw_pct_region *r, uint64_t at, uint64_t size)
{
	if (at > size || size - at < sizeof(*r) || at % RAW_PCT_ALIGN ||
	    r->magic != RAW_PCT_REGION_MAGIC || r->start >= r->end ||
	    r->build_id_len > RAW_BUILD_ID_MAX || !ends(r->path, sizeof(r->path)) ||
	    (r->next && r->next <= at))
		return false;
	if (!r->nr_bins)
		return true;
	if (!r->bin || (r->width != 1 && r->width != 2 && r->width != 4 && r->width != 8) ||
	    r->counters % r->width || r->counters > size || r->counters < at + sizeof(*r) ||
	    r->nr_bins > (size - r->counters) / r->width ||
	    (r->end - r->start - 1) / r->bin >= r->nr_bins)
		return false;
	/* The counters of a region must not overlap the next region: otherwise a small file could
	 * contain a large number of samples. */
	return !r->next || r->next >= r->counters + r->nr_bins * r->width;
}

bool raw_pct_same(const struct raw_pct_region *a, const struct raw_pct_region *b)
{
	if (a->bin != b->bin || a->width != b->width || a->nr_bins != b->nr_bins ||
	    a->offset != b->offset || a->vaddr != b->vaddr || a->build_id_len != b->build_id_len ||
	    a->flags != b->flags || a->end - a->start != b->end - b->start)
		return false;
	if (a->build_id_len)
		return !__builtin_memcmp(a->build_id, b->build_id, a->build_id_len);
	/* Regions without a build-id are the same if inode and name of the file are the same. For
	 * anonymous memory, compare start address and name. */
	return a->inode == b->inode && (a->inode || a->start == b->start) &&
	       !__builtin_strcmp(a->path, b->path);
}
