/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_entries.h -- entries of the cache of sample files: a hash table indexed by key, and a list
 * that gives recently used entries a second chance when too many are open. Only sample_cache.c uses
 * these functions.
 */
#ifndef OPD_SAMPLE_ENTRIES_H
#define OPD_SAMPLE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "daemon/store/closing.h"
#include "daemon/store/sample_file.h"
#include "daemon/store/sample_path.h"
#include "daemon/store/stats.h"
#include "libdb/odb.h"

#define OPD_CACHE_LINE	64

/* An open sample file. Each file is opened only once, even if several keys lead to it. */
struct opd_open_file {
	struct odb *db;
	dev_t dev;
	ino_t ino;
	struct opd_open_file *chain;
	unsigned int refs;		/* number of cache entries that use this file */
	unsigned int round;		/* opd_entries.round at the last sync of the file */
	bool dirty;
};

/* An entry of the cache. It has two cache lines: the first one has the members needed to follow the
 * hash chain, the second one the members that are compared. */
struct opd_entry {
	uint64_t hash;
	struct opd_entry *chain;
	/* the sample file; NULL: it could not be opened, and .retry, .failure and .over_budget
	 * describe the failure */
	struct opd_open_file *file;
	/* neighbours in the list from opd_entries.newest to .oldest */
	struct opd_entry *newer, *older;
	/* time of the next attempt to open the file, in seconds of the monotonic clock */
	time_t retry;
	/* the counter of lost samples that counts this entry's samples */
	enum opd_stat failure;
	/* the user's budget of new files is used up, so the samples are counted under another
	 * name */
	bool over_budget;
	/* the entry was used after it was moved to the newer end of the list */
	bool used;
	struct opd_file_key key;
};

struct opd_entries {
	const struct opd_config *cfg;
	const struct opd_session *session;
	struct opd_stats *stats;
	struct opd_log *log;
	struct opd_sample_files files;

	struct opd_entry **buckets;
	struct opd_open_file **inodes;	/* hash table of the open files, indexed by inode */
	/* number of buckets of each of the two hash tables, a power of two */
	size_t nr_buckets;
	struct opd_entry *newest, *oldest;
	/* the entry that the cache used last; NULL after this entry was closed */
	struct opd_entry *last;
	/* number of entries, including those whose file could not be opened */
	size_t nr;
	/* total number of entries closed so far; pointers to entries are valid as long as this
	 * number does not change */
	uint64_t nr_closed;
	size_t max;
	size_t nr_dirty;
	struct opd_closing closing;	/* files of closed entries, which are still open */
	unsigned int round;		/* number of syncs that were begun */
	bool disk_full;			/* a full disk was logged since the last sync */
};

/* Initialize @c. All arguments are borrowed. The caller must call opd_entries_release() even after
 * a failure. */
int opd_entries_init(struct opd_entries *c, const struct opd_config *cfg,
		     const struct opd_session *session, struct opd_stats *stats,
		     struct opd_log *log, int cpu_type, double cpu_mhz);
void opd_entries_release(struct opd_entries *c);

static inline uint64_t opd_entry_hash(const struct opd_file_key *key)
{
	const uint64_t *w = (const uint64_t *)key;
	uint64_t h = 0, factor = 0x9e3779b97f4a7c15u;

	_Static_assert(sizeof(*key) % sizeof(uint64_t) == 0, "hashed by words");
	/* The order of the multiplications is free, so the CPU can overlap them. */
#pragma GCC unroll 16
	for (size_t i = 0; i < sizeof(*key) / sizeof(*w); i++, factor += 0xbf58476d1ce4e5bau)
		h += (w[i] ^ w[i] >> 32) * factor;
	h = (h ^ h >> 32) * 0x94d049bb133111ebu;
	return h ^ h >> 32;
}

static inline bool opd_entry_is_of(const struct opd_entry *e, const struct opd_file_key *key)
{
	const uint64_t *x = (const uint64_t *)&e->key, *y = (const uint64_t *)key;

	for (size_t i = 0; i < sizeof(*key) / sizeof(*x); i++)
		if (x[i] != y[i])
			return false;
	return true;
}

/* Find or make the entry of @key. To make room, close other entries; pointers to closed entries
 * become invalid. Return NULL if memory is short. */
struct opd_entry *opd_entries_find(struct opd_entries *c, const struct opd_file_key *key,
				   uint64_t hash);

/* Close all entries, whose files are then closed in steps: see opd_closing_step(). */
void opd_entries_close_all(struct opd_entries *c);

/* Return the counter of lost samples for @err, an error of opening or writing a sample file. Log a
 * full disk and the limit of files, once. */
enum opd_stat opd_entries_failure(struct opd_entries *c, int err);

#endif
