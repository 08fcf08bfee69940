// SPDX-License-Identifier: GPL-2.0-or-later
/* recover.c -- correction of a session's totals by the sums of the samples in its files. */
#include "config.h"
#include "libop/session/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "libdb/tree.h"
#include "libop/base/dir.h"
#include "libop/base/error.h"
#include "libop/session/path_files.h"
#include "libop/session/sample_header.h"

static int sum_file(int dirfd, const char *name, struct op_session_sums *sums)
{
	struct op_sample_header h;
	struct odb *db;
	int err, fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = pread(fd, &h, sizeof(h), 0);
	if (n != sizeof(h)) {
		/* the daemon has created this file, but not written to it yet: the file contains no
		 * samples */
		err = n < 0 ? -errno : 0;
		close(fd);
		return err;
	}
	err = odb_open(&db, fd, sizeof(h), ODB_READ, NULL);
	if (err) {
		close(fd);
		return err == ODB_ERR_EMPTY ? 0 : err;
	}
	sums->stored += odb_total(db);
	odb_close(db);
	return 0;
}

/* Add the samples of a tree of call paths to @sums. A tree that cannot be read adds 0: its samples
 * are counted as "paths_lost". */
static int sum_tree(int dirfd, const char *name, struct op_session_sums *sums)
{
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), err;
	struct tree_totals totals;
	struct tree *t;

	if (fd < 0)
		return 0;
	err = tree_open(&t, fd, ODB_READ, 0);
	if (err) {
		close(fd);
		return 0;
	}
	if (!tree_totals(t, &totals))
		sums->paths += totals.count + totals.orphan_count;
	tree_close(t);
	return 0;
}

struct kind {
	const char *tops[3];
	const char *dir;	/* name of directories to skip, or NULL */
	const char *ending;	/* end of the names of files to skip, or NULL */
	int (*sum)(int dirfd, const char *name, struct op_session_sums *sums);
};

/* Skip files below directories {cg}. Their counts are derived from trees of call paths, so their
 * samples would be counted twice. */
static const struct kind kinds[] = {
	{ { "{root}", "{kern}", "{unit}" }, "{cg}", NULL, sum_file },
	{ { OP_PATHS_DIR "/root", OP_PATHS_DIR "/kern", OP_PATHS_DIR "/unit" }, NULL,
	  OP_TREE_ASIDE, sum_tree },
};

static bool ends_with(const char *name, const char *ending)
{
	size_t len = strlen(name), end_len = strlen(ending);

	return len >= end_len && !strcmp(name + len - end_len, ending);
}

/* Add the samples of all files in a directory and its subdirectories. The function calls itself for
 * each level of directories, and needs one descriptor and a small stack frame for each level. */
static int sum_dir(const struct kind *kind, int at, const char *name, struct op_session_sums *sums)
{
	struct dirent *d;
	DIR *dir;
	int fd, err = op_open_dir(at, name, &dir);

	if (err)
		return err;
	fd = dirfd(dir);
	while ((d = op_next_entry(dir))) {
		if (kind->dir && !strcmp(d->d_name, kind->dir))
			continue;
		err = sum_dir(kind, fd, d->d_name, sums);
		if (err == -ENOTDIR)
			err = kind->ending && ends_with(d->d_name, kind->ending) ?
				      0 : kind->sum(fd, d->d_name, sums);
		if (err)
			sums->unreadable++;
	}
	closedir(dir);
	return 0;
}

int op_session_sums_read(struct op_session_sums *ret, int samples_dirfd)
{
	*ret = (struct op_session_sums){
		.has_paths = !faccessat(samples_dirfd, OP_PATHS_DIR, F_OK, AT_SYMLINK_NOFOLLOW),
	};
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (size_t i = 0; i < 3; i++) {
			int err = sum_dir(&kinds[k], samples_dirfd, kinds[k].tops[i], ret);

			if (err && err != -ENOENT)
				return err;
		}
	}
	return 0;
}

static int set(struct op_session_stats *totals, const char *name, uint64_t value)
{
	for (size_t i = 0; i < totals->nr; i++) {
		if (!strcmp(totals->values[i].name, name)) {
			totals->values[i].value = value;
			return 0;
		}
	}
	return op_session_stats_add(totals, name, value);
}

int op_recover_stored(struct op_session_stats *totals, uint64_t sum, const char *more,
		      const char *fewer)
{
	uint64_t stored = op_session_stats_sum(totals, OP_STAT_STORED);
	int err;

	if (sum >= stored) {
		err = op_session_stats_add(totals, "stored", sum - stored);
		return err ? err : op_session_stats_add(totals, more, sum - stored);
	}
	err = set(totals, "stored", sum);
	return err ? err : op_session_stats_add(totals, fewer, stored - sum);
}

int op_recover_wakers(struct op_session_stats *totals, uint64_t sum, const char *more,
		      const char *fewer)
{
	const uint64_t before = op_session_stats_get(totals, "wakers");
	int err;

	if (sum == before)
		return 0;
	err = set(totals, "wakers", sum);
	if (err)
		return err;
	return sum > before ? op_session_stats_add(totals, more, sum - before) :
			      op_session_stats_add(totals, fewer, before - sum);
}

int op_recover_paths(struct op_session_stats *totals, uint64_t stored_before,
		     const struct op_session_sums *sums)
{
	uint64_t paths = op_session_stats_get(totals, "paths"),
		 lost = op_session_stats_get(totals, "paths_lost");
	uint64_t stored = op_session_stats_sum(totals, OP_STAT_STORED), without;
	int err;

	without = stored_before > paths + lost ? stored_before - paths - lost : 0;
	if (!sums->has_paths && !paths && !lost)
		return 0;
	err = set(totals, "paths", sums->paths);
	return err || stored < sums->paths + without ?
		       err :
		       set(totals, "paths_lost", stored - sums->paths - without);
}

static int correct(struct op_session_stats *totals, const struct op_session_recovered *r)
{
	int err = op_session_stats_add(totals, r->writer.pid ? "daemon_killed" : "totals_damaged",
				       1);

	if (!err)
		err = op_recover_stored(totals, r->sums.stored, "recovered_samples", "lost_crash");
	return err ? err : op_recover_paths(totals, r->stored_before, &r->sums);
}

int op_session_recover(int samples_dirfd, bool locked, struct op_session_recovered *ret)
{
	struct op_session_stats totals = { 0 };
	struct op_session_recovered r = { .stored_before = 0 };
	int err = op_session_stats_read(&totals, samples_dirfd);
	bool damaged = err == OP_ERR_DAMAGED;

	if (err && !damaged)
		return err == -ENOENT ? 0 : err;
	err = 0;
	r.writer = totals.writer;
	r.stored_before = op_session_stats_sum(&totals, OP_STAT_STORED);
	if (!r.writer.pid && !damaged)
		goto release_totals;
	if (r.writer.pid && !locked && op_session_writer_lives(&r.writer))
		err = -EBUSY;
	else
		err = op_session_sums_read(&r.sums, samples_dirfd);
	if (!err)
		err = correct(&totals, &r);
	totals.writer = (struct op_session_writer){ 0 };
	if (!err)
		err = op_session_stats_write(&totals, samples_dirfd);
	if (!err) {
		*ret = r;
		err = 1;
	}
release_totals:
	op_session_stats_release(&totals);
	return err;
}
