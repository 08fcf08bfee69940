/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_entries.h -- entries of the cache of sample files: a hash table by key, and a list for
 * the second chance algorithm, which closes entries that were not used recently. Only for
 * sample_cache.c.
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

/* An open sample file. If the file belongs to several keys, their entries share this struct. */
struct opd_open_file {
	struct odb *db;
	dev_t dev;
	ino_t ino;
	struct opd_open_file *chain;
	unsigned int refs;		/* number of entries that use this file */
	/* value of opd_entries.round when this file was last synced */
	unsigned int round;
	bool dirty;
};

/* An entry of the cache of sample files. It has two cache lines: the first contains the members
 * needed to follow the hash chain, the second the members to compare. */
struct opd_entry {
	uint64_t hash;
	struct opd_entry *chain;
	/* the sample file; NULL: opening failed, see .retry, .failure and .over_budget */
	struct opd_open_file *file;
	/* links of the list from opd_entries.newest to .oldest */
	struct opd_entry *newer, *older;
	/* if opening the file failed: time of the next attempt, in seconds of the monotonic
	 * clock */
	time_t retry;
	/* if opening the file failed: counter to which the entry's lost samples are added */
	enum opd_stat failure;
	/* the user's budget of new files is used up: samples of this key are added to a common
	 * file */
	bool over_budget;
	/* the entry was used after it was moved to the new end of the list */
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
	struct opd_open_file **inodes;	/* hash table of the open files, by inode */
	/* number of buckets of each hash table, a power of two */
	size_t nr_buckets;
	struct opd_entry *newest, *oldest;
	/* entry that was used last; NULL if it was closed since */
	struct opd_entry *last;
	/* number of entries, including those without an open file */
	size_t nr;
	/* number of entries closed so far; pointers to entries are valid while this number is
	 * unchanged */
	uint64_t nr_closed;
	size_t max;
	size_t nr_dirty;
	struct opd_closing closing;	/* files of closed entries, which are still open */
	unsigned int round;		/* number of syncs that were started */
	bool disk_full;			/* a full disk was already logged since the last sync */
};

/* Initialize @c. All arguments are borrowed. The caller must call opd_entries_release() even after
 * an error. */
int opd_entries_init(struct opd_entries *c, const struct opd_config *cfg,
		     const struct opd_session *session, struct opd_stats *stats,
		     struct opd_log *log, int cpu_type, double cpu_mhz);
void opd_entries_release(struct opd_entries *c);

static inline uint64_t opd_entry_hash(const struct opd_file_key *key)
{
	const uint64_t *w = (const uint64_t *)key;
	uint64_t h = 0, factor = 0x9e3779b97f4a7c15u;

	_Static_assert(sizeof(*key) % sizeof(uint64_t) == 0, "hashed by words");
	/* Multiply values that do not depend on each other, so that the CPU can overlap the
	 * multiplications. */
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

/* Find or create the entry of @key. The function may close other entries, so that pointers to these
 * entries become invalid. Return NULL if memory is short. */
struct opd_entry *opd_entries_find(struct opd_entries *c, const struct opd_file_key *key,
				   uint64_t hash);

/* Close all entries; their files are closed later by opd_closing_step(). */
void opd_entries_close_all(struct opd_entries *c);

/* Return the counter of lost samples for @err, an error from opening or writing a sample file. Log
 * a full disk, and the limit of files, once. */
enum opd_stat opd_entries_failure(struct opd_entries *c, int err);

#endif
