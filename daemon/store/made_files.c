// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made_files.c -- unwind tables of JIT code: requests them from a helper process, and loads them.
 */
#include "config.h"
#include "daemon/store/made_files.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/shares.h"
#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/image/jit.h"
#include "daemon/image/made_tables.h"
#include "libop/base/id_ranges.h"
#include "libop/session/identity.h"
#include "libop/session/table_request.h"

#define MAX_JOBS	(OPD_MADE_FILES_FDS - 8)
#define STEP_MS		20

/* A request to make an unwind table from a process's dump file. The request is being processed or
 * is queued. */
struct job {
	/* identifies the dump file for struct opd_tables; must be the first member, because done()
	 * casts it to struct job */
	struct opd_image image;
	char path[32];
	/* process that wrote the dump file; 0: unused job */
	pid_t tgid;
	off_t size;
	/* resource share of the user who owns the process; NULL: root */
	struct opd_share *share;
};

struct opd_made_files {
	struct opd_shares *shares;
	struct opd_made_tables *tables;
	struct opd_tables *files;
	struct opd_jit *jit;
	struct job jobs[MAX_JOBS];
};

static void end_job(struct opd_made_files *f, struct job *job, int fd)
{
	if (fd < 0 || opd_made_tables_load(f->tables, job->tgid, fd, job->size))
		opd_made_tables_unchanged(f->tables, job->tgid);
	if (job->share)
		job->share->jobs--;
	job->tgid = 0;
}

static void done(void *arg, const struct opd_image *image, int result)
{
	struct opd_made_files *f = arg;
	struct job *job = &f->jobs[(const struct job *)image - f->jobs];
	int fd = result ? -1 : opd_tables_open(f->files, image);

	end_job(f, job, fd);
	if (fd < 0)
		return;
	opd_tables_remove(f->files, image);
	close(fd);
}

/* Initialize @job. The job's identity contains a random number, so that the file name of the table
 * is unique. */
static int name_job(struct job *job, pid_t tgid, const struct stat *st)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EAGAIN;
	*job = (struct job){ .tgid = tgid, .size = st->st_size, .share = job->share };
	snprintf(job->path, sizeof(job->path), "jit-%d.dump", (int)tgid);
	job->image.path = job->path;
	job->image.mtime = number;
	job->image.identity = (struct op_identity){ 1, op_identity_of_owner(st->st_uid) };
	return 0;
}

/* Return an unused job for process @tgid, and set the resource share of the process's user. Return
 * NULL if the user has too many jobs. The queue of struct opd_tables always has space for the
 * job. */
static struct job *find_job(struct opd_made_files *f, pid_t tgid)
{
	struct opd_share *share = opd_shares_find(f->shares, tgid, 0);
	struct job *unused = NULL;
	size_t nr_unused = 0;

	for (struct job *job = f->jobs; job < f->jobs + MAX_JOBS; job++) {
		if (job->tgid)
			continue;
		unused = job;
		nr_unused++;
	}
	if (!opd_share_may(share, share ? share->jobs : 0, nr_unused))
		return NULL;
	unused->share = share;
	return unused;
}

static void want(void *arg, pid_t tgid, off_t had)
{
	struct opd_made_files *f = arg;
	struct opd_identity identity;
	struct job *job = find_job(f, tgid);
	struct stat st;

	if (!job || opd_jit_open_dump(f->jit, tgid, &identity, &st)) {
		opd_made_tables_unchanged(f->tables, tgid);
		return;
	}
	if (st.st_size == had || name_job(job, tgid, &st)) {
		opd_made_tables_unchanged(f->tables, tgid);
	} else {
		if (job->share)
			job->share->jobs++;
		if (!opd_tables_offer(f->files, &job->image, &identity))
			end_job(f, job, -1);
	}
	opd_identity_release(&identity);
}

int opd_made_files_create(struct opd_made_files **ret, struct opd_jit *jit)
{
	struct opd_made_files *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->jit = jit;
	f->shares = opd_shares_create("/proc", OP_SUBUID);
	err = f->shares ? opd_made_tables_create(&f->tables, want, f) : -ENOMEM;
	if (err) {
		opd_shares_destroy(f->shares);
		free(f);
		return err;
	}
	opd_made_tables_set_shares(f->tables, f->shares);
	*ret = f;
	return 0;
}

struct opd_tables **opd_made_files_setup(struct opd_made_files *f, struct opd_tables_setup *setup)
{
	static const struct opd_tables_kind kind = {
		.what = "unwind tables of JIT code",
		.suffix = OP_UNWIND_SUFFIX "m",
		.version = 1,
		.request = OP_TABLE_MADE,
		.at_once = true,
		.workers = 1,
		.copied = true,
	};

	*setup = (struct opd_tables_setup){
		.kind = &kind, .done = done, .arg = f, .own_max_bytes = UINT64_MAX,
	};
	return &f->files;
}

void opd_made_files_destroy(struct opd_made_files *f)
{
	if (!f)
		return;
	opd_tables_destroy(f->files);
	opd_made_tables_destroy(f->tables);
	opd_shares_destroy(f->shares);
	free(f);
}

struct opd_made_tables *opd_made_files_tables(struct opd_made_files *f)
{
	return f ? f->tables : NULL;
}

/* End the jobs that struct opd_tables has dropped because their users had used up their CPU
 * time. */
static void end_discarded(struct opd_made_files *f)
{
	if (opd_tables_busy(f->files))
		return;
	for (struct job *job = f->jobs; job < f->jobs + MAX_JOBS; job++)
		if (job->tgid)
			end_job(f, job, -1);
}

bool opd_made_files_wait(struct opd_made_files *f, int ms)
{
	if (!f)
		return false;
	if (ms && opd_tables_busy(f->files))
		opd_tables_wait(f->files, ms);
	else if (ms && opd_made_tables_waiting(f->tables))
		poll(NULL, 0, ms < STEP_MS ? ms : STEP_MS);
	end_discarded(f);
	return opd_made_tables_waiting(f->tables);
}

size_t opd_made_files_fds(const struct opd_made_files *f, struct pollfd fds[OPD_TABLE_WORKERS])
{
	return f ? opd_tables_fds(f->files, fds) : 0;
}

void opd_made_files_turn(struct opd_made_files *f)
{
	if (!f)
		return;
	opd_tables_turn(f->files);
	end_discarded(f);
}

bool opd_made_files_busy(const struct opd_made_files *f)
{
	return f && opd_tables_busy(f->files);
}
