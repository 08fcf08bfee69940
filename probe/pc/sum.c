// SPDX-License-Identifier: GPL-2.0-or-later
/* sum.c -- adding up the runs of a program in the file PROGRAM.pct, called the sum. */
#include "config.h"
#include "probe/pc/sum.h"

#include <errno.h>

#include "libop/raw/num.h"
#include "probe/base/text.h"
#include "probe/linux/calls.h"

#define SEEK_DATA	3
/* maximum time in ms to wait for the lock; after this time, leave the files to the next run */
#define WAIT_MS		3000
#define NAME		256

/* A file of counters, mapped for reading. */
struct input {
	const unsigned char *at;
	uint64_t size;
	int fd;
};

struct summing {
	const struct names *names;
	int dirfd;
	bool truncate;
	/* id of the last run that was added to the existing sum */
	uint64_t last;
	struct pc_file out;
	bool has_out;
};

static const struct raw_pct_header *header_of(const struct input *in)
{
	return (const struct raw_pct_header *)in->at;
}

static void close_input(struct input *in)
{
	call_munmap((void *)in->at, in->size);
	call_close(in->fd);
}

/* Open and map a file of counters that belongs to this user. Return 0; -EBUSY if a process still
 * writes to it; or another negative errno. */
static int open_input(struct input *in, int dirfd, const char *name)
{
	struct statx st;
	long fd = call_openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0), at,
	     err = -EINVAL;

	if (fd < 0)
		return fd;
	if (call_flock(fd, LOCK_EX | LOCK_NB))
		err = -EBUSY;
	else if (!call_fstat(fd, &st) && (st.stx_mode & 0170000) == 0100000 &&
		 st.stx_uid == (uint32_t)call_geteuid() &&
		 st.stx_size >= sizeof(struct raw_pct_header) && st.stx_size <= SIZE_MAX / 2) {
		in->fd = fd;
		in->size = st.stx_size;
		at = call_mmap(in->size, PROT_READ, MAP_SHARED, fd, 0);
		if (!call_failed(at)) {
			in->at = (const unsigned char *)at;
			if (raw_pct_header_ok(header_of(in), in->size) &&
			    header_of(in)->kind == RAW_PCT_COUNTS)
				return 0;
			call_munmap((void *)at, in->size);
		}
	}
	call_close(fd);
	return err;
}

static struct pc_region *same_in(struct pc_file *out, const struct raw_pct_region *r)
{
	struct pc_region *o = out->regions;

	while (o && !raw_pct_same(o->record, r))
		o = o->next;
	return o ? o : pc_file_append(out, r);
}

/* Add the counters of region @r of the file @in to the region @to. Most parts of the file are
 * holes. */
static void add_counters(struct pc_region *to, const struct input *in,
			 const struct raw_pct_region *r)
{
	uint64_t i = 0;

	while (i < r->nr_bins) {
		uint64_t at = raw_pct_counter_at(r, i), n;

		if (!(i & 511)) {
			/* Skip a hole of the file. On a file system that does not support holes,
			 * lseek() returns the same offset. */
			long data = arch_call(SYS_lseek, in->fd, at, SEEK_DATA, 0, 0, 0);

			if (data == -ENXIO)
				return;
			if (data > (long)at &&
			    ((uint64_t)data - r->counters) / r->width > i + 511) {
				i = (((uint64_t)data - r->counters) / r->width) & ~511ULL;
				continue;
			}
		}
		n = raw_pct_get(in->at + at, r->width);
		if (n)
			pc_region_add_bin(to, i, n);
		i++;
	}
}

/* Add the file @in, which is a run or the existing sum, to the new sum. Return 0 or a negative
 * errno. */
static int add_input(struct pc_file *out, const struct input *in)
{
	const struct raw_pct_header *h = header_of(in);
	const struct raw_pct_region *r;

	for (uint64_t at = h->first; at; at = r->next) {
		struct pc_region *to;

		r = (const struct raw_pct_region *)(in->at + at);
		if (!raw_pct_region_ok(r, at, in->size))
			/* the rest of the file is damaged; keep the counts that were read before */
			break;
		to = same_in(out, r);
		if (!to)
			return -ENOSPC;
		if (r->nr_bins)
			add_counters(to, in, r);
	}
	out->header->taken += h->taken;
	out->header->runs += h->runs;
	out->header->timed_ns += h->timed_ns;
	out->header->timed += h->timed;
	for (int i = 0; i < RAW_PCT_NR_LOSSES; i++)
		out->header->lost[i] += h->lost[i];
	out->header->id = h->id;
	return 0;
}

/* Create the file of the new sum, with the settings in the header of @first. */
static int begin(struct summing *s, const struct input *first)
{
	struct raw_pct_header header = *header_of(first);
	char path[FD_PATH];
	int err;

	if (!names_path(s->names, path, 0, 0, ".pct.new"))
		return -ENAMETOOLONG;
	header.first = header.taken = header.runs = header.id = header.pid = 0;
	header.timed_ns = header.timed = 0;
	__builtin_memset(header.lost, 0, sizeof(header.lost));
	call_unlinkat(AT_FDCWD, path);
	err = pc_file_create(&s->out, path, &header);
	s->has_out = !err;
	return err;
}

/* Return whether samples have the same unit in both files. If not, the counts cannot be added
 * up. */
static bool is_same_unit(const struct raw_pct_header *a, const struct raw_pct_header *b)
{
	return a->quantum_ns == b->quantum_ns && a->clock == b->clock && a->gap == b->gap &&
	       a->word == b->word;
}

/* Add the file @name to the new sum. Skip a file that is in use, damaged or missing, or whose
 * samples have another unit. */
static int add_file(struct summing *s, const char *name)
{
	struct input in;
	uint64_t lost;
	int err = open_input(&in, s->dirfd, name);

	if (err)
		return err == -EBUSY || err == -EINVAL || err == -ENOENT ? 0 : err;
	err = s->has_out ? 0 : begin(s, &in);
	if (!err && is_same_unit(s->out.header, header_of(&in))) {
		lost = s->out.header->lost[RAW_PCT_NO_ROOM] + header_of(&in)->lost[RAW_PCT_NO_ROOM];
		err = add_input(&s->out, &in);
		/* The disk is full, so the new sum is incomplete. Return an error: an incomplete
		 * sum must not replace the old sum. */
		if (!err && s->out.header->lost[RAW_PCT_NO_ROOM] != lost)
			err = -ENOSPC;
	}
	close_input(&in);
	return err;
}

static void name_sum(const struct summing *s, char name[NAME])
{
	size_t len = __builtin_strlen(s->names->program);

	__builtin_memcpy(name, s->names->program, len);
	__builtin_memcpy(name + len, ".pct", 5);
}

/* Replace the file of the old sum by the file of the new sum. */
static int finish(struct summing *s)
{
	char from[NAME + 16], to[NAME];
	size_t len;

	name_sum(s, to);
	len = __builtin_strlen(to);
	__builtin_memcpy(from, to, len);
	__builtin_memcpy(from + len, ".new", 5);
	pc_file_close(&s->out);
	s->has_out = false;
	return call_renameat(s->dirfd, from, to);
}

/* Set *@last to the id of the run that was added last to the sum, or to 0 if the program has no sum
 * yet. Return 0 or a negative errno. */
static int find_last(const struct summing *s, uint64_t *last)
{
	char sum[NAME];
	struct input in;
	int err;

	*last = 0;
	name_sum(s, sum);
	err = open_input(&in, s->dirfd, sum);
	if (!err) {
		*last = header_of(&in)->id;
		close_input(&in);
	}
	return err == -ENOENT ? 0 : err;
}

/* Add the file @name of a finished run to the sum of the runs, then remove this file. */
static int add_run(struct summing *s, const char *name)
{
	char sum[NAME];
	uint64_t last = 0;
	int err = 0;

	name_sum(s, sum);
	if (!s->truncate) {
		err = find_last(s, &last);
		if (!err && last)
			err = add_file(s, sum);
		if (err)
			goto undo;	/* the existing sum is unreadable: do not replace it */
	}
	err = add_file(s, name);
	if (err)
		goto undo;
	if (!s->has_out || s->out.header->id == last)
		/* the sum already contains the run, or the run's file does not exist */
		goto undo;
	err = finish(s);
	if (!err)
		call_unlinkat(s->dirfd, name);
	return err;
undo:
	if (s->has_out) {
		call_unlinkat(AT_FDCWD, s->out.fd.path);
		pc_file_close(&s->out);
		s->has_out = false;
	}
	return err;
}

/* Return whether @name is "PROGRAM.PID.pct" or "PROGRAM.PID.TURN.pct". */
static bool is_run(const char *program, const char *name)
{
	size_t len = __builtin_strlen(program), digits;
	uint64_t n;

	for (size_t i = 0; i < len; i++) {
		if (name[i] != program[i])
			return false;
	}
	name += len;
	for (int i = 0; i < 2 && *name == '.'; i++) {
		digits = raw_str2num(&n, name + 1, __builtin_strlen(name + 1), 10);
		if (!digits)
			return i && !__builtin_strcmp(name, ".pct");
		name += 1 + digits;
	}
	return !__builtin_strcmp(name, ".pct");
}

struct entry {
	uint64_t inode, next;
	unsigned short len;
	unsigned char type;
	char name[];
};

/* Remove the file of a finished run in two cases: the sum already contains the run (the run's id is
 * the sum's last id), or the caller wants to discard earlier runs. */
static int drop_run(struct summing *s, const char *name)
{
	struct input in;

	if (open_input(&in, s->dirfd, name))
		return 0;
	if (s->truncate || header_of(&in)->id == s->last)
		call_unlinkat(s->dirfd, name);
	close_input(&in);
	return 0;
}

/* Call @each for the files of all runs. Runs whose files are created during the search may be
 * missed. */
static int all_runs(struct summing *s, int (*each)(struct summing *s, const char *name))
{
	char buf[2048] __attribute__((aligned(8)));
	long got;
	int err = 0;

	arch_call(SYS_lseek, s->dirfd, 0, 0 /* SEEK_SET */, 0, 0, 0);
	while (!err && (got = call_getdents(s->dirfd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < got && !err; ) {
			const struct entry *e = (const struct entry *)(buf + at);

			at += e->len;
			if (__builtin_strlen(e->name) >= NAME ||
			    !is_run(s->names->program, e->name))
				continue;
			err = each(s, e->name);
		}
	}
	return err;
}

/* Store the name of this user's lock file. It contains the user id, because several users may write
 * to the directory. */
static void name_lock(char name[NAME])
{
	struct text t;

	text_init(&t, name, NAME);
	text_add(&t, ".");
	text_add_number(&t, (uint32_t)call_geteuid());
	text_add(&t, ".pct-lock");
}

/* Return 0 if only this user may open the file @fd, and @name still refers to it; -EWOULDBLOCK if
 * the file was removed or replaced; or another negative errno. */
static int check_lock(const struct summing *s, int fd, const char *name)
{
	struct statx st, named;
	int err = call_fstat(fd, &st);

	if (err)
		return err;
	if ((st.stx_mode & 0170077) != 0100000 || st.stx_uid != (uint32_t)call_geteuid())
		return -EPERM;
	if (call_statx(s->dirfd, name, AT_SYMLINK_NOFOLLOW, &named) ||
	    named.stx_ino != st.stx_ino || named.stx_dev_major != st.stx_dev_major ||
	    named.stx_dev_minor != st.stx_dev_minor)
		return -EWOULDBLOCK;
	return 0;
}

/*
 * Create and lock this user's lock file. Only this user may open the file. A lock on the directory
 * would not do, because any user who may read the directory could hold it. The owner of the lock
 * removes the file before unlocking it. If the locked file was removed, return -EWOULDBLOCK, and
 * the caller tries again. Return the descriptor or a negative errno.
 */
static int lock_once(const struct summing *s, const char *name)
{
	int fd = call_openat(s->dirfd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
			     0600),
	    err;

	if (fd < 0)
		return fd;
	err = call_flock(fd, LOCK_EX | LOCK_NB);
	if (!err)
		err = check_lock(s, fd, name);
	if (!err)
		return fd;
	call_close(fd);
	return err;
}

static int lock(const struct summing *s, const char *name)
{
	int fd, waited = 0;

	while ((fd = lock_once(s, name)) == -EWOULDBLOCK && waited < WAIT_MS) {
		call_sleep_ms(10);
		waited += 10;
	}
	return fd;
}

static void unlock(const struct summing *s, int fd, const char *name)
{
	call_unlinkat(s->dirfd, name);
	call_close(fd);
}

int pc_sum(const struct names *names, bool truncate, const char *own)
{
	struct summing s = { .names = names, .truncate = truncate };
	char name[NAME];
	int err, fd;

	s.dirfd = call_openat(AT_FDCWD, names->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (s.dirfd < 0)
		return s.dirfd;
	name_lock(name);
	fd = lock(&s, name);
	err = fd < 0 ? fd : 0;
	/*
	 * If a process was killed after replacing the sum, but before removing the run's file, that
	 * run is already in the sum. Remove its file first, because the sum stores only the id of
	 * the last run.
	 */
	if (!err && !truncate)
		err = find_last(&s, &s.last);
	if (!err && s.last)
		err = all_runs(&s, drop_run);
	if (!err)
		err = add_run(&s, own);
	if (!err)
		err = all_runs(&s, truncate ? drop_run : add_run);
	if (fd >= 0)
		unlock(&s, fd, name);
	call_close(s.dirfd);
	return err;
}
