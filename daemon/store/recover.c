// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recover.c -- the books after a daemon was killed: what is in the sample files counts.
 */
#include "config.h"
#include "daemon/store/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/stats.h"
#include "libdb/odb.h"
#include "libop/base/dir.h"
#include "libop/session/sample_header.h"

static int sum_file(int dirfd, const char *name, uint64_t *sum)
{
	struct op_sample_header h;
	struct odb *db;
	int err, fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = pread(fd, &h, sizeof(h), 0);
	if (n != sizeof(h)) {
		err = n < 0 ? -errno : 0;	/* 0: nothing was logged in it yet */
		close(fd);
		return err;
	}
	err = odb_open(&db, fd, sizeof(h), ODB_READ, NULL);
	if (err) {
		close(fd);
		return err == ODB_ERR_EMPTY ? 0 : err;
	}
	*sum += odb_total(db);
	odb_close(db);
	return 0;
}

/* As deep as paths are; each level holds one descriptor and no large frame. */
static int sum_dir(int at, const char *name, uint64_t *sum, uint64_t *unreadable)
{
	struct dirent *d;
	DIR *dir;
	int fd, err = op_open_dir(at, name, &dir);

	if (err)
		return err;
	fd = dirfd(dir);
	while ((d = op_next_entry(dir))) {
		err = sum_dir(fd, d->d_name, sum, unreadable);
		if (err == -ENOTDIR)
			err = sum_file(fd, d->d_name, sum);
		if (err)
			++*unreadable;
	}
	closedir(dir);
	return 0;
}

int opd_recover_sum(int samples_dirfd, uint64_t *sum, uint64_t *unreadable)
{
	static const char *const tops[] = { "{root}", "{kern}" };

	*sum = *unreadable = 0;
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
		int err = sum_dir(samples_dirfd, tops[i], sum, unreadable);

		if (err && err != -ENOENT)
			return err;
	}
	return 0;
}

int opd_recover_totals(struct op_session_stats *totals, uint64_t sum, const char *loss)
{
	uint64_t stored = op_session_stats_sum(totals, OP_STAT_STORED);
	int err;

	if (sum >= stored) {
		err = op_session_stats_add(totals, "stored", sum - stored);
		return err ? err : op_session_stats_add(totals, "recovered_samples", sum - stored);
	}
	for (size_t i = 0; i < totals->nr; i++)
		if (!strcmp(totals->values[i].name, "stored"))
			totals->values[i].value = sum;
	return op_session_stats_add(totals, loss, stored - sum);
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

int opd_recover_paths(struct op_session_stats *totals, uint64_t told, uint64_t sum)
{
	uint64_t paths = op_session_stats_get(totals, "paths"), lost = op_session_stats_get(totals, "paths_lost");
	uint64_t stored = op_session_stats_sum(totals, OP_STAT_STORED), without;
	int err;

	/* Who ran without paths before has stored samples that are in no tree. */
	without = told > paths + lost ? told - paths - lost : 0;
	if (!sum && !paths && !lost)
		return 0;
	err = set(totals, "paths", sum);
	return err || stored < sum + without ? err : set(totals, "paths_lost", stored - sum - without);
}

int opd_recover_running(struct opd_stats *stats, uint64_t sum, const char *loss)
{
	uint64_t ours = stats->v[OPD_STAT_STORED];
	int err;

	stats->file_lost = stats->page_lost = false;
	if (sum >= ours)
		return opd_recover_totals(&stats->earlier, sum - ours, loss);
	err = op_session_stats_add(&stats->earlier, loss, ours - sum);
	if (!err)
		err = opd_recover_totals(&stats->earlier, 0, loss);
	if (!err)
		stats->v[OPD_STAT_STORED] = sum;
	return err;
}
