// SPDX-License-Identifier: GPL-2.0-or-later
/* tables.c -- a queue of open files, and how much is spent on them. */
#include "config.h"
#include "daemon/store/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/store/table_files.h"
#include "daemon/store/table_reader.h"
#include "libop/base/clock.h"
#include "libop/session/table_request.h"

#define MAX_QUEUE	256		/* files that are held open */
_Static_assert(MAX_QUEUE < OPD_TABLES_FDS, "and one that is read, its table and its debug data");
#define LONG_QUEUE	64		/* more are not put off */
#define PUT_OFF_MS	60000		/* after the first of them */
#define MAX_FILE_MS	10000		/* of CPU time for one file */
#define MAX_SILENT_MS	10000		/* without any: its file does not answer */
#define BURST_MS	20000		/* of CPU time, saved up ... */
#define SHARE		50		/* ... as one of so many milliseconds passes */
#define DEBUG_DIR	"/usr/lib/debug/.build-id"

struct job {
	char name[OP_TABLE_NAME_SIZE];
	const struct opd_image *image;	/* the first that was offered with that name */
	int fd;			/* -1: none */
	uint32_t payer;		/* as opd_identity has it */
	bool at_once;
};

struct opd_tables {
	const struct opd_tables_kind *kind;
	void *arg;
	struct opd_log *log;
	struct opd_finder *finder;	/* borrowed */
	struct opd_table_files files;
	struct opd_table_reader reader;
	uint64_t root;			/* the mount where programs are that nobody unmounts */
	struct job queue[MAX_QUEUE];	/* those that are to be read at once come first */
	size_t first, nr;
	uint64_t begin_ms;		/* until then work is put off; 0: nothing was offered yet */
	struct job job;			/* being worked on, when busy */
	bool busy;
	bool broken;			/* it does not work here: told */
	uint64_t job_cpu_ms;		/* what it had used when the job began */
	uint64_t seen_cpu_ms, seen_ms;	/* when it was last seen to have used more */
	int64_t cpu_ms;			/* left of the budget */
	uint64_t refilled_ms;
};

static uint64_t root_mount(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);
	uint64_t mount = fd < 0 ? 0 : opd_mount_of(fd);

	if (fd >= 0)
		close(fd);
	return mount;
}

static void symbols_done(void *arg, const struct opd_image *image, int result)
{
	(void)arg;
	(void)result;
	opd_image_set_kept(image);
}

const struct opd_tables_kind opd_symbol_tables = {
	.what = "symbol tables", .dir = OP_TABLES_DIR, .suffix = OP_TABLE_SUFFIX, .request = OP_TABLE_PLAIN,
	.debug = true, .done = symbols_done,
};

int opd_tables_create(struct opd_tables **ret, const struct opd_tables_kind *kind, void *arg, int samples_fd,
		      uint64_t max_bytes, struct opd_finder *finder, struct opd_log *log)
{
	struct opd_tables *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->kind = kind;
	t->arg = arg;
	t->log = log;
	t->finder = finder;
	t->cpu_ms = BURST_MS;
	t->refilled_ms = op_now_ms();
	t->root = root_mount();
	if (opd_table_reader_init(&t->reader, kind->at_once)) {
		opd_log(log, OPD_WARN, "%s are not made: there is no " OP_TABLE_PROGRAM " here, nor in "
			OPD_LIBEXEC_DIR, kind->what);
		t->broken = true;
	}
	err = opd_table_files_open(&t->files, samples_fd, kind->dir, kind->suffix, max_bytes);
	t->files.copied = kind->copied;
	if (err) {
		opd_tables_destroy(t);
		return err;
	}
	*ret = t;
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* @result: 0, there is a table; EAGAIN, EBUSY, EPIPE and what a full disk says: there may be one the next time. */
static void end_job(struct opd_tables *t, int result)
{
	int err = opd_table_files_end(&t->files, result ? NULL : t->job.name);

	if (!result)
		result = err;
	if (result != -EAGAIN && result != -EBUSY && result != -EPIPE && result != -ENOSPC && result != -EDQUOT)
		t->kind->done(t->arg, t->job.image, result);
	close_fd(&t->job.fd);
	t->busy = false;
}

/* They are offered again when there is time. */
static void drop_queue(struct opd_tables *t)
{
	for (; t->nr; t->nr--) {
		close_fd(&t->queue[t->first].fd);
		t->first = (t->first + 1) % MAX_QUEUE;
	}
}

void opd_tables_destroy(struct opd_tables *t)
{
	if (!t)
		return;
	if (t->busy) {
		opd_table_reader_end(&t->reader, true);
		end_job(t, -EAGAIN);
	}
	opd_table_reader_release(&t->reader);
	drop_queue(t);
	opd_table_files_close(&t->files);
	free(t);
}

/* The administrator's directory: whom it belongs to decides what is in it. */
static int open_debug(const struct opd_image *image)
{
	char hex[2 * sizeof(image->build_id) + 1], path[128];
	struct stat st;
	int fd;

	if (image->build_id_len < 2)
		return -1;
	for (size_t i = 0; i < image->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", image->build_id[i]);
	snprintf(path, sizeof(path), DEBUG_DIR "/%.2s/%s.debug", hex, hex + 2);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
		close_fd(&fd);
	return fd;
}

static int ask_reader(struct opd_tables *t)
{
	int err = opd_table_reader_start(&t->reader), debug_fd;

	if (err && err != -EBUSY) {
		opd_log(t->log, OPD_WARN, "%s are not made: %s cannot be started: %s", t->kind->what,
			t->reader.program, strerror(-err));
		t->broken = true;
	}
	if (err)
		return err;
	t->job_cpu_ms = t->seen_cpu_ms = opd_table_reader_cpu_ms(&t->reader);
	t->seen_ms = op_now_ms();
	debug_fd = t->kind->debug ? open_debug(t->job.image) : -1;
	err = opd_table_reader_ask(&t->reader, t->finder, t->kind->request, t->job.fd, t->job.payer, t->files.new_fd,
				   debug_fd);
	close_fd(&debug_fd);
	if (err)
		opd_table_reader_end(&t->reader, true);
	return err;
}

static void begin_job(struct opd_tables *t)
{
	int err;

	t->job = t->queue[t->first];
	t->first = (t->first + 1) % MAX_QUEUE;
	t->nr--;
	t->busy = true;
	err = opd_table_files_begin(&t->files);
	if (!err)
		err = ask_reader(t);
	if (err)
		end_job(t, err);
}

static void refill(struct opd_tables *t)
{
	uint64_t now = op_now_ms();

	t->cpu_ms += (now - t->refilled_ms) / SHARE;
	t->refilled_ms += (now - t->refilled_ms) / SHARE * SHARE;
	if (t->cpu_ms > BURST_MS)
		t->cpu_ms = BURST_MS;
}

/* It may have to wait for the CPU or the disk, but not for ever. */
static bool is_silent(struct opd_tables *t, uint64_t cpu_ms)
{
	uint64_t now = op_now_ms();

	if (cpu_ms != t->seen_cpu_ms) {
		t->seen_cpu_ms = cpu_ms;
		t->seen_ms = now;
	}
	return now - t->seen_ms > MAX_SILENT_MS;
}

/* The job is done, or the process has ended over it, or takes too long. */
static void take_answer(struct opd_tables *t)
{
	int32_t result = -EIO;
	int err = opd_table_reader_answer(&t->reader, &result);
	uint64_t cpu_ms = opd_table_reader_cpu_ms(&t->reader), used = cpu_ms - t->job_cpu_ms;

	if (err == -EAGAIN && used <= MAX_FILE_MS && !is_silent(t, cpu_ms))
		return;
	if (err) {
		opd_log(t->log, OPD_INFO, "no %s of %s: reading %s %s", t->kind->what, t->job.name,
			t->job.image->path, err == -EAGAIN ? "takes too long" : "failed");
		opd_table_reader_end(&t->reader, true);
		result = -EIO;
		used = err == -EAGAIN && used > MAX_FILE_MS ? used : MAX_FILE_MS / 10;
	}
	if (result == -EPERM || result == -ENOTSUP || result == -EINVAL) {
		opd_log(t->log, OPD_WARN, "%s are not made: " OP_TABLE_PROGRAM " cannot give up its rights here: %s",
			t->kind->what, strerror(-result));
		t->broken = true;
	}
	t->cpu_ms -= (int64_t)used;
	end_job(t, result);
}

/*
 * A session's first moments bring the most binaries. Reading them then would be what a short profile of a
 * quiet machine shows; they are held open, and so lose nothing by waiting. Where that would keep a file
 * system from being unmounted they are read at once.
 */
static bool is_due(const struct opd_tables *t)
{
	return t->nr && (t->nr > LONG_QUEUE || t->queue[t->first].at_once || op_now_ms() >= t->begin_ms);
}

void opd_tables_turn(struct opd_tables *t)
{
	if (!t)
		return;
	if (t->busy)
		take_answer(t);
	refill(t);
	if (t->broken || t->cpu_ms <= 0)
		drop_queue(t);
	while (!t->busy && !t->broken && is_due(t))
		begin_job(t);
	if (!t->busy)
		opd_table_reader_end(&t->reader, false);
}

const char *opd_tables_program(const struct opd_tables *t)
{
	return t ? t->reader.program : NULL;
}

int opd_tables_fd(const struct opd_tables *t)
{
	return t && t->busy ? t->reader.socket : -1;
}

void opd_tables_wait(struct opd_tables *t, int ms)
{
	uint64_t end = op_now_ms() + ms;

	while (t && (t->busy || is_due(t)) && op_now_ms() < end) {
		struct pollfd fd = { .fd = t->reader.socket, .events = POLLIN };

		if (t->busy)
			poll(&fd, 1, 20);
		opd_tables_turn(t);
	}
}

static bool is_waiting(const struct opd_tables *t, const char *name)
{
	if (t->busy && !strcmp(t->job.name, name))
		return true;
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->queue[(t->first + i) % MAX_QUEUE].name, name))
			return true;
	return false;
}

static int name_of(const struct opd_tables *t, const struct opd_image *image, char name[OP_TABLE_NAME_SIZE])
{
	int err = op_table_name(name, &image->identity, image->mtime, image->build_id, image->build_id_len);

	if (!err)
		strcpy(strrchr(name, '.'), t->kind->suffix);
	return err;
}

int opd_tables_open(const struct opd_tables *t, const struct opd_image *image)
{
	char name[OP_TABLE_NAME_SIZE];
	int fd;

	if (!t || name_of(t, image, name) || !opd_table_files_use(&t->files, name))
		return -ENOENT;
	fd = openat(t->files.dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

void opd_tables_remove(const struct opd_tables *t, const struct opd_image *image)
{
	char name[OP_TABLE_NAME_SIZE];

	if (!name_of(t, image, name))
		unlinkat(t->files.dir_fd, name, 0);
}

/* There is room. */
static void add_job(struct opd_tables *t, const struct job *job)
{
	size_t at = t->first + t->nr;

	/* Where none is put off each has its turn. */
	if (job->at_once && !t->kind->at_once)
		at = t->first = (t->first + MAX_QUEUE - 1) % MAX_QUEUE;
	t->queue[at % MAX_QUEUE] = *job;
	t->nr++;
}

void opd_tables_offer(struct opd_tables *t, const struct opd_image *image, const struct opd_identity *identity)
{
	char name[OP_TABLE_NAME_SIZE];
	struct job job;

	if (!t || t->broken || name_of(t, image, name))
		return;
	if (opd_table_files_use(&t->files, name)) {
		t->kind->done(t->arg, image, 0);
		return;
	}
	if (t->nr == MAX_QUEUE || t->cpu_ms <= 0 || is_waiting(t, name))
		return;
	memcpy(job.name, name, sizeof(name));
	job.image = image;
	job.fd = fcntl(identity->fd, F_DUPFD_CLOEXEC, 0);
	if (job.fd < 0)
		return;
	job.payer = identity->payer;
	job.at_once = t->kind->at_once || !identity->mount || identity->mount != t->root;
	add_job(t, &job);
	if (!t->begin_ms)
		t->begin_ms = op_now_ms() + (t->kind->at_once ? 0 : PUT_OFF_MS);
	if (!t->busy)
		opd_tables_turn(t);
}

static int catch_up(void *arg, const struct opd_image *image)
{
	struct opd_tables *t = arg;
	struct opd_identity identity = { .fd = -1 };
	char name[OP_TABLE_NAME_SIZE];

	if (!image->used || !image->identity.build)
		return 0;
	if (image->kept) {
		if (name_of(t, image, name) == 0)
			opd_table_files_use(&t->files, name);
		return 0;
	}
	if (t->nr == MAX_QUEUE || t->cpu_ms <= 0)
		return 1;
	if (opd_finder_find(t->finder, &identity, image->path, image->dev, image->ino, 0))
		return 0;
	if (identity.identity.build == image->identity.build && identity.fd >= 0)
		opd_tables_offer(t, image, &identity);
	opd_identity_release(&identity);
	return 0;
}

void opd_tables_catch_up(struct opd_tables *t, struct opd_images *images)
{
	if (!t || t->broken)
		return;
	refill(t);
	opd_images_for_each(images, catch_up, t);
	if (t->begin_ms)
		t->begin_ms = op_now_ms();
	opd_tables_turn(t);
}
