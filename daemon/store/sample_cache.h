/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_cache.h -- the sample files that are open: found by key, the least recently used closed
 * when there are too many. Here samples are stored, or counted as lost because of the file.
 *
 * Memory is bounded by the number of open files; a file that was closed is found again by its name.
 */
#ifndef OPD_SAMPLE_CACHE_H
#define OPD_SAMPLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/record.h"
#include "daemon/store/sample_path.h"

struct opd_config;
struct opd_images;
struct opd_log;
struct opd_session;
struct opd_stats;
struct opd_sample_cache;

/* All are borrowed and must outlive the cache. @cpu_type, @cpu_mhz: for the files' headers. */
int opd_sample_cache_create(struct opd_sample_cache **ret, const struct opd_config *cfg,
			    const struct opd_session *session, struct opd_stats *stats,
			    struct opd_log *log, int cpu_type, double cpu_mhz);
/* @images: is told which of them have samples in the session. */
void opd_sample_cache_tell(struct opd_sample_cache *c, struct opd_images *images);
/* Closes all files; does not wait for the disk. Takes NULL. */
void opd_sample_cache_destroy(struct opd_sample_cache *c);

/*
 * Stores @nr samples in the file of @key, which all have key->event, under their offset minus
 * @base; or counts them as lost. With many files open that may wait for the next flush.
 */
void opd_sample_cache_add(struct opd_sample_cache *c, const struct opd_file_key *key,
			  const struct opd_sample *samples, size_t nr, uint64_t base);

/* From now on nothing waits: what opd_sample_cache_add() has stored is in the stats when it returns. */
void opd_sample_cache_at_once(struct opd_sample_cache *c);

/* What was added before is stored, or counted, when this returns. All below do it by themselves. */
void opd_sample_cache_flush(struct opd_sample_cache *c);

/* Something was stored since the last sync. */
bool opd_sample_cache_dirty(const struct opd_sample_cache *c);

/* Starts writing everything to disk; syncfs() would wait for it. First error, or 0. */
int opd_sample_cache_sync(struct opd_sample_cache *c);

/* Closes all files, so that the session can be saved or deleted, and forgets what failed. */
void opd_sample_cache_close_all(struct opd_sample_cache *c);

/* A new session: nothing of it counts against the limit of files. */
void opd_sample_cache_restart(struct opd_sample_cache *c);

size_t opd_sample_cache_nr_open(const struct opd_sample_cache *c);

#endif
