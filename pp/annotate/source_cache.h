/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_cache.h -- a cache of source files, and one warning for all files that cannot be read.
 */
#ifndef PP_ANNOTATE_SOURCE_CACHE_H
#define PP_ANNOTATE_SOURCE_CACHE_H

#include "pp/annotate/source_text.h"
#include "pp/base/log.h"

struct pp_source_cache;

/* Return an empty cache, or NULL if out of memory. @places must outlive the cache. */
struct pp_source_cache *pp_source_cache_create(const struct pp_source_places *places);
/* Free the cache. @cache may be NULL. */
void pp_source_cache_destroy(struct pp_source_cache *cache);

/* Return the text of the source file that debug data of the user @owner calls @recorded. The text
 * is valid until pp_source_cache_drop(). If the file cannot be read, return NULL and store the
 * error in *@ret_err, unless @ret_err is NULL. */
const struct pp_source_text *pp_source_cache_get(struct pp_source_cache *cache,
						 const char *recorded, uid_t owner, int *ret_err);
/* Free the text of the source file @recorded, but keep its error for pp_source_cache_report(). */
void pp_source_cache_drop(struct pp_source_cache *cache, const char *recorded, uid_t owner);

/* Record that a source file is newer than a binary that was made from the file, for a later
 * warning. */
void pp_source_cache_note_newer(struct pp_source_cache *cache, const char *recorded, uid_t owner);

/* Print one warning for each kind of error, with the names of the files. */
void pp_source_cache_report(const struct pp_source_cache *cache, struct pp_log *log);

#endif
