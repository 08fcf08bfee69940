// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dumps.c -- copies dumps: files in which programs describe their JIT code.
 */
#include "config.h"
#include "utils/opprobe/dumps.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DUMP	(512LL << 20)	/* maximum size in bytes of a dump that reports read */

/*
 * Names of dump files. .before, .behind: the text before and after the process id. .kept: suffix of
 * the copy. In order: dumps of libopagent and of perf's agents; dumps of OProfile 1.x's agents;
 * perf's symbol maps.
 */
static const struct { const char *before, *behind, *kept; } kinds[] = {
	{ "jit-", ".dump", "dump" },
	{ ".oprofile/jitdump/", ".dump", "agent" },
	{ "perf-", ".map", "map" },
};

struct keeping {
	const char *dir, *tmp;
	/* descriptor of the directory for copies of dumps; -1: not created yet */
	int jit;
	time_t start;
	struct op_reason *error;
	int err;
};

static int failed(struct keeping *k, const char *what, int err)
{
	k->err = op_fail(k->error, err, "cannot copy %s to %s/jit: %s", what, k->dir, strerror(-err));
	return err;
}

/* Copy the first @size bytes of @from to @to. If the file has grown since its size was read, the
 * new bytes describe code that has no samples, so ignore them. */
static int copy(int from, int to, off_t size)
{
	char buf[65536];
	ssize_t n = 0;

	while (size > 0 &&
	       (n = read(from, buf, (off_t)sizeof(buf) < size ? sizeof(buf) : (size_t)size)) > 0) {
		for (ssize_t done = 0, wrote; done < n; done += wrote) {
			wrote = write(to, buf + done, n - done);
			if (wrote < 0)
				return -errno;
		}
		size -= n;
	}
	return n < 0 ? -errno : 0;
}

static int open_jit(struct keeping *k)
{
	char *path = NULL;

	if (k->jit >= 0)
		return 0;
	if (asprintf(&path, "%s/jit", k->dir) < 0)
		return -ENOMEM;
	if (!mkdir(path, 0700) || errno == EEXIST)
		k->jit = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	return k->jit < 0 ? -errno : 0;
}

static int copy_as(struct keeping *k, int from, off_t size, const char *name)
{
	int err = open_jit(k), to;

	if (err)
		return err;
	to = openat(k->jit, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	err = copy(from, to, size);
	if (close(to) && !err)
		err = -errno;
	if (err)
		unlinkat(k->jit, name, 0);
	return err;
}

static void copy_dumps(struct keeping *k, long pid)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char from[4096], name[64];
		struct stat st;
		int fd, err = 0;

		snprintf(from, sizeof(from), "%s/%s%ld%s", k->tmp, kinds[i].before, pid, kinds[i].behind);
		snprintf(name, sizeof(name), "%ld.%s", pid, kinds[i].kept);
		fd = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
		    st.st_nlink != 1 || st.st_mtime < k->start) {
			close(fd);
			continue;
		}
		err = st.st_size > MAX_DUMP ? -EFBIG : copy_as(k, fd, st.st_size, name);
		/*
		 * -EEXIST means that the dump was already copied, because a process may have
		 * several .csp files: one for each thread, and one for each program that it has
		 * executed.
		 */
		if (err && err != -EEXIST)
			failed(k, from, err);
		close(fd);
	}
}

/*
 * Copy the dumps of the process whose .csp file has the name @name. In PROGRAM.PID.csp,
 * PROGRAM.PID.TID.csp and PROGRAM.PID.1.csp, any number may be the process id, so copy the dumps
 * for each number.
 */
static int copy_dumps_of(void *arg, const char *name)
{
	for (const char *at = strchr(name, '.'); at; at = strchr(at + 1, '.')) {
		char *end;
		long number = isdigit((unsigned char)at[1]) ? strtol(at + 1, &end, 10) : 0;

		if (number > 0 && *end == '.')
			copy_dumps(arg, number);
	}
	return 0;
}

int probe_dumps_copy(const char *dir, const char *tmp, const struct probe_files *before,
		     time_t start, struct op_reason *error)
{
	struct keeping k = { .dir = dir, .tmp = tmp, .jit = -1, .start = start, .error = error };

	probe_files_each_new(dir, before, copy_dumps_of, &k);
	if (k.jit >= 0)
		close(k.jit);
	return k.err;
}
