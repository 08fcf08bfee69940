// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_list.c -- opcontrol --list-sessions: lists the sessions of a session directory.
 */
#include "config.h"
#include "utils/opcontrol/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/session/identity.h"
#include "libop/session/paths.h"
#include "libop/session/stats.h"

struct session {
	uint64_t bytes, files;
	/* times of the session's first and last sample file; 0: the session has no sample file */
	time_t first, last;
	uint64_t samples;
	bool has_stats;
};

static int is_session(const struct dirent *entry)
{
	return !strcmp(entry->d_name, "current") || op_session_name_ok(entry->d_name);
}

static void add_time(struct session *s, time_t t)
{
	if (!s->first || t < s->first)
		s->first = t;
	if (t > s->last)
		s->last = t;
}

/*
 * Add a file to the size of the session, and extend the session's times by the file's time. The
 * time of a file is its modification time, which a copy of the session preserves. The time of the
 * session's directory is its birth time, if the file system records it.
 */
static void read_file(struct session *s, const FTSENT *e)
{
	struct statx sx;

	if (e->fts_info == FTS_D && e->fts_level == 0 &&
	    statx(AT_FDCWD, e->fts_accpath, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &sx) == 0 &&
	    sx.stx_mask & STATX_BTIME)
		add_time(s, sx.stx_btime.tv_sec);
	if (e->fts_info == FTS_F) {
		s->files++;
		add_time(s, e->fts_statp->st_mtime);
	}
	if (e->fts_info == FTS_F || e->fts_info == FTS_D)
		s->bytes += (uint64_t)e->fts_statp->st_blocks * 512;
}

static int read_files(struct session *s, const char *dir)
{
	char *const paths[] = { (char *)dir, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_XDEV, NULL);

	if (!fts)
		return -errno;
	for (FTSENT *e; (e = fts_read(fts));)
		read_file(s, e);
	fts_close(fts);
	return 0;
}

static int read_session(struct session *s, const char *dir)
{
	struct op_session_stats stats = { 0 };
	int fd, err = read_files(s, dir);

	if (err)
		return err;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	s->has_stats = op_session_stats_read(&stats, fd) == 0;
	s->samples = op_session_stats_sum(&stats, OP_STAT_STORED);
	op_session_stats_release(&stats);
	close(fd);
	return 0;
}

static void print_bytes(FILE *out, uint64_t bytes)
{
	static const char units[][3] = { "kB", "MB", "GB", "TB" };
	double n = (double)bytes / 1024;
	size_t unit = 0;

	while (n >= 1000 && unit < 3) {
		n /= 1024;
		unit++;
	}
	fprintf(out, "%8.*f %s", n < 10 && unit ? 1 : 0, n, units[unit]);
}

static void print_time(FILE *out, time_t t)
{
	char text[32] = "?";
	struct tm tm;

	if (t && localtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm);
	fprintf(out, "  %-16s", text);
}

static void print(FILE *out, const char *name, const struct session *s)
{
	if (s->has_stats)
		fprintf(out, "%12" PRIu64, s->samples);
	else
		/* a session of OProfile 1.4 has no file with the number of samples */
		fprintf(out, "%12s", "?");
	print_bytes(out, s->bytes);
	print_time(out, s->first);
	print_time(out, s->last);
	fprintf(out, "  %s\n", name);
}

/* Return whether the directory @dir contains sample files and so is a session. */
static bool has_samples(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int has = fd < 0 ? 0 : op_session_has_samples(fd);

	if (fd >= 0)
		close(fd);
	return has > 0;
}

/* Print the size of the directories that all sessions share, such as symbol tables. */
static int print_shared(FILE *out, const char *samples)
{
	static const struct { const char *dir, *what; } shared[] = {
		{ OP_TABLES_DIR, "symbol tables of binaries" }, { OP_SESSION_UNWIND_DIR, "tables to walk stacks by" },
	};

	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		struct session s = { 0 };
		char *dir;

		if (asprintf(&dir, "%s/%s", samples, shared[i].dir) < 0)
			return -ENOMEM;
		if (!read_files(&s, dir) && s.files) {
			fprintf(out, "%12s", "");
			print_bytes(out, s.bytes);
			fprintf(out, "  %s, for all sessions (%s)\n", shared[i].what, shared[i].dir);
		}
		free(dir);
	}
	return 0;
}

int ctl_session_list(FILE *out, const char *session_dir, struct op_reason *error)
{
	struct dirent **entries = NULL;
	char *samples = NULL, *dir;
	int nr, listed = 0, err = 0;

	if (asprintf(&samples, "%s/samples", session_dir) < 0)
		return -ENOMEM;
	nr = scandir(samples, &entries, is_session, alphasort);
	if (nr < 0 && errno != ENOENT)
		err = op_fail(error, -errno, "cannot read %s: %s%s", samples, strerror(errno),
			      errno == EACCES ? "; only root and a group may read it, which root chooses "
						"with opcontrol --group=NAME" : "");
	for (int i = 0; i < nr; i++) {
		struct session s = { 0 };

		if (!err && asprintf(&dir, "%s/%s", samples, entries[i]->d_name) >= 0) {
			if (has_samples(dir) && read_session(&s, dir) == 0) {
				if (!listed++)
					fprintf(out, "%12s%11s  %-16s  %-16s  %s\n", "samples", "size", "from",
						"to", "session");
				print(out, entries[i]->d_name, &s);
			}
			free(dir);
		}
		free(entries[i]);
	}
	free(entries);
	if (!err && listed)
		err = print_shared(out, samples);
	free(samples);
	if (!err && !listed)
		fprintf(out, "%s has no samples.\n", session_dir);
	return err;
}
