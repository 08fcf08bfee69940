// SPDX-License-Identifier: GPL-2.0-or-later
/* jit.c -- careful copies out of a directory that everybody may write to. */
#include <config.h>
#include "daemon/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/session.h"

#define MAX_PROCESSES	4096
#define MAX_FILE	(64ll << 20)	/* bytes */
#define MAX_SMALL	(4ll << 20)
#define MAX_ALL		(256ll << 20)	/* of one session */

/* The two kinds of file a process may have. */
static const struct {
	const char *prefix, *suffix;
} kinds[] = {
	{ "perf-", "map" },
	{ "jit-", "dump" },
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

struct copy {			/* what the original was when it was copied */
	off_t size;
	struct timespec mtime;
};

struct process {
	pid_t tgid;
	uid_t uid;		/* when it was seen first */
	struct copy copies[NR_KINDS];
};

struct opd_jit {
	const char *proc_dir, *tmp_dir;
	struct process *processes;	/* by tgid */
	size_t nr;
	pid_t last;		/* noted, or not to be */
	off_t kept;		/* bytes in this session */
};

struct opd_jit *opd_jit_create(const char *proc_dir, const char *tmp_dir)
{
	struct opd_jit *jit = calloc(1, sizeof(*jit));

	if (!jit)
		return NULL;
	jit->proc_dir = proc_dir;
	jit->tmp_dir = tmp_dir;
	return jit;
}

void opd_jit_destroy(struct opd_jit *jit)
{
	if (!jit)
		return;
	free(jit->processes);
	free(jit);
}

void opd_jit_restart(struct opd_jit *jit)
{
	if (!jit)
		return;
	jit->nr = 0;
	jit->last = 0;
	jit->kept = 0;
}

/* Whose process it is now; -ENOENT when it is gone. */
static int owner_of(const struct opd_jit *jit, pid_t tgid, uid_t *ret)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%d", jit->proc_dir, (int)tgid);
	if (stat(path, &st))
		return -ENOENT;
	*ret = st.st_uid;
	return 0;
}

void opd_jit_note(struct opd_jit *jit, pid_t tgid)
{
	size_t low = 0, high;
	struct process *processes;
	uid_t uid;

	if (!jit || tgid == jit->last || tgid <= 0)
		return;
	jit->last = tgid;
	high = jit->nr;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (jit->processes[middle].tgid < tgid)
			low = middle + 1;
		else
			high = middle;
	}
	if ((low < jit->nr && jit->processes[low].tgid == tgid) || jit->nr == MAX_PROCESSES ||
	    owner_of(jit, tgid, &uid))
		return;
	processes = reallocarray(jit->processes, jit->nr + 1, sizeof(*processes));
	if (!processes)
		return;
	jit->processes = processes;
	memmove(processes + low + 1, processes + low, (jit->nr - low) * sizeof(*processes));
	processes[low] = (struct process){ .tgid = tgid, .uid = uid };
	jit->nr++;
}

/* A regular file with one name, of the process' user or root, that is not too large. */
static int open_original(int tmp_fd, const char *name, uid_t uid, struct stat *st)
{
	int fd = openat(tmp_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && S_ISREG(st->st_mode) && st->st_nlink == 1 &&
	    (st->st_uid == uid || st->st_uid == 0) && st->st_size > 0 && st->st_size <= MAX_FILE)
		return fd;
	close(fd);
	return -1;
}

static bool is_copied(const struct copy *copy, const struct stat *st)
{
	return copy->size == st->st_size && copy->mtime.tv_sec == st->st_mtim.tv_sec &&
	       copy->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

/* Up to @size bytes; a file that gets shorter meanwhile is copied as far as it goes. */
static int copy_bytes(int to, int from, off_t size)
{
	char buf[65536];

	while (size) {
		size_t want = size < (off_t)sizeof(buf) ? (size_t)size : sizeof(buf);
		ssize_t n = read(from, buf, want), done = 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		while (done < n) {
			ssize_t written = write(to, buf + done, n - done);

			if (written < 0 && errno == EINTR)
				continue;
			if (written <= 0)
				return written ? -errno : -EIO;
			done += written;
		}
		size -= n;
	}
	return 0;
}

static int write_copy(int jit_fd, const char *name, int from, const struct stat *st)
{
	char new_name[80];
	int fd, err;

	snprintf(new_name, sizeof(new_name), "%s.tmp", name);
	unlinkat(jit_fd, new_name, 0);
	fd = openat(jit_fd, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = copy_bytes(fd, from, st->st_size);
	if (!err && fchmod(fd, 0600 | (st->st_mode & 0044)))
		err = -errno;
	close(fd);
	if (!err && renameat(jit_fd, new_name, jit_fd, name))
		err = -errno;
	if (err)
		unlinkat(jit_fd, new_name, 0);
	return err;
}

/* The directory of the copies, made when the first one is. */
static int open_copies(int current_fd, int *jit_fd)
{
	int made;

	if (*jit_fd < 0)
		*jit_fd = opd_open_dir_at(current_fd, "jit", 0755, &made);
	return *jit_fd < 0 ? *jit_fd : 0;
}

static int keep_file(struct opd_jit *jit, struct process *process, size_t kind, uid_t uid,
		     int tmp_fd, int current_fd, int *jit_fd, bool all)
{
	struct copy *copy = &process->copies[kind];
	char name[64];
	struct stat st;
	int fd, err = 0;

	snprintf(name, sizeof(name), "%s%d.%s", kinds[kind].prefix, (int)process->tgid,
		 kinds[kind].suffix);
	fd = open_original(tmp_fd, name, uid, &st);
	if (fd < 0)
		return 0;
	if (is_copied(copy, &st) || (!all && st.st_size > MAX_SMALL) ||
	    jit->kept - copy->size + st.st_size > MAX_ALL)
		goto close_fd;
	snprintf(name, sizeof(name), "%d.%s", (int)process->tgid, kinds[kind].suffix);
	err = open_copies(current_fd, jit_fd);
	if (!err)
		err = write_copy(*jit_fd, name, fd, &st);
	if (!err) {
		jit->kept += st.st_size - copy->size;
		*copy = (struct copy){ st.st_size, st.st_mtim };
	}
close_fd:
	close(fd);
	return err;
}

int opd_jit_keep(struct opd_jit *jit, int current_fd, bool all)
{
	int tmp_fd, jit_fd = -1, err = 0;

	if (!jit || !jit->nr)
		return 0;
	tmp_fd = open(jit->tmp_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (tmp_fd < 0)
		return 0;
	for (size_t i = 0; i < jit->nr; i++) {
		struct process *process = &jit->processes[i];
		uid_t uid = process->uid;

		/* Another process may have the number by now; it is believed about itself. */
		owner_of(jit, process->tgid, &uid);
		for (size_t kind = 0; kind < NR_KINDS; kind++) {
			int failed = keep_file(jit, process, kind, uid, tmp_fd, current_fd,
					       &jit_fd, all);

			err = err ? err : failed;
		}
	}
	if (jit_fd >= 0)
		close(jit_fd);
	close(tmp_fd);
	return err;
}
