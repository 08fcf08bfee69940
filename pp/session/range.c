// SPDX-License-Identifier: GPL-2.0-or-later
/* range.c -- ranges of time: choice and sum of the intervals of a host. */
#include "config.h"
#include "pp/session/range.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "intervals/file.h"
#include "intervals/merge.h"
#include "intervals/session.h"
#include "intervals/store.h"
#include "libop/base/cache_dir.h"
#include "libop/base/dir.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/session/about.h"
#include "libop/session/files.h"
#include "libop/session/identity.h"
#include "pp/session/periods.h"

#define RANGES_DIR	"ranges"	/* in the user's cache */
#define LOCK_FILE	"lock"
#define MAX_TRIES	20		/* times that the intervals are read again after a change */
#define MAX_INTERVAL	(4ull << 30)	/* bytes of memory of an interval */
#define MAX_KERNEL	(256u << 20)	/* bytes of kernel symbols */
#define NANO		1000000000ll

static bool is_asked(const struct pp_range *range, int64_t begin, int64_t end)
{
	return pp_periods_overlap(range->asked, range->nr_asked, begin, end);
}

static int add_part(struct pp_range *range, int64_t begin, int64_t end, unsigned int step)
{
	if (op_grow(&range->parts, range->nr_parts))
		return -ENOMEM;
	range->parts[range->nr_parts++] = (struct pp_range_part){ begin, end, step };
	return 0;
}

static int add_gap(struct pp_range *range, int64_t from_ns, int64_t to_ns, const char *reason)
{
	struct itv_gap gap = { from_ns, to_ns, strdup(reason) };

	if (!gap.reason || op_grow(&range->gaps, range->nr_gaps)) {
		free(gap.reason);
		return -ENOMEM;
	}
	range->gaps[range->nr_gaps++] = gap;
	return 0;
}

static int add_samples_dir(struct pp_range *range, char *path)
{
	if (!path || op_grow(&range->samples_dirs, range->nr_samples_dirs)) {
		free(path);
		return -ENOMEM;
	}
	range->samples_dirs[range->nr_samples_dirs++] = path;
	return 0;
}

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* Delete the temporary directory @name in @ranges, if no process uses it. */
static void delete_unused(int ranges, const char *name)
{
	int dir = openat(ranges, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int lock = dir < 0 ? -1 : openat(dir, LOCK_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool is_used = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB);

	if (dir >= 0 && !is_used && !op_empty_dir(dir))
		unlinkat(ranges, name, AT_REMOVEDIR);
	if (lock >= 0)
		close(lock);
	if (dir >= 0)
		close(dir);
}

/* Delete what killed reports have left. A directory without a lock file may be a new one. */
static void delete_left(int ranges)
{
	struct dirent *d;
	struct stat st;
	char lock[64];
	DIR *dir;

	if (op_open_dir(ranges, ".", &dir))
		return;
	while ((d = op_next_entry(dir))) {
		snprintf(lock, sizeof(lock), "%.32s/" LOCK_FILE, d->d_name);
		if (!fstatat(ranges, lock, &st, AT_SYMLINK_NOFOLLOW))
			delete_unused(ranges, d->d_name);
	}
	closedir(dir);
}

/* Open the directory @path in memory, and make it if it is missing. Others may have made it first,
 * because everybody may write to its parent. Return a descriptor or a negative errno. */
static int open_private(const char *path)
{
	struct statfs fs;
	struct stat st;
	int fd;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077) &&
	    !fstatfs(fd, &fs) && fs.f_type == TMPFS_MAGIC)
		return fd;
	close(fd);
	return -EPERM;
}

/* Open the directory for temporary sessions in memory: a session has a thousand small files. */
static int open_in_memory(char **path)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int fd = -ENOENT;

	*path = NULL;
	if (runtime && *runtime == '/' && asprintf(path, "%s/oprofile-ranges", runtime) < 0)
		return -ENOMEM;
	if (*path)
		fd = open_private(*path);
	if (fd >= 0)
		return fd;
	free(*path);
	if (asprintf(path, "/dev/shm/oprofile-ranges-%u", (unsigned int)geteuid()) < 0)
		return -ENOMEM;
	fd = open_private(*path);
	if (fd < 0) {
		free(*path);
		*path = NULL;
	}
	return fd;
}

static int open_in_cache(char **path)
{
	char *cache = op_cache_dir();
	int fd, made, ret;

	if (!cache)
		return -ENOENT;
	fd = op_cache_dir_open(cache);
	*path = fd < 0 ? NULL : join(cache, RANGES_DIR);
	free(cache);
	if (fd < 0)
		return fd;
	made = mkdirat(fd, RANGES_DIR, 0700);
	ret = made && errno != EEXIST ? -errno :
	      openat(fd, RANGES_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ret == -1)
		ret = -errno;
	close(fd);
	return *path || ret < 0 ? ret : -ENOMEM;
}

/* Let the tables of @samples be found beside the temporary samples directories. */
static void link_tables(int samples_fd, const char *samples)
{
	static const char *const names[] = {
		OP_TABLES_DIR, OP_CACHE_LINK, OP_SESSION_UNWIND_DIR, ITV_STORE_DIR,
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = join(samples, names[i]), *real = path ? realpath(path, NULL) : NULL;

		if (real && symlinkat(real, samples_fd, names[i]))
			errno = 0;	/* reports work without the tables */
		free(real);
		free(path);
	}
}

/* Make the temporary directory, with its lock and its directory samples. Return a descriptor of
 * samples or a negative errno. */
static int make_dir(struct pp_range *range, const char *samples)
{
	char *parent = NULL, name[32];
	int ranges = range->is_memory_full ? -ENOSPC : open_in_memory(&parent), dir, ret;

	if (ranges < 0)
		ranges = open_in_cache(&parent);
	if (ranges < 0)
		return ranges;
	delete_left(ranges);
	snprintf(name, sizeof(name), "%d-%lld", (int)getpid(), (long long)time(NULL));
	for (int i = 0; i < 100 && mkdirat(ranges, name, 0700); i++)
		snprintf(name, sizeof(name), "%d-%lld-%d", (int)getpid(), (long long)time(NULL), i);
	range->dir = join(parent, name);
	free(parent);
	dir = openat(ranges, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(ranges);
	if (dir < 0 || !range->dir)
		return dir < 0 ? -errno : -ENOMEM;
	range->lock_fd = openat(dir, LOCK_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (range->lock_fd < 0 || flock(range->lock_fd, LOCK_EX | LOCK_NB) ||
	    mkdirat(dir, "samples", 0700))
		ret = -errno;
	else
		ret = openat(dir, "samples", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ret == -1)
		ret = -errno;
	close(dir);
	if (ret >= 0)
		link_tables(ret, samples);
	return ret;
}

static int keep_gaps(struct pp_range *range, const struct itv *v)
{
	int err = 0;

	for (size_t i = 0; i < v->accounting.nr_gaps && !err; i++) {
		const struct itv_gap *gap = &v->accounting.gaps[i];

		if (is_asked(range, gap->from_ns / NANO, gap->to_ns / NANO + 1))
			err = add_gap(range, gap->from_ns, gap->to_ns, gap->reason);
	}
	return err;
}

/* A place that has samples of the range. */
struct place {
	char name[ITV_NAME_SIZE];	/* in its directory */
	int dirfd;			/* borrowed */
	int64_t begin, end;
	unsigned int step;
	uint32_t kernel;
	bool is_session, is_live;
};

struct places {
	struct place *items;		/* in order of time; the last is the current session */
	size_t nr;
};

static int add_place(struct places *places, const struct place *place)
{
	if (op_grow(&places->items, places->nr))
		return -ENOMEM;
	places->items[places->nr++] = *place;
	return 0;
}

static int open_place(const struct place *place)
{
	int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
		    (place->is_session ? O_DIRECTORY : O_NOCTTY);
	int fd = openat(place->dirfd, place->name, flags);

	/* The daemon has packed, merged or deleted it: read the store again. */
	return fd >= 0 ? fd : errno == ENOENT ? -EAGAIN : -errno;
}

/* Return whether the place still has its name. The daemon renames a session before it deletes the
 * session, so what was read until now is complete. */
static bool is_there(const struct place *place, int fd)
{
	struct stat opened, now;

	return fd >= 0 && !fstat(fd, &opened) &&
	       !fstatat(place->dirfd, place->name, &now, AT_SYMLINK_NOFOLLOW) &&
	       opened.st_dev == now.st_dev && opened.st_ino == now.st_ino;
}

/* @parts: parts of a packed interval to read, bits of enum itv_file_parts. */
static int read_place(struct itv *v, const struct place *place, unsigned int parts)
{
	int fd = open_place(place), err;

	if (fd < 0)
		return fd;
	if (place->is_session)
		err = itv_pack(v, fd, place->is_live);
	else
		err = itv_file_read(v, fd, parts, MAX_INTERVAL);
	if (place->is_session && !is_there(place, fd)) {
		itv_release(v);
		err = -EAGAIN;
	}
	close(fd);
	return err;
}

static void add_precision(struct pp_range *range, const struct itv_accounting *part)
{
	if (part->precision > range->precision)
		range->precision = part->precision;
	range->paths += part->paths;
	range->folded += part->folded;
}

/* Read a place, and note its time and its gaps. A damaged place becomes a gap. Return 0, 1 for a
 * damaged place, or a negative errno; only after 0 there is something to release. */
static int read_part(struct pp_range *range, struct itv *v, const struct place *place,
		     unsigned int parts, struct pp_log *log)
{
	int err = read_place(v, place, parts);

	if (err && err != -ENOMEM && err != -EAGAIN) {
		pp_warn(log, "%s: %s; its samples are left out", place->name, itv_strerror(err));
		err = add_gap(range, place->begin * NANO, place->end * NANO, "damaged");
		return err ? err : 1;
	}
	if (err)
		return err;
	err = keep_gaps(range, v);
	if (!err)
		err = add_part(range, place->begin, place->end, place->step);
	if (err)
		itv_release(v);
	else
		add_precision(range, &v->accounting);
	return err;
}

/* Add up the places with @kernel. *@sum is zeroed before. */
static int add_up(struct pp_range *range, const struct places *places, uint32_t kernel,
		  struct itv *sum, struct pp_log *log)
{
	bool is_first = true;
	int err = 0;

	for (size_t i = 0; i < places->nr && !err; i++) {
		const struct place *place = &places->items[i];
		struct itv part = { .nr_images = 0 };

		if (place->kernel != kernel)
			continue;
		err = read_part(range, &part, place, ITV_READ_ALL, log);
		if (err > 0) {
			err = 0;
			continue;
		}
		if (!err && is_first) {
			*sum = part;
			is_first = false;
			continue;
		}
		if (!err)
			err = itv_merge(sum, &part, NULL);
		itv_release(&part);
	}
	return err;
}

/* Give the places one by one to @visitor. */
static int visit_places(struct pp_range *range, const struct places *places,
			const struct pp_range_visitor *visitor, struct pp_log *log)
{
	int err = 0;

	for (size_t i = 0; i < places->nr && err >= 0; i++) {
		struct itv v = { .nr_images = 0 };

		err = read_part(range, &v, &places->items[i], ITV_READ_CELLS, log);
		if (!err)
			err = visitor->part(visitor->arg, &v, &range->parts[range->nr_parts - 1]);
		itv_release(&v);
	}
	return err < 0 ? err : 0;
}

/* Write the kernel symbols of the sum: those of the store, or of a session that is not packed. */
static int export_kernel(const struct places *places, uint32_t kernel, int store, int to)
{
	int err = itv_store_kernel_export(kernel, store, to);

	for (size_t i = places->nr; i-- > 0 && err == -ENOENT;) {
		const struct place *place = &places->items[i];
		char *text;
		size_t len;
		int fd;

		if (!place->is_session || place->kernel != kernel)
			continue;
		fd = open_place(place);
		if (fd < 0)
			return fd;
		err = op_read_file(fd, OP_KERNEL_SYMS_FILE, MAX_KERNEL, &text, &len);
		close(fd);
		if (err)
			continue;
		err = op_replace_file_nowait(to, OP_KERNEL_SYMS_FILE, text, len, 0600);
		free(text);
	}
	return err == -ENOENT ? 0 : err;
}

/* Open the directory of the temporary samples directories; make it at first. */
static int open_samples(struct pp_range *range, const char *samples)
{
	char *path;
	int fd;

	if (!range->dir)
		return make_dir(range, samples);
	path = join(range->dir, "samples");
	if (!path)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	return fd < 0 ? -errno : fd;
}

/* Write the sum of the places with @kernel to a new samples directory. */
static int export(struct pp_range *range, const struct itv *sum, const struct places *places,
		  int store, uint32_t kernel, const char *samples)
{
	int samples_fd = open_samples(range, samples), fd = -1, err = 0;
	char name[32], *path;

	if (samples_fd < 0)
		return samples_fd;
	snprintf(name, sizeof(name), "range-%08x", (unsigned int)kernel);
	if (!mkdirat(samples_fd, name, 0700))
		fd = openat(samples_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		err = -errno;
	close(samples_fd);
	if (!err)
		err = itv_export(sum, fd);
	if (!err && kernel)
		err = export_kernel(places, kernel, store, fd);
	if (fd >= 0)
		close(fd);
	if (err)
		return err;
	return asprintf(&path, "%s/samples/%s", range->dir, name) < 0 ?
		       -ENOMEM : add_samples_dir(range, path);
}

static bool is_first_of_kernel(const struct places *places, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (places->items[i].kernel == places->items[at].kernel)
			return false;
	return true;
}

static int read_places(struct pp_range *range, const struct places *places, int store,
		       const char *samples, struct pp_log *log)
{
	int err = 0;

	for (size_t i = 0; i < places->nr && !err; i++) {
		struct itv sum = { .nr_images = 0 };
		size_t before = range->nr_parts;

		if (!is_first_of_kernel(places, i))
			continue;
		err = add_up(range, places, places->items[i].kernel, &sum, log);
		if (!err && range->nr_parts > before)
			err = export(range, &sum, places, store, places->items[i].kernel, samples);
		itv_release(&sum);
	}
	return err;
}

/* Find the times of the current session. Return false if it has no samples. */
static bool current_times(struct place *place, int fd)
{
	struct op_session_about about = { .begun = 0 };
	struct op_session_stats stats = { 0 };

	if (op_session_has_samples(fd) <= 0)
		return false;
	op_session_about_read(&about, fd);
	op_session_stats_read(&stats, fd);
	place->is_live = stats.writer.pid && op_session_writer_lives(&stats.writer);
	op_session_stats_release(&stats);
	/* A recorded stream has no times of its own. */
	place->begin = about.begun ? about.begun : (int64_t)time(NULL) - 1;
	place->end = place->is_live || !about.ended ? (int64_t)time(NULL) : about.ended;
	if (place->end <= place->begin)
		place->end = place->begin + 1;
	return true;
}

/* Add a samples directory that is not packed, if it is asked for. */
static int add_session(const struct pp_range *range, struct places *places, struct place *place,
		       bool is_current)
{
	int fd = open_place(place), err = 0;
	bool is_wanted;

	if (fd < 0)
		/* A copied store has no current session. */
		return is_current && fd == -EAGAIN ? 0 : fd;
	is_wanted = (!is_current || current_times(place, fd)) &&
		    is_asked(range, place->begin, place->end);
	if (is_wanted)
		err = itv_kernel_of(&place->kernel, fd);
	if (is_wanted && !err && !is_there(place, fd))
		err = -EAGAIN;
	close(fd);
	return is_wanted && !err ? add_place(places, place) : err;
}

/* Find the places of the range. @current_fd: the current session, which was opened before the store
 * was listed: if it is closed in between, it is in the list, too. */
static int find_places(const struct pp_range *range, struct places *places,
		       const struct itv_list *list, int samples_fd, int store, int current_fd)
{
	struct place current = { .name = "current", .dirfd = samples_fd, .is_session = true };
	bool is_closed = current_fd < 0;
	int err = 0;

	for (size_t i = 0; i < list->nr && !err; i++) {
		const struct itv_entry *entry = &list->entries[i];
		struct place place = {
			.dirfd = store, .begin = entry->begin, .end = entry->end,
			.step = entry->step, .kernel = entry->kernel,
			.is_session = entry->is_session,
		};

		strcpy(place.name, entry->name);
		is_closed |= place.is_session && is_there(&place, current_fd);
		if (!is_asked(range, entry->begin, entry->end))
			continue;
		err = place.is_session ? add_session(range, places, &place, false) :
					 add_place(places, &place);
	}
	if (err || is_closed)
		return err;
	/* It was closed after the list was made, or its interval replaced it before. */
	if (!is_there(&current, current_fd))
		return -EAGAIN;
	return add_session(range, places, &current, true);
}

static int compare_parts(const void *a, const void *b)
{
	const struct pp_range_part *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int compare_gaps(const void *a, const void *b)
{
	const struct itv_gap *x = a, *y = b;

	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Note the times of one period in which there is no part. */
static int find_gaps(struct pp_range *range, const struct op_period *asked, int64_t removed)
{
	int64_t now = (int64_t)time(NULL), at = asked->begin,
		last = asked->end < now ? asked->end : now;
	int err = 0;

	for (size_t i = 0; i <= range->nr_parts && !err && at < last; i++) {
		int64_t begin = i < range->nr_parts ? range->parts[i].begin : last;
		int64_t end = begin < last ? begin : last;

		/* Less than two seconds pass between two intervals, whose times are rounded. */
		if (end > at + 1 && at < removed)
			err = add_gap(range, at * NANO, (end < removed ? end : removed) * NANO,
				      "removed");
		if (!err && end > at + 1 && end > removed)
			err = add_gap(range, (at > removed ? at : removed) * NANO, end * NANO,
				      i ? "not running" : "before the first interval");
		if (i < range->nr_parts && range->parts[i].end > at)
			at = range->parts[i].end;
	}
	return err;
}

/* Release everything but the periods. */
static void reset(struct pp_range *range)
{
	while (range->nr_gaps)
		free(range->gaps[--range->nr_gaps].reason);
	while (range->nr_samples_dirs)
		free(range->samples_dirs[--range->nr_samples_dirs]);
	free(range->parts);
	free(range->gaps);
	free(range->samples_dirs);
	range->parts = NULL;
	range->gaps = NULL;
	range->samples_dirs = NULL;
	range->nr_parts = 0;
	range->precision = 0;
	range->paths = range->folded = 0;
	if (range->dir) {
		int fd = open(range->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0) {
			op_empty_dir(fd);
			close(fd);
		}
		rmdir(range->dir);
	}
	free(range->dir);
	range->dir = NULL;
	if (range->lock_fd >= 0)
		close(range->lock_fd);
	range->lock_fd = -1;
}

/* Read the intervals. @visitor: who gets them, or NULL to add them up in a temporary directory. */
static int read_once(struct pp_range *range, int samples_fd, int store, const char *samples,
		     const struct pp_range_visitor *visitor, struct pp_log *log)
{
	int current = openat(samples_fd, "current",
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct places places = { .nr = 0 };
	struct itv_list list = { .nr = 0 };
	int err = itv_store_list(&list, store);

	if (!err)
		err = find_places(range, &places, &list, samples_fd, store, current);
	if (!err)
		err = visitor ? visit_places(range, &places, visitor, log) :
				read_places(range, &places, store, samples, log);
	if (current >= 0)
		close(current);
	free(places.items);
	itv_list_release(&list);
	return err;
}

static int finish(struct pp_range *range, int store)
{
	int64_t removed = itv_store_removed(store);
	int err = 0;

	if (range->nr_parts)
		qsort(range->parts, range->nr_parts, sizeof(*range->parts), compare_parts);
	for (size_t i = 0; i < range->nr_asked && !err; i++)
		err = find_gaps(range, &range->asked[i], removed);
	if (range->nr_gaps)
		qsort(range->gaps, range->nr_gaps, sizeof(*range->gaps), compare_gaps);
	return err;
}

/* Report the times for which there are samples. */
static int fail_empty(int store, struct pp_log *log)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];
	struct itv_list list = { .nr = 0 };
	int64_t end = INT64_MIN;

	itv_store_list(&list, store);
	for (size_t i = 0; i < list.nr; i++)
		end = list.entries[i].end > end ? list.entries[i].end : end;
	if (list.nr) {
		op_time_text(from, list.entries[0].begin);
		op_time_text(to, end);
	}
	op_fail(&log->error, -ENODATA, list.nr ?
			"there are no samples of this time; there are samples from %s to %s" :
			"there are no samples of this time: no interval has been closed yet", from,
		to);
	itv_list_release(&list);
	return -ENODATA;
}

static int open_store(int samples_fd, const char *dir, struct op_reason *error)
{
	int fd = openat(samples_fd, ITV_STORE_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char option[OP_SESSION_OPTION_SIZE];

	if (fd >= 0)
		return fd;
	if (errno != ENOENT)
		return op_fail(error, -errno, "cannot open the intervals of %s: %s", dir,
			       strerror(errno));
	return op_fail(error, -ENOENT,
		       "%s has no intervals: opcontrol%s --interval=10m --start keeps samples by "
		       "time from then on", dir, op_session_option(option, dir));
}

static int open_range(struct pp_range **ret, const struct pp_spec *spec,
		      const struct op_session_paths *paths, const struct pp_range_visitor *visitor,
		      struct pp_log *log)
{
	struct pp_range *range = calloc(1, sizeof(*range));
	int samples_fd, store = -1, err;

	if (!range)
		return -ENOMEM;
	range->lock_fd = -1;
	samples_fd = open(paths->samples, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = samples_fd < 0 ? op_fail(&log->error, -errno, "cannot open %s: %s", paths->samples,
				       strerror(errno))
			     : pp_periods_parse(&range->asked, &range->nr_asked,
						&spec->tags[PP_TAG_TIME], &log->error);
	if (!err)
		store = err = open_store(samples_fd, paths->dir, &log->error);
	if (store >= 0)
		err = -EAGAIN;
	/* The daemon may pack, merge or delete an interval meanwhile: begin again then. */
	for (int i = 0; i < MAX_TRIES && err == -EAGAIN; i++) {
		reset(range);
		if (visitor)
			visitor->again(visitor->arg);
		err = read_once(range, samples_fd, store, paths->samples, visitor, log);
		if (err == -ENOSPC && !range->is_memory_full) {
			range->is_memory_full = true;
			err = -EAGAIN;
		}
	}
	if (err && !*log->error.text)
		op_fail(&log->error, err, "cannot read the intervals of %s: %s", paths->dir,
			itv_strerror(err));
	if (!err)
		err = range->nr_parts ? finish(range, store) : fail_empty(store, log);
	if (store >= 0)
		close(store);
	if (samples_fd >= 0)
		close(samples_fd);
	if (err)
		pp_range_close(range);
	else
		*ret = range;
	return err;
}

int pp_range_open(struct pp_range **ret, const struct pp_spec *spec,
		  const struct op_session_paths *paths, struct pp_log *log)
{
	return open_range(ret, spec, paths, NULL, log);
}

int pp_range_visit(struct pp_range **ret, const struct pp_spec *spec,
		   const struct op_session_paths *paths, const struct pp_range_visitor *visitor,
		   struct pp_log *log)
{
	return open_range(ret, spec, paths, visitor, log);
}

void pp_range_close(struct pp_range *range)
{
	if (!range)
		return;
	reset(range);
	free(range->asked);
	free(range);
}
