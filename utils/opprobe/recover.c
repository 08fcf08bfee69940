// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recover.c -- converts the .csp.live file of a killed program to a .csp file.
 */
#include "config.h"
#include "utils/opprobe/recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/copy.h"
#include "libop/raw/live_to_csp.h"

#define SUFFIX	".csp.live"

static bool is_live(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SUFFIX);

	return len > suffix && !strcmp(name + len - suffix, SUFFIX);
}

static int write_all(void *arg, const void *buf, size_t len)
{
	const char *at = buf;

	while (len) {
		ssize_t done = write(*(int *)arg, at, len);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			at += done;
			len -= done;
		}
	}
	return 0;
}

/*
 * Create the file @to. If the file exists, is empty and belongs to this user, replace it: a process
 * leaves an empty file if its seccomp filter forbids writing.
 */
static int create(int dir_fd, const char *to)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	struct stat st;
	int fd = openat(dir_fd, to, flags, 0600);

	if (fd < 0 && errno == EEXIST && !fstatat(dir_fd, to, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(st.st_mode) && !st.st_size && st.st_uid == geteuid() &&
	    !unlinkat(dir_fd, to, 0))
		fd = openat(dir_fd, to, flags, 0600);
	return fd;
}

/*
 * Write the trees of arena @only (0: of all arenas) to the file @to. Set its modification time to
 * that of the open file @from, so that the newest .csp file of a process is the last one that the
 * process wrote. On failure, remove @to.
 */
static int write_csp(int dir_fd, const char *to, int from, const struct raw_live *live,
		     uint32_t only, struct raw_live_sums *sums)
{
	struct stat st;
	int fd = create(dir_fd, to), err;
	struct raw_csp_out *out = malloc(sizeof(*out));

	if (fd < 0 || !out) {
		err = fd < 0 ? -errno : -ENOMEM;
	} else {
		raw_csp_begin(out, write_all, &fd);
		err = raw_live_to_csp(live, out, only, sums);
		if (!err && !fstat(from, &st) &&
		    futimens(fd, (struct timespec[2]){ { .tv_nsec = UTIME_OMIT }, st.st_mtim }))
			err = -errno;
	}
	free(out);
	if (fd < 0)
		return err;
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlinkat(dir_fd, to, 0);
	return err;
}

/* Return the file name @to with the thread id inserted before ".csp". The caller frees it. Return
 * NULL if out of memory. */
static char *name_of_thread(const char *to, uint32_t tid)
{
	char *name;

	return asprintf(&name, "%.*s.%u.csp", (int)(strlen(to) - strlen(".csp")), to, tid) < 0 ? NULL : name;
}

/* Write a .csp file for each thread. On failure, remove all of these files. */
static int write_threads(int dir_fd, const char *to, int from, const struct raw_live *live,
			 struct raw_live_sums *sums)
{
	uint32_t written = 0;
	int err = 0;

	memset(sums, 0, sizeof(*sums));
	for (uint32_t i = 1; i < live->nr_arenas && !err; i++) {
		uint32_t tid = raw_live_own_file(live, i);
		char *name = tid ? name_of_thread(to, tid) : NULL;
		struct raw_live_sums one;

		if (!tid)
			continue;
		err = name ? write_csp(dir_fd, name, from, live, i, &one) : -ENOMEM;
		free(name);
		if (err)
			break;
		written = i;
		raw_live_counts_add(&sums->samples, &one.samples);
		raw_live_counts_add(&sums->calls, &one.calls);
		sums->trees += one.trees;
		sums->broken += one.broken;
		sums->surplus += one.surplus;
	}
	for (uint32_t i = 1; err && i <= written; i++) {
		uint32_t tid = raw_live_own_file(live, i);
		char *name = tid ? name_of_thread(to, tid) : NULL;

		if (name)
			unlinkat(dir_fd, name, 0);
		free(name);
	}
	return err;
}

static int write_all_csp(int dir_fd, const char *to, int from, const struct raw_live *live,
			 struct raw_live_sums *sums)
{
	const struct raw_live_run *run = raw_live_run(live);

	return run && (run->flags & RAW_LIVE_BY_THREAD) ?
		       write_threads(dir_fd, to, from, live, sums) :
		       write_csp(dir_fd, to, from, live, 0, sums);
}

static int discard(void *arg, const void *buf, size_t len)
{
	(void)arg;
	(void)buf;
	(void)len;
	return 0;
}

static int add_up(const struct raw_live *live, struct raw_live_sums *sums)
{
	struct raw_csp_out *out = malloc(sizeof(*out));
	int err = out ? 0 : -ENOMEM;

	if (!err) {
		raw_csp_begin(out, discard, NULL);
		err = raw_live_to_csp(live, out, 0, sums);
	}
	free(out);
	return err;
}

/* Convert the open .csp.live file @fd to the file @to in the directory @dir_fd. If @to is NULL,
 * only compute @sums. */
static int convert(int fd, int dir_fd, const char *to, struct raw_live_sums *sums)
{
	struct raw_live live = { .has_ended = !!to };
	struct op_copy copy;
	int err = op_copy_make(&copy, fd), nr;

	if (err)
		return err;
	nr = raw_live_count(copy.bytes, copy.size);
	if (nr > 0) {
		live.nr_arenas = nr;
		live.arenas = calloc(nr, sizeof(*live.arenas));
	}
	err = nr < 0 ? nr : live.arenas ? raw_live_open(&live, copy.bytes, copy.size) : -ENOMEM;
	if (!err)
		err = to ? write_all_csp(dir_fd, to, fd, &live, sums) : add_up(&live, sums);
	free(live.arenas);
	op_copy_release(&copy);
	return err;
}

static int fail(struct op_reason *error, int err, const char *path)
{
	if (err == -EBUSY)
		return op_fail(error, err, "cannot convert %s: its program is still running", path);
	if (err == -EUCLEAN)
		return op_fail(error, err, "cannot convert %s: it is not a probe's file, or it was "
					   "truncated before its first sample", path);
	if (err == -EEXIST)
		return op_fail(error, err, "%.*s: %s", (int)(strlen(path) - strlen(".live")), path, strerror(-err));
	return op_fail(error, err, "%s: %s", path, strerror(-err));
}

/*
 * Convert the .csp.live file @name in the directory @dir_fd, and remove it. Use @path only in
 * messages: another user may own a directory of the path, and could redirect the path to other
 * files.
 */
static int recover(int dir_fd, const char *name, const char *path, struct raw_live_sums *sums,
		   struct op_reason *error)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC),
	    err = 0;
	char *to = strndup(name, strlen(name) - strlen(".live"));
	struct raw_live_sums made;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!err)
		err = to ? convert(fd, dir_fd, to, &made) : -ENOMEM;
	if (!err && unlinkat(dir_fd, name, 0))
		err = -errno;
	if (fd >= 0)
		close(fd);
	free(to);
	if (err)
		return fail(error, err, path);
	*sums = made;
	return 0;
}

int probe_recover_add_up(const char *path, struct raw_live_sums *sums)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int err = fd < 0 ? -errno : convert(fd, -1, NULL, sums);

	if (fd >= 0)
		close(fd);
	return err;
}

int probe_recover(const char *path, struct raw_live_sums *sums, struct op_reason *error)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *dir = slash ? strndup(path, name - path) : strdup(".");
	int fd = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1, err;

	if (!is_live(name))
		err = op_fail(error, -EINVAL, "cannot convert %s: its name does not end in %s", path, SUFFIX);
	else if (fd < 0)
		err = fail(error, dir ? -errno : -ENOMEM, path);
	else
		err = recover(fd, name, path, sums, error);
	if (fd >= 0)
		close(fd);
	free(dir);
	return err;
}

/* Return whether this user owns the file. Root skips files of other users, because the converted
 * file would belong to root. */
static bool is_own(int dir_fd, const char *name)
{
	struct stat st;

	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && st.st_uid == geteuid();
}

int probe_recover_dir(const char *dir, struct raw_live_sums *sums, struct op_reason *error)
{
	DIR *d = opendir(dir);
	struct raw_live_sums own;
	struct dirent *e;
	int made = 0, err = 0;

	memset(sums, 0, sizeof(*sums));
	if (!d)
		return op_fail(error, -errno, "%s: %s", dir, strerror(errno));
	while ((e = readdir(d))) {
		struct op_reason cause = { "" };
		char *path = NULL;
		int one;

		if (!is_live(e->d_name) || !is_own(dirfd(d), e->d_name))
			continue;
		if (asprintf(&path, "%s/%s", dir, e->d_name) < 0) {
			err = op_fail(error, -ENOMEM, "%s: %s", dir, strerror(ENOMEM));
			break;
		}
		one = recover(dirfd(d), e->d_name, path, &own, &cause);
		free(path);
		made += !one;
		if (!one) {
			raw_live_counts_add(&sums->samples, &own.samples);
			raw_live_counts_add(&sums->calls, &own.calls);
		}
		if (one && one != -EBUSY) {
			err = one;
			*error = cause;
		}
	}
	closedir(d);
	return err ? err : made;
}

bool probe_recover_is_left(const char *path)
{
	return is_live(path);
}

/*
 * Return whether @name is PROGRAM.PID.csp, PROGRAM.PID.N.csp, or one of these names followed by
 * ".live". @pid: ".PID".
 */
static bool is_of(const char *name, const char *pid)
{
	const char *at = strstr(name, pid), *end, *rest;

	while (at) {
		end = at + strlen(pid);
		rest = end + strspn(end, ".0123456789");
		if (*end == '.' && (!strcmp(rest, "csp") || !strcmp(rest, &SUFFIX[1])))
			return true;
		at = strstr(at + 1, pid);
	}
	return false;
}

char *probe_recover_find(const char *dir, pid_t pid)
{
	DIR *d = opendir(dir);
	struct timespec newest = { 0 };
	char *ret = NULL, word[32];
	struct dirent *e;

	snprintf(word, sizeof(word), ".%ld", (long)pid);
	while (d && (e = readdir(d))) {
		struct stat st;
		char *path;

		if (!is_of(e->d_name, word) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode) || !st.st_size ||
		    (ret && (st.st_mtim.tv_sec < newest.tv_sec ||
			     (st.st_mtim.tv_sec == newest.tv_sec &&
			      st.st_mtim.tv_nsec < newest.tv_nsec))) ||
		    asprintf(&path, "%s/%s", dir, e->d_name) < 0)
			continue;
		free(ret);
		ret = path;
		newest = st.st_mtim;
	}
	if (d)
		closedir(d);
	return ret;
}
