// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_file.c -- opening of a sample file: creates it, continues it, or renames the file of
 * another version of the binary.
 */
#include "config.h"
#include "daemon/store/sample_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/image/image.h"
#include "daemon/base/log.h"
#include "daemon/base/new_names.h"
#include "daemon/store/new_files.h"
#include "daemon/store/sample_path.h"
#include "daemon/base/session.h"
#include "daemon/store/stats.h"
#include "libdb/odb.h"
#include "libop/base/error.h"
#include "libop/base/owner.h"
#include "libop/session/identity.h"
#include "libop/session/sample_header.h"

#define DAMAGED		"damaged"
#define MAX_DAMAGED	1000
/* maximum number of directories per session: DIRS_PER_FILE times --max-files */
#define DIRS_PER_FILE	16

enum what {
	WHAT_NEW,		/* the file is new, or has no samples */
	WHAT_OURS,
	WHAT_OTHER_VERSION,	/* the file has samples of another version of the binary */
	/* the file has samples of another build of the binary with the same modification time; or
	 * the file of only one of the two binaries could be opened */
	WHAT_OTHER_BUILD,
	WHAT_DAMAGED,
};

/* The location of a sample file: its path below the session's directory, the directory .dirfd that
 * contains it, and its name in this directory. */
struct place {
	int current_fd, dirfd;
	const char *path, *base;
};

void opd_sample_files_init(struct opd_sample_files *f, const struct opd_config *cfg,
			   struct opd_stats *stats, struct opd_log *log, int cpu_type,
			   double cpu_mhz)
{
	memset(f, 0, sizeof(*f));
	f->cfg = cfg;
	f->stats = stats;
	f->log = log;
	f->cpu_type = cpu_type;
	f->cpu_mhz = cpu_mhz;
}

static uint64_t mtime_of(const struct opd_file_key *key)
{
	return key->image ? key->image->mtime : 0;
}

static void fill_header(const struct opd_sample_files *f, const struct opd_file_key *key,
			struct op_sample_header *h)
{
	const struct op_event_spec *event = &f->cfg->events[key->event];

	op_sample_header_init(h);
	h->cpu_type = f->cpu_type;
	h->ctr_event = f->cfg->plan.choices ? f->cfg->plan.choices[key->event].event->code : 0;
	h->ctr_um = event->um;
	h->ctr_count = event->count;
	h->is_kernel = key->kimage != NULL;
	h->cpu_speed = f->cpu_mhz;
	h->mtime = mtime_of(key);
	if (key->image) {
		h->build = key->image->identity.build;
		h->owner = key->image->identity.owner;
	}
	h->anon_start = key->anon_label ? key->anon_start : 0;
}

static bool may_make(const struct opd_sample_files *f)
{
	return f->made < f->cfg->set.max_files &&
	       f->made_dirs < f->cfg->set.max_files * DIRS_PER_FILE;
}

/* Open the directory that contains a sample file. Create missing directories only if the user's
 * budget of new files allows the file. */
static int open_parent(struct opd_sample_files *f, int current_fd, const struct opd_file_key *key,
		       const char *path, const char **base)
{
	unsigned long before = f->made_dirs;
	struct opd_new_files_user *user;
	int fd;

	if (!f->budget)
		return opd_open_parent(current_fd, path, base, &f->made_dirs);
	fd = opd_open_parent(current_fd, path, base, NULL);
	if (fd != -ENOENT)
		return fd;
	user = opd_new_files_user(f->budget, key);
	if (!opd_new_files_may(f->budget, user))
		return OPD_ERR_OVER_BUDGET;
	fd = opd_open_parent(current_fd, path, base, &f->made_dirs);
	opd_new_files_spend(user, f->made_dirs - before);
	return fd;
}

/* Open or create a sample file. Set *@made to true if the file was created. Return a descriptor or
 * a negative errno. */
static int open_or_make(struct opd_sample_files *f, const struct opd_file_key *key, int dirfd,
			const char *base, bool *made)
{
	struct opd_new_files_user *user;
	const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	int fd = openat(dirfd, base, flags);

	*made = false;
	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	if (!may_make(f))
		return OPD_ERR_TOO_MANY_FILES;
	user = opd_new_files_user(f->budget, key);
	if (!opd_new_files_may(f->budget, user))
		return OPD_ERR_OVER_BUDGET;
	fd = opd_make_file(dirfd, base, flags);
	if (fd < 0)
		return -errno;
	*made = true;
	f->made++;
	opd_new_files_spend(user, 0);
	return fd;
}

/*
 * Compare the header of a sample file with @key. @version: the file's name includes this version;
 * if it identifies a build, do not compare modification times. Return an enum what; for
 * WHAT_OTHER_VERSION, set *@other to the version in the header. Return a negative errno if the file
 * could not be read, which does not mean that it is damaged.
 */
static int compare_header(int fd, const struct opd_file_key *key, uint64_t version, uint64_t *other)
{
	uint64_t mtime = version & OP_VERSION_BUILD ? 0 : mtime_of(key);
	uint32_t build = key->image ? key->image->identity.build : 0;
	static const struct op_sample_header zero;
	struct op_sample_header h;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !op_owner_trusted(st.st_uid))
		return WHAT_DAMAGED;
	n = pread(fd, &h, sizeof(h), 0);
	if (n < 0)
		return -errno;
	if (n == 0 || (n == sizeof(h) && !memcmp(&h, &zero, sizeof(h))))
		return WHAT_NEW;
	if (n != sizeof(h) || op_sample_header_check(&h))
		return WHAT_DAMAGED;
	if (mtime && h.mtime && h.mtime != mtime) {
		*other = h.mtime;
		return WHAT_OTHER_VERSION;
	}
	if (build && h.build && h.build != build)
		return WHAT_OTHER_BUILD;
	/* A binary that could not be opened may be another binary. */
	if ((build || mtime_of(key)) != (h.build || h.mtime))
		return WHAT_OTHER_BUILD;
	return WHAT_OURS;
}

/* Move a damaged file to the directory damaged/, which reports ignore. */
static int set_aside(struct opd_sample_files *f, const struct place *at)
{
	char name[512];
	int made, err = -EEXIST;
	int damaged_fd = opd_open_dir_at(at->current_fd, DAMAGED, 0755, &made);

	if (damaged_fd < 0)
		return damaged_fd;
	for (int i = 1; i <= MAX_DAMAGED && err == -EEXIST; i++) {
		snprintf(name, sizeof(name), "%d.%.300s", i, at->base);
		err = renameat2(at->dirfd, at->base, damaged_fd, name, RENAME_NOREPLACE) < 0
			      ? -errno
			      : 0;
	}
	close(damaged_fd);
	if (err)
		return err;
	f->stats->v[OPD_STAT_SET_ASIDE]++;
	f->stats->file_lost = true;
	opd_log(f->log, OPD_WARN,
		"%s was damaged beyond repair: moved it to " DAMAGED "/%s, and began a new file",
		at->path, name);
	return 0;
}

/* Rename a sample file from its plain name to the name that includes @version. */
static int move_version(struct opd_sample_files *f, const struct place *at,
			const struct opd_file_key *key, uint64_t version)
{
	const char *to_base;
	char *to;
	int to_fd, err;

	err = opd_sample_path(&to, key, &f->cfg->events[key->event], version);
	if (err)
		return err;
	to_fd = opd_open_parent(at->current_fd, to, &to_base, &f->made_dirs);
	if (to_fd < 0) {
		err = to_fd;
		goto free_path;
	}
	if (renameat2(at->dirfd, at->base, to_fd, to_base, RENAME_NOREPLACE) < 0) {
		err = -errno;
	} else {
		f->stats->v[OPD_STAT_VERSIONS]++;
		opd_log(f->log, OPD_WARN,
			"%s: the profiled binary was replaced; samples of the older binary are "
			"now in %s",
			at->path, to);
	}
	close(to_fd);
free_path:
	free(to);
	return err;
}

/* Open the database in the sample file @fd. On success the database owns @fd; on failure @fd is
 * closed. */
static int attach(struct opd_opened *ret, struct opd_sample_files *f,
		  const struct opd_file_key *key, int fd, bool is_new, const char *path)
{
	struct odb_repair repair = { 0 };
	struct stat st;
	struct odb *db;
	int err;

	if (fstat(fd, &st) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	db = f->find_open ? f->find_open(f->find_open_arg, st.st_dev, st.st_ino) : NULL;
	if (db) {
		close(fd);
		*ret = (struct opd_opened){ db, st.st_dev, st.st_ino, true };
		return 0;
	}
	err = odb_open(&db, fd, sizeof(struct op_sample_header), ODB_WRITE, &repair);
	if (err) {
		close(fd);
		return err;
	}
	if (repair.repaired || repair.dropped_nodes) {
		f->stats->v[OPD_STAT_REPAIRED]++;
		f->stats->file_lost = true;
		opd_log(f->log, OPD_WARN, "%s was inconsistent and has been repaired; %llu "
			"invalid entries were removed", path,
			(unsigned long long)repair.dropped_nodes);
	}
	if (is_new)
		fill_header(f, key, odb_header(db));
	*ret = (struct opd_opened){ db, st.st_dev, st.st_ino, false };
	return 0;
}

/* Try to open the sample file. Return 0 on success, or a negative errno. Return 1 if the existing
 * file was renamed: the next attempt then creates a new file. */
static int try_to_open(struct opd_opened *ret, struct opd_sample_files *f, const struct place *at,
		       const struct opd_file_key *key, uint64_t version)
{
	uint64_t mtime = mtime_of(key), other = 0;
	bool made;
	int fd = open_or_make(f, key, at->dirfd, at->base, &made), what, err;

	if (fd < 0 && fd != -ELOOP && fd != -EISDIR && fd != -ENXIO)
		return fd;
	what = fd < 0 ? WHAT_DAMAGED : compare_header(fd, key, version, &other);
	if (made)
		opd_log(f->log, OPD_DEBUG, "new sample file %s", at->path);
	if (what == WHAT_NEW || what == WHAT_OURS) {
		err = attach(ret, f, key, fd, what == WHAT_NEW, at->path);
		if (err && made)
			unlinkat(at->dirfd, at->base, 0);
		if (!err && what == WHAT_NEW)
			opd_new_names_add(f->names, at->path);
		if (err != ODB_ERR_FORMAT && err != ODB_ERR_TRUNCATED)
			return err;
	} else if (fd >= 0) {
		close(fd);
	}
	if (what < 0)
		return what;
	if (what == WHAT_OTHER_BUILD)
		return -ENOTUNIQ;
	if (what == WHAT_OTHER_VERSION && (other > mtime || version))
		return -EEXIST;
	err = what == WHAT_OTHER_VERSION ? move_version(f, at, key, other) : set_aside(f, at);
	return err ? err : 1;
}

/* Return true if the error @err is logged with the path of the sample file. For other errors, the
 * lost samples are only counted. */
static bool is_logged(int err)
{
	return err != -EEXIST && err != -ENOTUNIQ && err != OPD_ERR_TOO_MANY_FILES &&
	       err != OPD_ERR_OVER_BUDGET && err != -ENOSPC && err != -EDQUOT && err != -EMFILE &&
	       err != -ENFILE;
}

static int open_version(struct opd_opened *ret, struct opd_sample_files *f, int current_fd,
			const struct opd_file_key *key, uint64_t version)
{
	struct place at = { .current_fd = current_fd };
	char *path;
	int err;

	err = opd_sample_path(&path, key, &f->cfg->events[key->event], version);
	if (err) {
		opd_log(f->log, OPD_ERROR, "cannot name a sample file of %s: %s",
			key->image ? key->image->path : key->anon_label ? key->anon_label :
			"the kernel", op_strerror(err));
		return err;
	}
	at.path = path;
	at.dirfd = err = open_parent(f, current_fd, key, path, &at.base);
	if (at.dirfd >= 0) {
		err = try_to_open(ret, f, &at, key, version);
		if (err > 0)
			err = try_to_open(ret, f, &at, key, version);
		if (err > 0)
			/* the existing file was renamed twice: another program keeps creating files
			 * at this path */
			err = -EBUSY;
		close(at.dirfd);
	}
	if (err && is_logged(err))
		opd_log(f->log, OPD_ERROR, "cannot open sample file %s: %s", path,
			odb_strerror(err));
	free(path);
	return err;
}

int opd_sample_file_open(struct opd_opened *ret, struct opd_sample_files *f, int current_fd,
			 const struct opd_file_key *key)
{
	int err;

	if (f->made_dirs >= f->cfg->set.max_files * DIRS_PER_FILE)
		return OPD_ERR_TOO_MANY_FILES;
	err = open_version(ret, f, current_fd, key, 0);
	/* The file with the plain name has samples of a newer version of the binary: use the name
	 * that includes the version of this binary. */
	if (err == -EEXIST && mtime_of(key))
		err = open_version(ret, f, current_fd, key, mtime_of(key));
	/* Build 0 stands for all binaries that could not be opened. */
	if (err == -ENOTUNIQ && key->image)
		err = open_version(ret, f, current_fd, key,
				   key->image->identity.build || !mtime_of(key) ?
				   OP_VERSION_BUILD | key->image->identity.build : mtime_of(key));
	if (!err && f->images && key->image)
		opd_images_use(f->images, key->image);
	return err;
}
