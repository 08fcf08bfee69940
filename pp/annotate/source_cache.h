/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_cache.h -- source files read once, and once the news which of them could not be.
 */
#ifndef PP_ANNOTATE_SOURCE_CACHE_H
#define PP_ANNOTATE_SOURCE_CACHE_H

#include "pp/annotate/source_text.h"
#include "pp/base/log.h"

struct pp_source_cache;

/* @places must outlive the cache. NULL: out of memory. */
struct pp_source_cache *pp_source_cache_create(const struct pp_source_places *places);
/* Takes NULL. */
void pp_source_cache_destroy(struct pp_source_cache *cache);

/* The text of the file that debug data of @owner's calls @recorded, until it is dropped; NULL when it
 * cannot be read: *@ret_err, which may be NULL, says why. */
const struct pp_source_text *pp_source_cache_get(struct pp_source_cache *cache,
						 const char *recorded, uid_t owner, int *ret_err);
/* Frees the text, but not the news. */
void pp_source_cache_drop(struct pp_source_cache *cache, const char *recorded, uid_t owner);

/* Remembers that a source that was got is younger than a binary made of it. */
void pp_source_cache_note_newer(struct pp_source_cache *cache, const char *recorded, uid_t owner);

/* Warns, once for each kind of trouble, of all the files that had it. */
void pp_source_cache_tell(const struct pp_source_cache *cache, struct pp_log *log);

#endif
