// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_cache.c -- stores runs of samples in sample files. If many files are open, runs are queued
 * first, so that their cache misses overlap.
 */
#include "config.h"
#include "daemon/store/sample_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/new_files.h"
#include "daemon/store/sample_entries.h"

#define QUEUE_RUNS	64
#define QUEUE_SAMPLES	1024
#define QUEUE_FROM	256	/* if at least this many sample files are open, runs are queued */
/* a run with more samples is stored immediately: only its first samples cause cache misses */
#define LONG_RUN	64
/* number of files to sync or close per step; a step takes less than a millisecond */
#define STEP_FILES	32

/*
 * A queued run of samples.
 *
 * If many files are open, their data is not in the CPU's caches, and storing a run (lookup of file,
 * hash bucket, node) causes a series of cache misses. So runs are queued. Each step of the lookup
 * prefetches the data of all queued runs, so that the cache misses overlap. Then the runs are
 * stored one by one.
 */
struct run {
	struct opd_file_key key;
	uint64_t hash, base;
	/* cache entry of the run's file, valid until the cache closes an entry; NULL: file not open
	 * yet */
	struct opd_entry *e;
	/* index of the run's first sample in queue.samples, and number of its samples */
	uint32_t first, nr;
};

struct queue {
	struct run runs[QUEUE_RUNS];
	struct opd_sample samples[QUEUE_SAMPLES];
	/* a guess of the libdb node of each sample; a wrong guess or 0 only costs time */
	uint32_t nodes[QUEUE_SAMPLES];
	uint32_t nr_runs, nr_samples;
};

struct opd_sample_cache {
	struct opd_entries entries;
	/* store each sample immediately instead of queueing it */
	bool at_once;
	int sync_error;			/* first error of the current sync, or 0 */
	struct queue queue;
};

int opd_sample_cache_create(struct opd_sample_cache **ret, const struct opd_config *cfg,
			    const struct opd_session *session, struct opd_stats *stats,
			    struct opd_log *log, int cpu_type, double cpu_mhz)
{
	struct opd_sample_cache *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	if (c)
		err = opd_entries_init(&c->entries, cfg, session, stats, log, cpu_type, cpu_mhz);
	if (err)
		opd_sample_cache_destroy(c);
	else
		*ret = c;
	return err;
}

void opd_sample_cache_set_images(struct opd_sample_cache *c, struct opd_images *images)
{
	c->entries.files.images = images;
}

void opd_sample_cache_close_all(struct opd_sample_cache *c)
{
	opd_sample_cache_flush(c);
	opd_entries_close_all(&c->entries);
}

void opd_sample_cache_destroy(struct opd_sample_cache *c)
{
	if (!c)
		return;
	opd_sample_cache_flush(c);
	opd_entries_release(&c->entries);
	free(c);
}

void opd_sample_cache_restart(struct opd_sample_cache *c)
{
	c->entries.files.made = 0;
	c->entries.files.made_dirs = 0;
}

/* Store samples in the file of the cache entry @e. @nodes: guesses of the libdb nodes of the
 * samples, or NULL. */
static void store_at(struct opd_sample_cache *c, struct opd_entry *e,
		     const struct opd_sample *samples, const uint32_t *nodes, size_t nr,
		     uint64_t base)
{
	struct odb *db = e->file->db;
	uint64_t stored = 0;

	for (size_t i = 0; i < nr; i++) {
		int err = odb_update_at(db, nodes ? nodes[i] : 0, samples[i].offset - base,
					samples[i].count);

		if (__builtin_expect(err != 0, 0))
			c->entries.stats->v[opd_entries_failure(&c->entries, err)] +=
				samples[i].count;
		else
			stored += samples[i].count;
	}
	c->entries.stats->v[e->key.woken ? OPD_STAT_WAKERS : OPD_STAT_STORED] += stored;
	if (!stored)
		return;
	if (!e->file->dirty) {
		e->file->dirty = true;
		c->entries.nr_dirty++;
	}
}

static void store(struct opd_sample_cache *c, struct opd_entry *e, const struct opd_sample *samples,
		  size_t nr, uint64_t base)
{
	store_at(c, e, samples, NULL, nr, base);
}

static uint64_t sum(const struct opd_sample *samples, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += samples[i].count;
	return sum;
}

/* Count samples in the file that opd_new_files_instead() names, because the user's budget of new
 * files is used up. */
static void add_to_shared_file(struct opd_sample_cache *c, const struct opd_file_key *key,
			       const struct opd_sample *samples, size_t nr, uint64_t base)
{
	const struct opd_new_files_user *user = opd_new_files_user(c->entries.files.budget, key);
	struct opd_file_key instead;
	struct opd_entry *e = NULL;
	bool offsets = false;

	if (user) {
		offsets = opd_new_files_instead(user, key, &instead);
		e = opd_entries_find(&c->entries, &instead, opd_entry_hash(&instead));
	}
	if (!e || !e->file) {
		c->entries.stats->v[e ? e->failure : OPD_STAT_SAMPLE_FILE] += sum(samples, nr);
		return;
	}
	c->entries.stats->v[OPD_STAT_OVER_BUDGET] += sum(samples, nr);
	if (offsets)
		store(c, e, samples, nr, base);
	for (size_t i = 0; i < nr && !offsets; i++) {
		struct opd_sample one = samples[i];

		one.offset = 0;
		store(c, e, &one, 1, 0);
	}
}

static void add_now(struct opd_sample_cache *c, const struct opd_file_key *key, uint64_t hash,
		    const struct opd_sample *samples, size_t nr, uint64_t base)
{
	struct opd_entry *e = opd_entries_find(&c->entries, key, hash);

	c->entries.last = e;
	if (e && e->file)
		store(c, e, samples, nr, base);
	else if (e && e->over_budget)
		add_to_shared_file(c, key, samples, nr, base);
	else
		c->entries.stats->v[e ? e->failure : OPD_STAT_SAMPLE_FILE] += sum(samples, nr);
}

static struct opd_entry *first_of_bucket(const struct opd_sample_cache *c, const struct run *r)
{
	return c->entries.buckets[r->hash & (c->entries.nr_buckets - 1)];
}

/* Return the cache entry for the run's key, or NULL if its file is not open. Do not modify the
 * cache. */
static struct opd_entry *open_entry_of(const struct opd_sample_cache *c, const struct run *r)
{
	struct opd_entry *e = first_of_bucket(c, r);

	while (e && !(e->hash == r->hash && opd_entry_is_of(e, &r->key)))
		e = e->chain;
	return e && e->file ? e : NULL;
}

static void find_entries(struct opd_sample_cache *c)
{
	struct queue *q = &c->queue;

	for (uint32_t i = 0; i < q->nr_runs; i++) {
		const struct opd_entry *e = first_of_bucket(c, &q->runs[i]);

		__builtin_prefetch(e, 1);
		/* Prefetch the second cache line of the entry. Compute its address as an integer,
		 * because @e may be NULL. */
		__builtin_prefetch((const void *)((uintptr_t)e + OPD_CACHE_LINE));
	}
	for (uint32_t i = 0; i < q->nr_runs; i++) {
		struct opd_entry *e = q->runs[i].e = open_entry_of(c, &q->runs[i]);

		if (e)
			__builtin_prefetch(e->file);
	}
	for (uint32_t i = 0; i < q->nr_runs; i++)
		if (q->runs[i].e)
			__builtin_prefetch(q->runs[i].e->file->db);
}

static void find_nodes(struct opd_sample_cache *c)
{
	struct queue *q = &c->queue;
	const struct opd_sample *s = q->samples;
	uint32_t *nodes = q->nodes;

	/* First read one page of each file, because TLB misses cost most. */
	for (uint32_t i = 0; i < q->nr_runs; i++) {
		const struct run *r = &q->runs[i];

		if (r->e)
			odb_fetch_bucket(r->e->file->db, s[r->first].offset - r->base);
	}
	for (uint32_t i = 0; i < q->nr_runs; i++) {
		const struct run *r = &q->runs[i];

		for (uint32_t n = r->first + 1; r->e && n < r->first + r->nr; n++)
			odb_fetch_bucket(r->e->file->db, s[n].offset - r->base);
	}
	for (uint32_t i = 0; i < q->nr_runs; i++) {
		const struct run *r = &q->runs[i];

		for (uint32_t n = r->first; r->e && n < r->first + r->nr; n++)
			nodes[n] = odb_fetch_node(r->e->file->db, s[n].offset - r->base);
	}
	for (uint32_t i = 0; i < q->nr_runs; i++) {
		const struct run *r = &q->runs[i];

		for (uint32_t n = r->first; r->e && n < r->first + r->nr; n++)
			nodes[n] = odb_fetch_next(r->e->file->db, s[n].offset - r->base, nodes[n]);
	}
}

void opd_sample_cache_flush(struct opd_sample_cache *c)
{
	struct queue *q = &c->queue;
	uint64_t closed = c->entries.nr_closed;

	find_entries(c);
	find_nodes(c);
	for (uint32_t i = 0; i < q->nr_runs; i++) {
		const struct run *r = &q->runs[i];
		const struct opd_sample *samples = q->samples + r->first;

		/* Use the entry only if the cache has not closed any entry while an earlier run was
		 * stored. */
		if (r->e && c->entries.nr_closed == closed) {
			r->e->used = true;
			c->entries.last = r->e;
			store_at(c, r->e, samples, q->nodes + r->first, r->nr, r->base);
		} else {
			add_now(c, &r->key, r->hash, samples, r->nr, r->base);
		}
	}
	q->nr_runs = q->nr_samples = 0;
}

static void enqueue(struct opd_sample_cache *c, const struct opd_file_key *key,
		    const struct opd_sample *samples, uint32_t nr, uint64_t base)
{
	struct queue *q = &c->queue;
	struct run *r;

	if (q->nr_runs == QUEUE_RUNS || QUEUE_SAMPLES - q->nr_samples < nr)
		opd_sample_cache_flush(c);
	r = &q->runs[q->nr_runs++];
	r->key = *key;
	r->hash = opd_entry_hash(key);
	r->base = base;
	r->first = q->nr_samples;
	r->nr = nr;
	memcpy(q->samples + q->nr_samples, samples, nr * sizeof(*samples));
	q->nr_samples += nr;
	__builtin_prefetch(&c->entries.buckets[r->hash & (c->entries.nr_buckets - 1)]);
}

void opd_sample_cache_add(struct opd_sample_cache *c, const struct opd_file_key *key,
			  const struct opd_sample *samples, size_t nr, uint64_t base)
{
	struct opd_entry *e = c->entries.last;

	if (e && e->file && opd_entry_is_of(e, key))
		store(c, e, samples, nr, base);
	else if (c->entries.nr >= QUEUE_FROM && nr <= LONG_RUN && !c->at_once)
		enqueue(c, key, samples, nr, base);
	else
		add_now(c, key, opd_entry_hash(key), samples, nr, base);
}

void opd_sample_cache_at_once(struct opd_sample_cache *c)
{
	opd_sample_cache_flush(c);
	c->at_once = true;
}

bool opd_sample_cache_dirty(const struct opd_sample_cache *c)
{
	return c->entries.nr_dirty || c->queue.nr_runs;
}

size_t opd_sample_cache_nr_open(const struct opd_sample_cache *c)
{
	return c->entries.nr;
}

void opd_sample_cache_begin_sync(struct opd_sample_cache *c)
{
	opd_sample_cache_flush(c);
	c->entries.round++;
	c->sync_error = 0;
	/* Log again if the disk is still full at the next failure. */
	c->entries.disk_full = false;
}

int opd_sample_cache_sync_step(struct opd_sample_cache *c)
{
	size_t nr = 0;

	for (struct opd_entry *e = c->entries.newest; e && nr < STEP_FILES; e = e->older) {
		struct opd_open_file *file = e->file;
		int err;

		if (!file || !file->dirty || file->round == c->entries.round)
			continue;
		err = odb_sync(file->db, 0);
		if (err && !c->sync_error)
			c->sync_error = err;
		file->round = c->entries.round;
		file->dirty = false;
		c->entries.nr_dirty--;
		nr++;
	}
	return nr == STEP_FILES ? 1 : c->sync_error;
}

int opd_sample_cache_sync(struct opd_sample_cache *c)
{
	int err;

	opd_sample_cache_begin_sync(c);
	do {
		err = opd_sample_cache_sync_step(c);
	} while (err > 0);
	return err;
}

bool opd_sample_cache_is_closing(const struct opd_sample_cache *c)
{
	return c->entries.closing.nr != 0;
}

bool opd_sample_cache_close_step(struct opd_sample_cache *c)
{
	opd_closing_step(&c->entries.closing, STEP_FILES);
	return opd_sample_cache_is_closing(c);
}
