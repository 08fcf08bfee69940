// SPDX-License-Identifier: GPL-2.0-or-later
/* import.c -- importing of sample files and directories of other machines. */
#include "config.h"
#include "pp/archive/import.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/swapped.h"
#include "libop/base/fs.h"
#include "libop/session/abi.h"
#include "pp/archive/copy.h"
#include "pp/archive/foreign.h"

#define MAX_DEPTH	128

static int fail(struct pp_import *import, const char *path, int err)
{
	return op_fail(&import->log->error, err, "%s: %s", path, strerror(-err));
}

/* Convert the sample file @from to @leaf in @dir. Remove @leaf on failure. @path: for messages. */
static int convert(struct pp_import *import, int from, int dir, const char *leaf, const char *path)
{
	char *partial;
	struct odb *db;
	int fd, err;

	if (asprintf(&partial, "%.*s.part", NAME_MAX - 5, leaf) < 0)
		return -ENOMEM;
	unlinkat(dir, partial, 0);
	fd = openat(dir, partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0) {
		err = fail(import, leaf, -errno);
		goto done;
	}
	err = odb_open(&db, fd, sizeof(struct op_sample_header), ODB_WRITE, NULL);
	if (err) {
		err = op_fail(&import->log->error, err, "%s: %s", leaf, odb_strerror(err));
		close(fd);
		goto err_unlink;
	}
	err = pp_foreign_convert(db, from, import->abi, import->force, path, import->log);
	odb_close(db);
	if (!err && renameat(dir, partial, dir, leaf))
		err = fail(import, leaf, -errno);
err_unlink:
	if (err)
		unlinkat(dir, partial, 0);
	else
		import->nr_converted++;
done:
	free(partial);
	return err;
}

static int turn(int from, int to)
{
	char bytes[1 << 16];
	off_t at = 0;
	size_t len;
	int err;

	do {
		err = op_read_all_at(from, bytes, sizeof(bytes), at, &len);
		/* Ignore an incomplete slot at the end. */
		len -= len % 16;
		if (!err && len) {
			swapped_turn(bytes, len, at);
			err = op_write_all(to, bytes, len);
		}
		at += len;
	} while (!err && len == sizeof(bytes));
	return err;
}

/* Convert a tree of call paths, or a list of frames. */
static int convert_paths(struct pp_import *import, int from, int dir, const char *leaf,
			 const char *path)
{
	char *partial;
	int fd, err;

	if (asprintf(&partial, "%.*s.part", NAME_MAX - 5, leaf) < 0)
		return -ENOMEM;
	unlinkat(dir, partial, 0);
	fd = openat(dir, partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	err = fd < 0 ? -errno : turn(from, fd);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && renameat(dir, partial, dir, leaf))
		err = -errno;
	if (err) {
		fail(import, path, err);
		unlinkat(dir, partial, 0);
	} else {
		import->nr_converted++;
	}
	free(partial);
	return err;
}

/* Return whether @fd is a file of call paths, with its byte order. Set *@known if its version is
 * supported. */
static enum swapped find_paths(int fd, bool *known)
{
	char header[SWAPPED_HEADER];
	size_t len;

	if (op_read_all_at(fd, header, sizeof(header), 0, &len) || len < sizeof(header))
		return SWAPPED_OTHER_FILE;
	return swapped_find(header, known);
}

/* Copy a file whose format does not depend on the machine: text such as kernel symbols, build-ids
 * and counters, and code compiled at run time. */
static int copy(struct pp_import *import, int from, int dir, const char *leaf, const char *path)
{
	struct stat st;
	int err = fstat(from, &st) ? -errno : pp_copy_file(from, dir, leaf, st.st_mode & 0777);

	if (err)
		return fail(import, path, err);
	import->nr_copied++;
	return 0;
}

/* Return whether the file is an abi file, anywhere in an archive. */
static bool is_abi(int fd, const char *leaf)
{
	static const char start[] = "sizeof_";
	char buf[sizeof(start) - 1];

	return !strcmp(leaf, "abi") && pread(fd, buf, sizeof(buf), 0) == sizeof(buf) &&
	       !memcmp(buf, start, sizeof(buf));
}

static int import_file(struct pp_import *import, int from, int dir, const char *leaf,
		       const char *path)
{
	int is_sample = pp_foreign_is(from), err;
	enum swapped swapped;
	bool known = true;

	if (is_sample < 0)
		return fail(import, path, is_sample);
	swapped = find_paths(from, &known);
	if (!known)
		return op_fail(&import->log->error, -EINVAL, "%s: has call paths of another version",
			       path);
	if (swapped == SWAPPED_YES)
		return convert_paths(import, from, dir, leaf, path);
	if (is_abi(from, leaf)) {	/* the new files have this machine's layout */
		err = op_abi_write(dir, leaf);
		return err ? fail(import, path, err) : 0;
	}
	return is_sample ? convert(import, from, dir, leaf, path) :
			   copy(import, from, dir, leaf, path);
}

static int import_directory(struct pp_import *import, int from, int to, const char *path,
			    int depth);

static int import_entry(struct pp_import *import, int from, int to, const char *name,
			const char *path, int depth)
{
	struct stat st;
	char *whole;
	int fd, sub, err = 0;

	if (asprintf(&whole, "%s/%s", path, name) < 0)
		return -ENOMEM;
	/* Skip sockets and lock files of a daemon; do not follow links. */
	fd = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		if (errno != ELOOP && errno != ENXIO && errno != ENOENT)
			err = fail(import, whole, -errno);
		goto done;
	}
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		err = import_file(import, fd, to, name, whole);
	} else if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH) {
		sub = mkdirat(to, name, 0755) && errno != EEXIST ?
			      -1 :
			      openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			err = fail(import, whole, -errno);
		else
			err = import_directory(import, fd, sub, whole, depth + 1);
		if (sub >= 0)
			close(sub);
	}
	close(fd);
done:
	free(whole);
	return err;
}

/* Import a directory. After failures, continue with the next file. */
static int import_directory(struct pp_import *import, int from, int to, const char *path, int depth)
{
	int fd = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return fail(import, path, err);
	}
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		err = import_entry(import, from, to, entry->d_name, path, depth);
		if (!err)
			continue;
		pp_log_failure(import->log, err);
		import->nr_failed++;
	}
	closedir(dir);
	return 0;
}

static bool is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int nr = 0;

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	while ((entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return !nr;
}

static int import_tree(struct pp_import *import, int from, const char *path, const char *to)
{
	int fd, err;

	if (mkdir(to, 0700) && errno != EEXIST)
		return fail(import, to, -errno);
	fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(import, to, -errno);
	if (!is_empty(fd)) {
		close(fd);
		return op_fail(&import->log->error, -EINVAL, "%s: is not empty; name a new directory",
			       to);
	}
	err = import_directory(import, from, fd, path, 0);
	close(fd);
	if (!err && import->nr_failed)
		return op_fail(&import->log->error, -EIO, "%s: cannot import %zu file(s)", path,
			       import->nr_failed);
	if (!err && !import->nr_converted)
		return op_fail(&import->log->error, -ENODATA, "%s: has no sample file", path);
	return err;
}

static int import_single(struct pp_import *import, int from, const char *path, const char *to)
{
	const char *slash = strrchr(to, '/');
	char *parent = slash ? strndup(to, slash == to ? 1 : slash - to) : strdup(".");
	const char *leaf = slash ? slash + 1 : to;
	int dir, err;

	if (!parent)
		return -ENOMEM;
	dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(parent);
	if (dir < 0)
		return fail(import, to, -errno);
	if (*leaf)
		err = import_file(import, from, dir, leaf, path);
	else
		err = fail(import, to, -EISDIR);
	close(dir);
	return err;
}

/* Return whether the name is that of code compiled at run time, as OProfile's agents write it: an
 * ELF file, which does not depend on the machine. */
static bool is_jit_code(const char *name)
{
	size_t n = strlen(name);

	return n > 3 && !strcmp(name + n - 3, ".jo");
}

int pp_import(struct pp_import *import, const char *from, const char *to)
{
	struct stat st;
	bool known;
	int fd = open(from, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), err;

	if (fd < 0 || fstat(fd, &st)) {
		err = fail(import, from, -errno);
	} else if (S_ISDIR(st.st_mode)) {
		err = import_tree(import, fd, from, to);
	} else if (!S_ISREG(st.st_mode)) {
		err = op_fail(&import->log->error, -EINVAL, "%s: is neither a file nor a directory",
			      from);
	} else if (!pp_foreign_is(fd) && !is_jit_code(from) &&
		   find_paths(fd, &known) == SWAPPED_OTHER_FILE) {
		err = op_fail(&import->log->error, -EINVAL, "%s: is not a sample file", from);
	} else {
		err = import_single(import, fd, from, to);
	}
	if (fd >= 0)
		close(fd);
	return err;
}
