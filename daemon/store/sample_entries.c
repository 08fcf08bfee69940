// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_entries.c -- entries of the cache of sample files: opens files, and closes some if too
 * many are open.
 */
#include "config.h"
#include "daemon/store/sample_entries.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/store/made_files.h"
#include "daemon/store/new_files.h"
#include "daemon/store/tables.h"
#include "libop/base/clock.h"
#include "libop/base/id_ranges.h"
#include "libop/base/owner.h"

/* number of descriptors that are reserved for other files than sample files, perf_events and
 * binaries that wait for a reader of symbols */
#define RESERVED_FDS	128
/* maximum number of open sample files; at most half of the kernel's limit of mappings,
 * vm.max_map_count */
#define MAX_OPEN	16384
/* the same limit if intervals are stored: the daemon then runs for months, beside up to
 * OPD_TREES_OPEN trees, and is to have at most 1000 open files. An interval of ten minutes may have
 * thousands of sample files, most of them of programs that have ended. */
#define MAX_OPEN_INTERVALS	384
/* factor of a user's budget of new files if each thread, CPU or unit has its own files */
#define MANY		16
/* delay in seconds after a failure before another attempt to open a file */
#define RETRY_SECONDS	1

static time_t now_seconds(void)
{
	return (time_t)(op_now_coarse_ms() / 1000);
}

/* Return the number of descriptors that the daemon needs for other purposes than sample files.
 * perf_events need a descriptor for each event on each CPU, and one more on each CPU. */
static size_t reserved(const struct opd_config *cfg)
{
	size_t paths = cfg->paths.depth ? OPD_TABLES_FDS + OPD_MADE_FILES_FDS + OPD_TREES_OPEN : 0;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return RESERVED_FDS + OPD_TABLES_FDS + paths +
	       (size_t)(cpus > 0 ? cpus : 1) * (cfg->nr_events + 1);
}

/* Return how many sample files may be open: the limit of descriptors minus the reserved ones.
 * Raise the limit if possible. */
static size_t open_limit(const struct opd_config *cfg)
{
	size_t max = MAX_OPEN, rest = reserved(cfg);
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		rlim_t hard = lim.rlim_max, want = MAX_OPEN + rest;

		if (hard < want) {
			/* raising the hard limit needs CAP_SYS_RESOURCE */
			lim.rlim_cur = lim.rlim_max = want;
			if (setrlimit(RLIMIT_NOFILE, &lim) < 0)
				lim.rlim_max = hard;
		}
		lim.rlim_cur = lim.rlim_max < want ? lim.rlim_max : want;
		setrlimit(RLIMIT_NOFILE, &lim);
		if (getrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur < want)
			max = lim.rlim_cur > 2 * rest ? lim.rlim_cur - rest : lim.rlim_cur / 2;
	}
	if (!cfg->set.max_open && cfg->intervals.interval && max > MAX_OPEN_INTERVALS)
		max = MAX_OPEN_INTERVALS;
	if (cfg->set.max_open && cfg->set.max_open < max)
		max = cfg->set.max_open;
	return max ? max : 1;
}

static struct opd_open_file **inode_bucket(struct opd_entries *c, ino_t ino)
{
	return &c->inodes[(ino * 0x9e3779b97f4a7c15u >> 32) & (c->nr_buckets - 1)];
}

static struct opd_open_file *find_inode(struct opd_entries *c, dev_t dev, ino_t ino)
{
	struct opd_open_file *file = *inode_bucket(c, ino);

	while (file && (file->ino != ino || file->dev != dev))
		file = file->chain;
	return file;
}

static struct odb *find_open(void *arg, dev_t dev, ino_t ino)
{
	struct opd_open_file *file = find_inode(arg, dev, ino);

	return file ? file->db : NULL;
}

int opd_entries_init(struct opd_entries *c, const struct opd_config *cfg,
		     const struct opd_session *session, struct opd_stats *stats,
		     struct opd_log *log, int cpu_type, double cpu_mhz)
{
	*c = (struct opd_entries){ .cfg = cfg, .session = session, .stats = stats, .log = log };
	opd_sample_files_init(&c->files, cfg, stats, log, cpu_type, cpu_mhz);
	c->files.names = session->new_names;
	c->max = open_limit(cfg);
	c->nr_buckets = 256;
	while (c->nr_buckets < c->max)
		c->nr_buckets *= 2;
	/* Create budgets of new files only if the daemon samples all users. A recorded stream has
	 * no users, and an ordinary user's daemon samples only this user. */
	if (cfg->set.new_files && cfg->source != OPD_SOURCE_REPLAY && op_reads_all_users()) {
		/* With --separate=thread, cpu or unit, the same programs create more files. */
		bool many = cfg->set.separate &
			    (OP_SEPARATE_THREAD | OP_SEPARATE_CPU | OP_SEPARATE_UNIT);

		c->files.budget = opd_new_files_create(cfg->set.new_files * (many ? MANY : 1),
						       "/proc", OP_SUBUID);
		if (!c->files.budget)
			return -ENOMEM;
	}
	c->files.find_open = find_open;
	c->files.find_open_arg = c;
	c->buckets = calloc(c->nr_buckets, sizeof(*c->buckets));
	c->inodes = calloc(c->nr_buckets, sizeof(*c->inodes));
	return c->buckets && c->inodes ? 0 : -ENOMEM;
}

static void list_remove(struct opd_entries *c, struct opd_entry *e)
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

static void list_add(struct opd_entries *c, struct opd_entry *e)
{
	e->newer = NULL;
	e->older = c->newest;
	if (c->newest)
		c->newest->newer = e;
	else
		c->oldest = e;
	c->newest = e;
}

static void put_file(struct opd_entries *c, struct opd_open_file *file)
{
	struct opd_open_file **link;

	if (!file || --file->refs)
		return;
	link = inode_bucket(c, file->ino);
	while (*link != file)
		link = &(*link)->chain;
	*link = file->chain;
	c->nr_dirty -= file->dirty;
	opd_closing_add(&c->closing, &(struct opd_closing_file){ file->db, NULL, file->dirty });
	free(file);
}

static void close_entry(struct opd_entries *c, struct opd_entry *e)
{
	struct opd_entry **link = &c->buckets[e->hash & (c->nr_buckets - 1)];

	while (*link != e)
		link = &(*link)->chain;
	*link = e->chain;
	list_remove(c, e);
	if (c->last == e)
		c->last = NULL;
	put_file(c, e->file);
	free(e);
	c->nr--;
	c->nr_closed++;
}

/*
 * Close @nr entries, but not @keep, by the second chance algorithm: start at the old end of the
 * list, and close entries that were not used since this function last visited them. A strict LRU
 * list would modify two neighbours, which are not in the CPU's caches, at each use of an entry.
 */
static void close_some(struct opd_entries *c, size_t nr, const struct opd_entry *keep)
{
	while (nr && c->oldest && (c->oldest != keep || c->newest != keep)) {
		struct opd_entry *e = c->oldest;

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

/* Close @nr entries as close_some() does, and close their files immediately, because descriptors
 * are needed. */
static void make_room(struct opd_entries *c, size_t nr, const struct opd_entry *keep)
{
	close_some(c, nr, keep);
	opd_closing_release(&c->closing);
}

void opd_entries_close_all(struct opd_entries *c)
{
	close_some(c, SIZE_MAX, NULL);
	c->disk_full = false;
}

void opd_entries_release(struct opd_entries *c)
{
	if (c->buckets)
		make_room(c, SIZE_MAX, NULL);
	opd_new_files_destroy(c->files.budget);
	free(c->inodes);
	free(c->buckets);
}

static bool is_disk_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}

enum opd_stat opd_entries_failure(struct opd_entries *c, int err)
{
	if (is_disk_full(err)) {
		if (!c->disk_full)
			opd_log(c->log, OPD_ERROR,
				"no space on the disk of %s: samples are being lost (free some "
				"space; the daemon continues by "
				"itself)", c->session->paths.current);
		c->disk_full = true;
		return OPD_STAT_DISK_FULL;
	}
	if (err == OPD_ERR_TOO_MANY_FILES) {
		if (c->stats->v[OPD_STAT_TOO_MANY_FILES] == 0)
			opd_log(c->log, OPD_ERROR,
				"the session has reached the limit of %lu sample files (oprofiled "
				"--max-files): samples for further files are lost; begin a new "
				"session with opcontrol --save or --reset",
				c->cfg->set.max_files);
		return OPD_STAT_TOO_MANY_FILES;
	}
	return OPD_STAT_SAMPLE_FILE;
}

static int open_file(struct opd_entries *c, struct opd_entry *e)
{
	struct opd_open_file *file = calloc(1, sizeof(*file));
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
		struct opd_open_file **bucket = inode_bucket(c, opened.ino);

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

static void open_entry(struct opd_entries *c, struct opd_entry *e)
{
	int err = open_file(c, e);

	if (err == -EMFILE || err == -ENFILE || err == -ENOMEM) {
		/* Reduce the maximum number of open files: other parts of the daemon also use
		 * descriptors, and the number of mappings is limited (vm.max_map_count). */
		c->max = c->nr > 16 ? c->nr - c->nr / 8 : 16;
		make_room(c, c->nr > c->max ? c->nr - c->max : 0, e);
		err = open_file(c, e);
	}
	e->over_budget = err == OPD_ERR_OVER_BUDGET;
	if (!err)
		return;
	if (!e->over_budget)
		e->failure = opd_entries_failure(c, err);
	e->retry = now_seconds() + RETRY_SECONDS;
}

struct opd_entry *opd_entries_find(struct opd_entries *c, const struct opd_file_key *key,
				   uint64_t hash)
{
	struct opd_entry **bucket = &c->buckets[hash & (c->nr_buckets - 1)];
	struct opd_entry *e;

	for (e = *bucket; e; e = e->chain) {
		if (e->hash == hash && opd_entry_is_of(e, key)) {
			e->used = true;
			if (!e->file && now_seconds() >= e->retry)
				open_entry(c, e);
			return e;
		}
	}
	if (c->nr + c->closing.nr >= c->max)
		make_room(c, c->nr >= c->max ? c->nr - c->max + 1 : 0, NULL);
	e = aligned_alloc(OPD_CACHE_LINE,
			  (sizeof(*e) + OPD_CACHE_LINE - 1) / OPD_CACHE_LINE * OPD_CACHE_LINE);
	if (!e)
		return NULL;
	*e = (struct opd_entry){ .key = *key, .hash = hash, .chain = *bucket };
	*bucket = e;
	list_add(c, e);
	c->nr++;
	open_entry(c, e);
	return e;
}
