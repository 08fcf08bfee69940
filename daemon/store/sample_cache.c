// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_cache.c -- the sample files that are open: a hash by key, a list in which those used of late get
 * a second chance.
 */
#include "config.h"
#include "daemon/store/sample_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/base/id_ranges.h"
#include "daemon/base/log.h"
#include "daemon/store/new_files.h"
#include "daemon/store/sample_file.h"
#include "daemon/base/session.h"
#include "daemon/store/stats.h"
#include "daemon/store/tables.h"
#include "libdb/odb.h"

#define RESERVED_FDS	128	/* for what is neither a sample file, nor an event, nor a file whose symbols are to be read */
#define MAX_OPEN	16384	/* half of what vm.max_map_count allows, or less */
#define CACHE_LINE	64
#define QUEUE_RUNS	32
#define QUEUE_SAMPLES	512
#define QUEUE_FROM	256	/* files open: with fewer of them it is no use */
#define LONG_RUN	64	/* samples: the rest of the run waits for nothing */
#define MANY		16	/* times the files, when threads or CPUs are told apart */
#define RETRY_SECONDS	1	/* a file that failed is not tried for each sample */

/* Open once, however many keys lead to it. */
struct file {
	struct odb *db;
	dev_t dev;
	ino_t ino;
	struct file *chain;
	unsigned int refs;		/* entries */
	bool dirty;
};

/* Two lines of a CPU's cache: what leads on in the first, what is compared in the other. */
struct entry {
	uint64_t hash;
	struct entry *chain;
	struct file *file;		/* NULL: could not be opened, see the rest */
	struct entry *newer, *older;	/* the list's ends are in the cache */
	time_t retry;			/* when to try again, monotonic seconds */
	enum opd_stat failure;		/* as what its samples are lost */
	bool over_budget;		/* not lost, but counted under another name */
	bool used;			/* since it came to the newer end of the list */
	struct opd_file_key key;
};

/*
 * With many files open nothing of them is in the CPU's caches, and looking a run of samples up, file,
 * bucket, node, is one wait for memory after the other. So runs are collected, and each step is
 * asked for ahead for all of them, so that they wait together; then they are stored one by one.
 */
struct run {
	struct opd_file_key key;
	uint64_t hash, base;
	struct entry *e;		/* a hint, while the queue is emptied */
	uint32_t first, nr;		/* of the queue's samples */
};

struct queue {
	struct run runs[QUEUE_RUNS];
	struct opd_sample samples[QUEUE_SAMPLES];
	uint32_t nr_runs, nr_samples;
};

struct opd_sample_cache {
	const struct opd_config *cfg;
	const struct opd_session *session;
	struct opd_stats *stats;
	struct opd_log *log;
	struct opd_sample_files files;

	struct entry **buckets;
	struct file **inodes;		/* the open files, by inode */
	size_t nr_buckets;		/* of both, a power of two */
	struct entry *newest, *oldest;
	struct entry *last;		/* where the last samples went, or NULL */
	size_t nr;			/* entries, failed ones included */
	size_t max;
	size_t nr_dirty;
	bool disk_full;			/* said so since the last sync */
	struct queue queue;
};

static time_t now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec;
}

static uint64_t key_hash(const struct opd_file_key *key)
{
	const uint64_t *w = (const uint64_t *)key;
	uint64_t h = 0, factor = 0x9e3779b97f4a7c15u;

	_Static_assert(sizeof(*key) % sizeof(uint64_t) == 0, "hashed by words");
	/* No product waits for the one before it. */
	for (size_t i = 0; i < sizeof(*key) / sizeof(*w); i++, factor += 0xbf58476d1ce4e5bau)
		h += (w[i] ^ w[i] >> 32) * factor;
	h = (h ^ h >> 32) * 0x94d049bb133111ebu;
	return h ^ h >> 32;
}

static bool key_equal(const struct opd_file_key *a, const struct opd_file_key *b)
{
	const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;

	for (size_t i = 0; i < sizeof(*a) / sizeof(*x); i++)
		if (x[i] != y[i])
			return false;
	return true;
}

/* What the daemon needs for itself: of perf_events one for each event and one more on each CPU. */
static size_t reserved(const struct opd_config *cfg)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return RESERVED_FDS + OPD_TABLES_FDS + (size_t)(cpus > 0 ? cpus : 1) * (cfg->nr_events + 1);
}

/* Thousands of files: as many as we may have, less that. */
static size_t open_limit(const struct opd_config *cfg)
{
	size_t max = MAX_OPEN, rest = reserved(cfg);
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		rlim_t hard = lim.rlim_max, want = MAX_OPEN + rest;

		if (hard < want) {
			/* Only with CAP_SYS_RESOURCE. */
			lim.rlim_cur = lim.rlim_max = want;
			if (setrlimit(RLIMIT_NOFILE, &lim) < 0)
				lim.rlim_max = hard;
		}
		lim.rlim_cur = lim.rlim_max < want ? lim.rlim_max : want;
		setrlimit(RLIMIT_NOFILE, &lim);
		if (getrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur < want)
			max = lim.rlim_cur > 2 * rest ? lim.rlim_cur - rest : lim.rlim_cur / 2;
	}
	if (cfg->set.max_open && cfg->set.max_open < max)
		max = cfg->set.max_open;
	return max ? max : 1;
}

static struct file **inode_bucket(struct opd_sample_cache *c, ino_t ino)
{
	return &c->inodes[(ino * 0x9e3779b97f4a7c15u >> 32) & (c->nr_buckets - 1)];
}

static struct file *find_inode(struct opd_sample_cache *c, dev_t dev, ino_t ino)
{
	struct file *file = *inode_bucket(c, ino);

	while (file && (file->ino != ino || file->dev != dev))
		file = file->chain;
	return file;
}

static struct odb *find_open(void *arg, dev_t dev, ino_t ino)
{
	struct file *file = find_inode(arg, dev, ino);

	return file ? file->db : NULL;
}

int opd_sample_cache_create(struct opd_sample_cache **ret, const struct opd_config *cfg,
			    const struct opd_session *session, struct opd_stats *stats,
			    struct opd_log *log, int cpu_type, double cpu_mhz)
{
	struct opd_sample_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->cfg = cfg;
	c->session = session;
	c->stats = stats;
	c->log = log;
	opd_sample_files_init(&c->files, cfg, stats, log, cpu_type, cpu_mhz);
	c->max = open_limit(cfg);
	c->nr_buckets = 256;
	while (c->nr_buckets < c->max)
		c->nr_buckets *= 2;
	/* A recorded stream has no users, and a user's own daemon only one. */
	if (cfg->set.new_files && cfg->source != OPD_SOURCE_REPLAY && geteuid() == 0) {
		/* Who separates by these wants more files. */
		bool many = cfg->set.separate & (OP_SEPARATE_THREAD | OP_SEPARATE_CPU);

		c->files.budget = opd_new_files_create(cfg->set.new_files * (many ? MANY : 1), OPD_SUBUID);
		if (!c->files.budget) {
			free(c);
			return -ENOMEM;
		}
	}
	c->files.find_open = find_open;
	c->files.find_open_arg = c;
	c->buckets = calloc(c->nr_buckets, sizeof(*c->buckets));
	c->inodes = calloc(c->nr_buckets, sizeof(*c->inodes));
	if (!c->buckets || !c->inodes) {
		opd_sample_cache_destroy(c);
		return -ENOMEM;
	}
	*ret = c;
	return 0;
}

void opd_sample_cache_tell(struct opd_sample_cache *c, struct opd_images *images)
{
	c->files.images = images;
}

static void list_remove(struct opd_sample_cache *c, struct entry *e)
{
	if (e->newer)
		e->newer->older = e->older;
	else
		c->newest = e->older;
	if (e->older)
		e->older->newer = e->newer;
	else
		c->oldest = e->newer;
}

static void list_add(struct opd_sample_cache *c, struct entry *e)
{
	e->newer = NULL;
	e->older = c->newest;
	if (c->newest)
		c->newest->newer = e;
	else
		c->oldest = e;
	c->newest = e;
}

static void put_file(struct opd_sample_cache *c, struct file *file)
{
	struct file **link;

	if (!file || --file->refs)
		return;
	link = inode_bucket(c, file->ino);
	while (*link != file)
		link = &(*link)->chain;
	*link = file->chain;
	if (file->dirty) {
		/* It will not be seen by the next sync: start writing now. */
		odb_sync(file->db, 0);
		c->nr_dirty--;
	}
	odb_close(file->db);
	free(file);
}

static void close_entry(struct opd_sample_cache *c, struct entry *e)
{
	struct entry **link = &c->buckets[e->hash & (c->nr_buckets - 1)];

	while (*link != e)
		link = &(*link)->chain;
	*link = e->chain;
	list_remove(c, e);
	if (c->last == e)
		c->last = NULL;
	put_file(c, e->file);
	free(e);
	c->nr--;
}

/*
 * Closes @nr entries, but not @keep: from the older end those that were not used since they were last
 * met there. To move an entry at each use instead would touch its neighbours, which are in no cache.
 */
static void close_some(struct opd_sample_cache *c, size_t nr, const struct entry *keep)
{
	while (nr && c->oldest && (c->oldest != keep || c->newest != keep)) {
		struct entry *e = c->oldest;

		if (e->used || e == keep) {
			e->used = false;
			list_remove(c, e);
			list_add(c, e);
			continue;
		}
		close_entry(c, e);
		nr--;
	}
}

void opd_sample_cache_close_all(struct opd_sample_cache *c)
{
	opd_sample_cache_flush(c);
	close_some(c, SIZE_MAX, NULL);
	c->disk_full = false;
}

void opd_sample_cache_destroy(struct opd_sample_cache *c)
{
	if (!c)
		return;
	opd_sample_cache_close_all(c);
	opd_new_files_destroy(c->files.budget);
	free(c->inodes);
	free(c->buckets);
	free(c);
}

void opd_sample_cache_restart(struct opd_sample_cache *c)
{
	c->files.made = 0;
	c->files.made_dirs = 0;
}

static bool is_disk_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}

static enum opd_stat say_failure(struct opd_sample_cache *c, int err)
{
	if (is_disk_full(err)) {
		if (!c->disk_full)
			opd_log(c->log, OPD_ERROR,
				"no room on the disk of %s: samples are being lost (make room; the "
				"daemon carries on by itself)", c->session->paths.current);
		c->disk_full = true;
		return OPD_STAT_DISK_FULL;
	}
	if (err == OPD_ERR_TOO_MANY_FILES) {
		if (c->stats->v[OPD_STAT_TOO_MANY_FILES] == 0)
			opd_log(c->log, OPD_ERROR,
				"the session has %lu sample files, the limit: samples for new ones are "
				"lost (opcontrol --save or --reset begins a new session; see "
				"oprofiled --max-files)", c->cfg->set.max_files);
		return OPD_STAT_TOO_MANY_FILES;
	}
	return OPD_STAT_SAMPLE_FILE;
}

static int open_file(struct opd_sample_cache *c, struct entry *e)
{
	struct file *file = calloc(1, sizeof(*file));
	struct opd_opened opened;
	int err = -ENOMEM;

	if (file)
		err = opd_sample_file_open(&opened, &c->files, c->session->current_fd, &e->key);
	if (err) {
		free(file);
		return err;
	}
	if (opened.shared) {
		free(file);
		file = find_inode(c, opened.dev, opened.ino);
	} else {
		struct file **bucket = inode_bucket(c, opened.ino);

		file->db = opened.db;
		file->dev = opened.dev;
		file->ino = opened.ino;
		file->chain = *bucket;
		*bucket = file;
	}
	file->refs++;
	e->file = file;
	return 0;
}

static void open_entry(struct opd_sample_cache *c, struct entry *e)
{
	int err = open_file(c, e);

	if (err == -EMFILE || err == -ENFILE || err == -ENOMEM) {
		/* Others use descriptors too; and mappings have a limit (vm.max_map_count). */
		c->max = c->nr > 16 ? c->nr - c->nr / 8 : 16;
		close_some(c, c->nr > c->max ? c->nr - c->max : 0, e);
		err = open_file(c, e);
	}
	e->over_budget = err == OPD_ERR_OVER_BUDGET;
	if (!err)
		return;
	if (!e->over_budget)
		e->failure = say_failure(c, err);
	e->retry = now_seconds() + RETRY_SECONDS;
}

static struct entry *find(struct opd_sample_cache *c, const struct opd_file_key *key, uint64_t hash)
{
	struct entry **bucket = &c->buckets[hash & (c->nr_buckets - 1)];
	struct entry *e;

	for (e = *bucket; e; e = e->chain) {
		if (e->hash == hash && key_equal(&e->key, key)) {
			e->used = true;
			if (!e->file && now_seconds() >= e->retry)
				open_entry(c, e);
			return e;
		}
	}
	if (c->nr >= c->max)
		close_some(c, c->nr - c->max + 1, NULL);
	e = aligned_alloc(CACHE_LINE, (sizeof(*e) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
	if (!e)
		return NULL;
	*e = (struct entry){ .key = *key, .hash = hash, .chain = *bucket };
	*bucket = e;
	list_add(c, e);
	c->nr++;
	open_entry(c, e);
	return e;
}

static void store(struct opd_sample_cache *c, struct entry *e, const struct opd_sample *samples,
		  size_t nr, uint64_t base)
{
	struct odb *db = e->file->db;
	uint64_t stored = 0;

	for (size_t i = 0; i < nr; i++) {
		int err = odb_update(db, samples[i].offset - base, samples[i].count);

		if (__builtin_expect(err != 0, 0))
			c->stats->v[say_failure(c, err)] += samples[i].count;
		else
			stored += samples[i].count;
	}
	c->stats->v[OPD_STAT_STORED] += stored;
	if (!stored)
		return;
	if (!e->file->dirty) {
		e->file->dirty = true;
		c->nr_dirty++;
	}
}

static uint64_t sum(const struct opd_sample *samples, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += samples[i].count;
	return sum;
}

/* The user has made too many files of late. */
static void add_elsewhere(struct opd_sample_cache *c, const struct opd_file_key *key,
			  const struct opd_sample *samples, size_t nr, uint64_t base)
{
	const struct opd_new_files_user *user = opd_new_files_user(c->files.budget, key);
	struct opd_file_key instead;
	struct entry *e = NULL;
	bool offsets = false;

	if (user) {
		offsets = opd_new_files_instead(user, key, &instead);
		e = find(c, &instead, key_hash(&instead));
	}
	if (!e || !e->file) {
		c->stats->v[e ? e->failure : OPD_STAT_SAMPLE_FILE] += sum(samples, nr);
		return;
	}
	c->stats->v[OPD_STAT_OVER_BUDGET] += sum(samples, nr);
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
	struct entry *e = find(c, key, hash);

	c->last = e;
	if (e && e->file)
		store(c, e, samples, nr, base);
	else if (e && e->over_budget)
		add_elsewhere(c, key, samples, nr, base);
	else
		c->stats->v[e ? e->failure : OPD_STAT_SAMPLE_FILE] += sum(samples, nr);
}

/* The entry of a run, looked for without changing anything. */
static struct entry *peek(const struct opd_sample_cache *c, const struct run *r)
{
	struct entry *e = c->buckets[r->hash & (c->nr_buckets - 1)];

	while (e && e->hash != r->hash)
		e = e->chain;
	return e && e->file ? e : NULL;
}

static void fetch_entries(struct opd_sample_cache *c)
{
	struct queue *q = &c->queue;

	for (uint32_t i = 0; i < q->nr_runs; i++) {
		const struct entry *e = c->buckets[q->runs[i].hash & (c->nr_buckets - 1)];

		__builtin_prefetch(e, 1);
		__builtin_prefetch((const void *)((uintptr_t)e + CACHE_LINE));	/* there may be none */
	}
	for (uint32_t i = 0; i < q->nr_runs; i++) {
		struct entry *e = q->runs[i].e = peek(c, &q->runs[i]);

		if (e)
			__builtin_prefetch(e->file);
	}
	for (uint32_t i = 0; i < q->nr_runs; i++)
		if (q->runs[i].e)
			__builtin_prefetch(q->runs[i].e->file->db);
}

static void fetch_nodes(struct opd_sample_cache *c)
{
	static void (*const steps[])(const struct odb *db, uint64_t key) = {
		odb_fetch_bucket, odb_fetch_node, odb_fetch_next,
	};
	const struct queue *q = &c->queue;

	for (size_t step = 0; step < sizeof(steps) / sizeof(steps[0]); step++) {
		for (uint32_t i = 0; i < q->nr_runs; i++) {
			const struct run *r = &q->runs[i];

			for (uint32_t n = 0; r->e && n < r->nr; n++)
				steps[step](r->e->file->db, q->samples[r->first + n].offset - r->base);
		}
	}
}

void opd_sample_cache_flush(struct opd_sample_cache *c)
{
	struct queue *q = &c->queue;

	fetch_entries(c);
	fetch_nodes(c);
	/* Entries may go now, files be mapped elsewhere: what was fetched was a hint. */
	for (uint32_t i = 0; i < q->nr_runs; i++) {
		const struct run *r = &q->runs[i];

		add_now(c, &r->key, r->hash, q->samples + r->first, r->nr, r->base);
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
	r->hash = key_hash(key);
	r->base = base;
	r->first = q->nr_samples;
	r->nr = nr;
	memcpy(q->samples + q->nr_samples, samples, nr * sizeof(*samples));
	q->nr_samples += nr;
	__builtin_prefetch(&c->buckets[r->hash & (c->nr_buckets - 1)]);
}

void opd_sample_cache_add(struct opd_sample_cache *c, const struct opd_file_key *key,
			  const struct opd_sample *samples, size_t nr, uint64_t base)
{
	struct entry *e = c->last;

	if (e && e->file && key_equal(&e->key, key))
		store(c, e, samples, nr, base);
	else if (c->nr >= QUEUE_FROM && nr <= LONG_RUN)
		enqueue(c, key, samples, nr, base);
	else
		add_now(c, key, key_hash(key), samples, nr, base);
}

bool opd_sample_cache_dirty(const struct opd_sample_cache *c)
{
	return c->nr_dirty || c->queue.nr_runs;
}

size_t opd_sample_cache_nr_open(const struct opd_sample_cache *c)
{
	return c->nr;
}

int opd_sample_cache_sync(struct opd_sample_cache *c)
{
	int ret = 0;

	opd_sample_cache_flush(c);

	for (struct entry *e = c->newest; e; e = e->older) {
		int err;

		if (!e->file || !e->file->dirty)
			continue;
		err = odb_sync(e->file->db, 0);
		if (err && !ret)
			ret = err;
		e->file->dirty = false;
		c->nr_dirty--;
	}
	/* Say it again if it is still so. */
	c->disk_full = false;
	return ret;
}
