// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tables.c -- symbol tables and unwind tables of binaries: decides when to read each binary, and
 * stores the tables.
 */
#include "config.h"
#include "daemon/store/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
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
#include "daemon/image/open_below.h"
#include "daemon/store/table_queue.h"
#include "daemon/store/table_reader.h"
#include "libcfi/file.h"
#include "libop/base/clock.h"
#include "libop/base/hash.h"
#include "libop/base/id_ranges.h"
#include "libop/base/owner.h"
#include "libop/session/table_files.h"
#include "libop/session/table_request.h"
#include "libop/session/table_seal.h"

/* each worker has four descriptors: its socket, the binary, the new table and the debug file */
_Static_assert(OPD_TABLE_JOBS + 4 * OPD_TABLE_WORKERS <= OPD_TABLES_FDS,
	       "the daemon counts on that limit");
/* if the queue has at least this many jobs, jobs are no longer postponed */
#define LONG_QUEUE	64
/* time in ms, from the first request of a session, during which jobs that may be postponed do not
 * start */
#define PUT_OFF_MS	60000
/* if a worker has used no CPU time for this many ms, its file is assumed to block it */
#define MAX_SILENT_MS	10000
#define DEBUG_DIR	"/usr/lib/debug"

/* A helper process (worker) that makes tables. If .busy, the members below describe its current
 * job. */
struct worker {
	struct opd_table_reader reader;
	bool busy;
	struct opd_table_job job;
	struct op_new_table new;
	/* CPU time of the worker at the start of the job */
	uint64_t job_cpu_ms;
	/* .seen_cpu_ms: CPU time of the worker when it was last read; .seen_ms: time when it last
	 * increased */
	uint64_t seen_cpu_ms, seen_ms;
};

struct opd_tables {
	const struct opd_tables_kind *kind;
	void (*done)(void *arg, const struct opd_image *image, int result);
	void *arg;
	struct opd_log *log;
	struct opd_finder *finder;	/* opens users' files in a worker process; borrowed */
	struct op_table_files files;
	/* helper processes that make tables; only the first kind->workers elements are used */
	struct worker workers[OPD_TABLE_WORKERS];
	/* mount id of /. This mount is never unmounted, so its files may stay open. */
	uint64_t root;
	struct opd_table_queue queue;
	/* time at which postponed jobs start; 0: no job was requested yet */
	uint64_t begin_ms;
	/* no helper process can run on this machine, and this was logged */
	bool broken;
};

static uint64_t root_mount(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);
	uint64_t mount = fd < 0 ? 0 : opd_mount_of(fd);

	if (fd >= 0)
		close(fd);
	return mount;
}

void opd_symbol_table_done(void *arg, const struct opd_image *image, int result)
{
	(void)arg;
	(void)result;
	opd_image_set_kept(image);
}

const struct opd_tables_kind opd_symbol_tables = {
	.what = "symbol tables", .suffix = OP_TABLE_SUFFIX, .request = OP_TABLE_PLAIN,
	.debug_request = OP_TABLE_WITH_DEBUG, .workers = 1, .sealed = true,
};

const struct opd_tables_kind opd_stack_tables = {
	.what = "unwind tables",
	.suffix = OP_UNWIND_SUFFIX,
	.version = CFI_FILE_VERSION,
	.request = OP_TABLE_UNWIND,
	.debug_request = OP_TABLE_UNWIND_WITH_DEBUG,
	.at_once = true,
	.workers = OPD_TABLE_WORKERS,
	.copied = true,
};

static int create_workers(struct opd_tables *t)
{
	int err = 0;

	for (size_t i = 0; i < OPD_TABLE_WORKERS; i++)
		t->workers[i] = (struct worker){ .reader.socket = -1, .new.fd = -1 };
	for (size_t i = 0; i < t->kind->workers && !err; i++)
		err = opd_table_reader_init(&t->workers[i].reader, t->kind->at_once);
	return err;
}

int opd_tables_create(struct opd_tables **ret, const struct opd_tables_setup *setup)
{
	struct opd_tables *t = calloc(1, sizeof(*t));
	int err;

	if (!t) {
		close(setup->dir_fd);
		return -ENOMEM;
	}
	t->kind = setup->kind;
	t->done = setup->done;
	t->arg = setup->arg;
	t->log = setup->log;
	t->finder = setup->finder;
	t->root = root_mount();
	err = create_workers(t);
	if (err) {
		opd_log(t->log, OPD_WARN,
			err == -EPERM ?
			"cannot make %s: another user can replace " OP_TABLE_PROGRAM
			" beside oprofiled: install it in " OPD_LIBEXEC_DIR :
			"cannot make %s: cannot find " OP_TABLE_PROGRAM
			" beside oprofiled or in " OPD_LIBEXEC_DIR,
			t->kind->what);
		t->broken = true;
	}
	err = op_table_files_open(&t->files, setup->dir_fd, setup->max_bytes, OP_SUBUID);
	t->files.suffix = t->kind->suffix;
	t->files.own_max_bytes = setup->own_max_bytes;
	if (!err)
		op_table_files_make_room(&t->files);
	if (!err)
		err = opd_table_queue_init(&t->queue, OP_SUBUID, op_now_ms());
	t->files.copied = t->kind->copied;
	t->files.in_memory = setup->in_memory;
	t->queue.waiting = setup->waiting;
	t->queue.waiting_arg = setup->arg;
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

/* End the worker's job with @result, 0 or a negative errno. After -EAGAIN, -EBUSY, -EPIPE or a full
 * disk, the table may be requested again. After any other error the image never gets a table. */
static void end_job(struct opd_tables *t, struct worker *w, int result)
{
	int err = w->new.fd < 0
			  ? 0
			  : op_table_files_end(&t->files, &w->new, result ? NULL : w->job.name);

	if (!result)
		result = err;
	w->busy = false;
	if (result != -EAGAIN && result != -EBUSY && result != -EPIPE && result != -ENOSPC &&
	    result != -EDQUOT)
		t->done(t->arg, w->job.image, result);
	close_fd(&w->job.fd);
}

void opd_tables_destroy(struct opd_tables *t)
{
	if (!t)
		return;
	for (struct worker *w = t->workers; w < t->workers + OPD_TABLE_WORKERS; w++) {
		if (w->busy) {
			opd_table_reader_end(&w->reader, true);
			end_job(t, w, -EAGAIN);
		}
		opd_table_reader_release(&w->reader);
	}
	opd_table_queue_release(&t->queue);
	op_table_files_close(&t->files);
	free(t);
}

/*
 * Set @path to the path number @nr at which the image's separate debug file may be: below
 * /usr/lib/debug, where only the administrator can write, by build-id or by path; or beside the
 * binary. The daemon of root does not look beside the binary, because other users may control that
 * path. Return 1; 0 if the image has no path with this number; or -1 after the last path. The
 * reader process checks the build-id of the file.
 */
static int debug_place(char path[PATH_MAX], const struct opd_image *image, unsigned int nr)
{
	const char *name = strrchr(image->path, '/');
	char hex[2 * sizeof(image->build_id) + 1] = "";
	int len = 0;

	if (nr > 3 || (nr > 1 && op_reads_all_users()) || !name)
		return -1;
	for (size_t i = 0; i < image->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", image->build_id[i]);
	if (nr == 0 && image->build_id_len >= 2)
		len = snprintf(path, PATH_MAX, DEBUG_DIR "/.build-id/%.2s/%s.debug", hex, hex + 2);
	else if (nr == 1)
		len = snprintf(path, PATH_MAX, DEBUG_DIR "%s.debug", image->path);
	else if (nr == 2)
		len = snprintf(path, PATH_MAX, "%.*s/.debug%s.debug", (int)(name - image->path),
			       image->path, name);
	else if (nr == 3)
		len = snprintf(path, PATH_MAX, "%s.debug", image->path);
	return len > 0 && len < PATH_MAX;
}

/* Return a descriptor of the image's separate debug file, or -1. */
static int open_debug(const struct opd_image *image)
{
	char path[PATH_MAX];
	struct stat st;
	int fd = -1, there;

	for (unsigned int nr = 0; fd < 0 && (there = debug_place(path, image, nr)) >= 0; nr++) {
		fd = there ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
		if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
			close_fd(&fd);
	}
	return fd;
}

/* Return a number that identifies the current contents of the image's separate debug file, or 0 if
 * the image has no such file. */
static uint32_t debug_stamp(const struct opd_image *image)
{
	int fd = open_debug(image);
	struct stat st;
	uint64_t hash = 0;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		hash = op_hash_number(OP_HASH_BEGIN, st.st_ino);
		hash = op_hash_number(hash, (uint64_t)st.st_size);
		hash = op_hash_number(hash, (uint64_t)st.st_ctim.tv_sec * 1000000000u +
						    (uint64_t)st.st_ctim.tv_nsec);
		hash |= 1;
	}
	close_fd(&fd);
	return (uint32_t)hash;
}

static int send_job(struct opd_tables *t, struct worker *w)
{
	int err = opd_table_reader_start(&w->reader), debug_fd;

	if (err && err != -EBUSY) {
		opd_log(t->log, OPD_WARN, "cannot make %s: cannot start %s: %s",
			t->kind->what, w->reader.program, strerror(-err));
		t->broken = true;
	}
	if (err)
		return err;
	w->job_cpu_ms = w->seen_cpu_ms = opd_table_reader_cpu_ms(&w->reader);
	w->seen_ms = op_now_ms();
	debug_fd = w->job.debug ? open_debug(w->job.image) : -1;
	err = opd_table_reader_request(&w->reader, t->finder,
				       debug_fd >= 0 ? t->kind->debug_request : t->kind->request,
				       w->job.fd, w->job.payer, w->new.fd, debug_fd);
	close_fd(&debug_fd);
	if (err)
		opd_table_reader_end(&w->reader, true);
	return err;
}

/* Start the job in w->job: open the output file and send the request to the worker. */
static void begin_job(struct opd_tables *t, struct worker *w)
{
	int err;

	w->busy = true;
	err = op_table_files_begin(&t->files, &w->new);
	if (!err)
		err = send_job(t, w);
	if (err)
		end_job(t, w, err);
}

/* Return true if the worker has used no CPU time for so long that its file must be blocking it.
 * @cpu_ms: CPU time of the worker. */
static bool is_silent(struct worker *w, uint64_t cpu_ms)
{
	uint64_t now = op_now_ms();

	if (cpu_ms != w->seen_cpu_ms) {
		w->seen_cpu_ms = cpu_ms;
		w->seen_ms = now;
	}
	return now - w->seen_ms > MAX_SILENT_MS;
}

/* End the worker's job if the worker has answered or exited, or has exceeded the time limit. */
static void handle_answer(struct opd_tables *t, struct worker *w)
{
	int32_t result = -EIO;
	int err = opd_table_reader_answer(&w->reader, &result);
	uint64_t cpu_ms = opd_table_reader_cpu_ms(&w->reader);
	double used = (double)(cpu_ms - w->job_cpu_ms);
	bool too_long = err == -EAGAIN && used > w->job.max_ms;

	if (err == -EAGAIN && !too_long && !is_silent(w, cpu_ms))
		return;
	if (err) {
		opd_log(t->log, OPD_INFO, "cannot make %s of %s: reading %s "
					  "%s", t->kind->what, w->job.name,
			w->job.image->path, err == -EAGAIN ? "takes too long" : "failed");
		opd_table_reader_end(&w->reader, true);
		/* Allow another attempt if the time limit was lower than usual because the user had
		 * little CPU time left. */
		result = too_long && w->job.max_ms < OPD_TABLE_FILE_MS ? -EAGAIN : -EIO;
		used = too_long ? used : OPD_TABLE_FILE_MS / 10;
	}
	if (result == -EPERM || result == -ENOTSUP || result == -EINVAL) {
		opd_log(t->log, OPD_WARN,
			"cannot make %s: " OP_TABLE_PROGRAM " cannot drop its privileges: %s",
			t->kind->what, strerror(-result));
		t->broken = true;
	}
	opd_table_queue_spend(&t->queue, &w->job, used, too_long);
	end_job(t, w, result);
}

/*
 * Store in *@ret the next job that may start. When a session starts, many binaries need tables at
 * once. If they were read immediately, a short profile of a quiet machine would mainly show the
 * reading of binaries. So jobs wait, with the binary open. If the open binary would prevent an
 * unmount, its job does not wait.
 */
static bool next_due_job(struct opd_tables *t, struct opd_table_job *ret)
{
	return opd_table_queue_pop(&t->queue,
				   t->queue.nr > LONG_QUEUE || op_now_ms() >= t->begin_ms, ret);
}

static void run_worker(struct opd_tables *t, struct worker *w)
{
	if (w->busy)
		handle_answer(t, w);
	while (!w->busy && !t->broken && next_due_job(t, &w->job))
		begin_job(t, w);
	if (!w->busy)
		opd_table_reader_end(&w->reader, false);
}

void opd_tables_turn(struct opd_tables *t)
{
	if (!t)
		return;
	opd_table_queue_turn(&t->queue, op_now_ms());
	for (size_t i = 0; i < t->kind->workers; i++)
		run_worker(t, &t->workers[i]);
	if (t->broken)
		opd_table_queue_clear(&t->queue);
}

const char *opd_tables_program(const struct opd_tables *t)
{
	return t ? t->workers[0].reader.program : NULL;
}

size_t opd_tables_fds(const struct opd_tables *t, struct pollfd fds[OPD_TABLE_WORKERS])
{
	size_t nr = 0;

	for (size_t i = 0; t && i < t->kind->workers; i++)
		if (t->workers[i].busy)
			fds[nr++] = (struct pollfd){.fd = t->workers[i].reader.socket,
						    .events = POLLIN};
	return nr;
}

bool opd_tables_busy(const struct opd_tables *t)
{
	struct pollfd fds[OPD_TABLE_WORKERS];

	return opd_tables_fds(t, fds) > 0;
}

/* Wait until at most @max workers are busy, but no longer than @ms milliseconds. */
static void wait_for(struct opd_tables *t, size_t max, int ms)
{
	struct pollfd fds[OPD_TABLE_WORKERS];
	uint64_t end = op_now_ms() + ms;
	size_t nr;

	opd_tables_turn(t);
	while ((nr = opd_tables_fds(t, fds)) > max && op_now_ms() < end) {
		poll(fds, nr, 20);
		opd_tables_turn(t);
	}
}

void opd_tables_wait(struct opd_tables *t, int ms)
{
	wait_for(t, 0, ms);
}

void opd_tables_wait_idle(struct opd_tables *t, int ms)
{
	if (t)
		wait_for(t, t->kind->workers - 1, ms);
}

static bool is_waiting(const struct opd_tables *t, const char *name)
{
	for (size_t i = 0; i < t->kind->workers; i++)
		if (t->workers[i].busy && !strcmp(t->workers[i].job.name, name))
			return true;
	return opd_table_queue_has(&t->queue, name);
}

/* Write the file name of the table of @image to @name. Return 1 if making the table also needs the
 * separate debug file, 0 if not, or a negative errno. */
static int name_of(const struct opd_tables *t, const struct opd_image *image,
		   char name[OP_TABLE_NAME_SIZE])
{
	int err = op_table_name(name, &image->identity, image->mtime, image->build_id,
				image->build_id_len);
	uint32_t stamp;
	size_t size;
	char *end;
	int at;

	if (err)
		return err;
	stamp = debug_stamp(image);
	if (!t->kind->version) {
		/* Do not add the number of the debug file's contents to the name of a symbol table:
		 * reports look up the table by its name, but may not have access to the debug file,
		 * and all debug files of a build have the same symbols. */
		if (stamp)
			op_table_name_debug(name);
		return stamp != 0;
	}
	end = strrchr(name, '.');
	size = OP_TABLE_NAME_SIZE - (size_t)(end - name);
	at = snprintf(end, size, "%s%u", t->kind->suffix, t->kind->version);
	if (stamp)
		snprintf(end + at, size - (size_t)at, "d%08" PRIx32, stamp);
	return stamp != 0;
}

bool opd_tables_has(const struct opd_tables *t, const struct opd_image *image)
{
	char name[OP_TABLE_NAME_SIZE];

	return t && name_of(t, image, name) >= 0 && op_table_files_use(&t->files, name);
}

int opd_tables_open(const struct opd_tables *t, const struct opd_image *image)
{
	char name[OP_TABLE_NAME_SIZE];
	int fd;

	if (!t || name_of(t, image, name) < 0 || !op_table_files_use(&t->files, name))
		return -ENOENT;
	fd = openat(t->files.dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

void opd_tables_use(const struct opd_tables *t, const struct opd_image *image)
{
	opd_tables_has(t, image);
}

void opd_tables_remove(const struct opd_tables *t, const struct opd_image *image)
{
	char name[OP_TABLE_NAME_SIZE];

	if (name_of(t, image, name) >= 0)
		unlinkat(t->files.dir_fd, name, 0);
}

static bool has_idle_worker(const struct opd_tables *t)
{
	struct pollfd fds[OPD_TABLE_WORKERS];

	return opd_tables_fds(t, fds) < t->kind->workers;
}

/* Return true if the table of the job exists and is intact. Delete a damaged table, so that it is
 * made again. */
static bool has_valid_table(struct opd_tables *t, const struct opd_table_job *job)
{
	if (!op_table_files_use(&t->files, job->name))
		return false;
	if (!t->kind->sealed || op_table_is_valid(t->files.dir_fd, job->name))
		return true;
	opd_log(t->log, OPD_INFO,
		"the table %s of %s is damaged or of an earlier version: the daemon makes it "
		"again", job->name,
		job->image->path);
	unlinkat(t->files.dir_fd, job->name, 0);
	return false;
}

bool opd_tables_offer(struct opd_tables *t, const struct opd_image *image,
		      const struct opd_identity *identity)
{
	struct opd_table_job job = {
		.image = image,
		.at_once =
			t && (t->kind->at_once || !identity->mount || identity->mount != t->root),
	};
	int debug;

	debug = !t || t->broken ? -EINVAL : name_of(t, image, job.name);
	if (debug < 0)
		return false;
	job.debug = debug;
	if (has_valid_table(t, &job)) {
		t->done(t->arg, image, 0);
		return true;
	}
	if (is_waiting(t, job.name))
		return true;
	/* If the job must not be postponed but other jobs of this kind are, insert it at the front
	 * of the queue. */
	if (!opd_table_queue_add(&t->queue, &job, identity, job.at_once && !t->kind->at_once))
		return false;
	if (!t->begin_ms)
		t->begin_ms = op_now_ms() + (t->kind->at_once ? 0 : PUT_OFF_MS);
	if (has_idle_worker(t))
		opd_tables_turn(t);
	return true;
}

bool opd_tables_wants(const struct opd_tables *t, const struct opd_image *image)
{
	char name[OP_TABLE_NAME_SIZE];

	return t && !t->broken && name_of(t, image, name) >= 0 && !is_waiting(t, name) &&
	       opd_table_queue_may(&t->queue, OPD_NO_PAYER, image);
}

static int catch_up(void *arg, const struct opd_image *image)
{
	struct opd_tables *t = arg;
	struct opd_identity identity = { .fd = -1 };
	char name[OP_TABLE_NAME_SIZE];

	if (!image->used || !image->identity.build)
		return 0;
	if (image->kept) {
		if (name_of(t, image, name) >= 0)
			op_table_files_use(&t->files, name);
		return 0;
	}
	if (opd_table_queue_full(&t->queue))
		return 1;
	if (!opd_tables_wants(t, image))
		return 0;
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
	opd_table_queue_turn(&t->queue, op_now_ms());
	opd_images_for_each(images, catch_up, t);
	if (t->begin_ms)
		t->begin_ms = op_now_ms();
	opd_tables_turn(t);
}
