/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_entries.h -- the open sample files: a hash table by key, and a list in which recently used
 * entries get a second chance when there are too many. Only the sample cache uses this file.
 */
#ifndef OPD_SAMPLE_ENTRIES_H
#define OPD_SAMPLE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "daemon/store/sample_file.h"
#include "daemon/store/sample_path.h"
#include "daemon/store/stats.h"
#include "libdb/odb.h"

#define OPD_CACHE_LINE	64

/* A file that is open once, even if several keys lead to it. */
struct opd_open_file {
	struct odb *db;
	dev_t dev;
	ino_t ino;
	struct opd_open_file *chain;
	unsigned int refs;		/* number of entries */
	bool dirty;
};

/* Two cache lines: the members for following the hash chain in the first one, the compared members
 * in the second one. */
struct opd_entry {
	uint64_t hash;
	struct opd_entry *chain;
	/* NULL: could not be opened, see the members below */
	struct opd_open_file *file;
	struct opd_entry *newer, *older;	/* the cache has the list's ends */
	time_t retry;			/* time of the next try, in monotonic seconds */
	enum opd_stat failure;		/* the loss as which its samples are counted */
	/* its samples are not lost, but counted under another name */
	bool over_budget;
	bool used;			/* used since it was moved to the newer end of the list */
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
	size_t nr_buckets;		/* size of both hash tables, a power of two */
	struct opd_entry *newest, *oldest;
	/* for the cache: the entry used last; NULL once it is closed */
	struct opd_entry *last;
	size_t nr;			/* including entries that failed */
	/* total number of closed entries: pointers to entries stay valid as long as it does not
	 * change */
	uint64_t nr_closed;
	size_t max;
	size_t nr_dirty;
	bool disk_full;			/* a full disk was logged since the last sync */
};

/* Initialize @c. All arguments are borrowed. If this fails, the caller must call
 * opd_entries_release(). */
int opd_entries_init(struct opd_entries *c, const struct opd_config *cfg,
		     const struct opd_session *session, struct opd_stats *stats,
		     struct opd_log *log, int cpu_type, double cpu_mhz);
void opd_entries_release(struct opd_entries *c);

static inline uint64_t opd_entry_hash(const struct opd_file_key *key)
{
	const uint64_t *w = (const uint64_t *)key;
	uint64_t h = 0, factor = 0x9e3779b97f4a7c15u;

	_Static_assert(sizeof(*key) % sizeof(uint64_t) == 0, "hashed by words");
	/* The multiplications do not depend on each other. */
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

/* Find or make the entry, and close other entries for it, which makes pointers to them invalid.
 * Return NULL without memory. */
struct opd_entry *opd_entries_find(struct opd_entries *c, const struct opd_file_key *key,
				   uint64_t hash);

void opd_entries_close_all(struct opd_entries *c);

/* Return the loss as which samples are counted after @err, an error of opening or writing a file.
 * Log some errors, once. */
enum opd_stat opd_entries_failure(struct opd_entries *c, int err);

#endif
