/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_cache.h -- cache of open sample files: finds a file by its key, and closes the least
 * recently used files if too many are open. Stores samples in the files; if this fails, counts
 * them as lost.
 *
 * Memory is bounded by the number of open files. A closed file is opened again by its name.
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

/* Create *@ret. All arguments are borrowed and must outlive the cache. @cpu_type and @cpu_mhz are
 * written to the headers of files. */
int opd_sample_cache_create(struct opd_sample_cache **ret, const struct opd_config *cfg,
			    const struct opd_session *session, struct opd_stats *stats,
			    struct opd_log *log, int cpu_type, double cpu_mhz);
/* Set the table of images. The cache marks an image as used if the session has samples of the
 * image. */
void opd_sample_cache_set_images(struct opd_sample_cache *c, struct opd_images *images);
/* Close all files without waiting for the disk. @c may be NULL. */
void opd_sample_cache_destroy(struct opd_sample_cache *c);

/*
 * Store @nr samples of the event key->event in the file of @key, each at its offset minus @base;
 * if this fails, count them as lost. With many open files, the samples may be queued until the
 * next flush.
 */
void opd_sample_cache_add(struct opd_sample_cache *c, const struct opd_file_key *key,
			  const struct opd_sample *samples, size_t nr, uint64_t base);

/* Disable the queue. When opd_sample_cache_add() returns, the statistics then include the
 * samples. */
void opd_sample_cache_at_once(struct opd_sample_cache *c);

/* Store all queued samples, or count them as lost. All functions below do this first. */
void opd_sample_cache_flush(struct opd_sample_cache *c);

/* Return true if samples were stored since the last sync. */
bool opd_sample_cache_dirty(const struct opd_sample_cache *c);

/* Start to write all changed files to disk, without waiting for the disk (syncfs() would wait).
 * Return the first error, or 0. */
int opd_sample_cache_sync(struct opd_sample_cache *c);

/* Start a sync like opd_sample_cache_sync(), but in steps. Each call of
 * opd_sample_cache_sync_step() performs a step. A file that changes after its step is left to the
 * next sync. */
void opd_sample_cache_begin_sync(struct opd_sample_cache *c);
/* Perform one step of the sync that opd_sample_cache_begin_sync() has started. Return 1 if further
 * steps are needed, 0, or the first error. */
int opd_sample_cache_sync_step(struct opd_sample_cache *c);

/* Remove all files from the cache, so that the session can be saved or deleted, and reset errors.
 * The files stay open: then call opd_sample_cache_close_step() until it returns false. */
void opd_sample_cache_close_all(struct opd_sample_cache *c);
/* Close some of the files that were removed from the cache. Return true if others are still
 * open. */
bool opd_sample_cache_close_step(struct opd_sample_cache *c);
/* Return true if files that were removed from the cache are still open. */
bool opd_sample_cache_is_closing(const struct opd_sample_cache *c);

/* Call when a new session starts: reset the numbers of files and directories that were created,
 * which are limited per session. */
void opd_sample_cache_restart(struct opd_sample_cache *c);

size_t opd_sample_cache_nr_open(const struct opd_sample_cache *c);

#endif
