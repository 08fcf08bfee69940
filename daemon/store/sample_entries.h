/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_entries.h -- the sample files that are open: a hash by key, and a list in which those used of late get a second
 * chance when there are too many. A part of the cache: nobody else looks into it.
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

/* Open once, however many keys lead to it. */
struct opd_open_file {
	struct odb *db;
	dev_t dev;
	ino_t ino;
	struct opd_open_file *chain;
	unsigned int refs;		/* entries */
	bool dirty;
};

/* Two lines of a CPU's cache: what leads on in the first, what is compared in the other. */
struct opd_entry {
	uint64_t hash;
	struct opd_entry *chain;
	struct opd_open_file *file;		/* NULL: could not be opened, see the rest */
	struct opd_entry *newer, *older;	/* the list's ends are in the cache */
	time_t retry;			/* when to try again, monotonic seconds */
	enum opd_stat failure;		/* as what its samples are lost */
	bool over_budget;		/* not lost, but counted under another name */
	bool used;			/* since it came to the newer end of the list */
	struct opd_file_key key;
};

struct opd_entries {
	const struct opd_config *cfg;
	const struct opd_session *session;
	struct opd_stats *stats;
	struct opd_log *log;
	struct opd_sample_files files;

	struct opd_entry **buckets;
	struct opd_open_file **inodes;	/* the open files, by inode */
	size_t nr_buckets;		/* of both, a power of two */
	struct opd_entry *newest, *oldest;
	struct opd_entry *last;		/* the user's: NULL once it is closed */
	size_t nr;			/* failed ones included */
	uint64_t nr_closed;		/* ever: as long as this is the same, all that were found are there */
	size_t max;
	size_t nr_dirty;
	bool disk_full;			/* said so since the last sync */
};

/* All are borrowed. Release takes what init failed on. */
int opd_entries_init(struct opd_entries *c, const struct opd_config *cfg, const struct opd_session *session,
		     struct opd_stats *stats, struct opd_log *log, int cpu_type, double cpu_mhz);
void opd_entries_release(struct opd_entries *c);

static inline uint64_t opd_entry_hash(const struct opd_file_key *key)
{
	const uint64_t *w = (const uint64_t *)key;
	uint64_t h = 0, factor = 0x9e3779b97f4a7c15u;

	_Static_assert(sizeof(*key) % sizeof(uint64_t) == 0, "hashed by words");
	/* No product waits for the one before it. */
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

/* Finds or makes it, and closes others for that; those that had been found are no longer valid. NULL: out of memory. */
struct opd_entry *opd_entries_find(struct opd_entries *c, const struct opd_file_key *key, uint64_t hash);

void opd_entries_close_all(struct opd_entries *c);

/* As what samples are lost because of @err, of opening or writing a file; the log tells of some, once. */
enum opd_stat opd_entries_failure(struct opd_entries *c, int err);

#endif
