// SPDX-License-Identifier: GPL-2.0-or-later
/* jit.c -- careful copies out of a directory that everybody may write to, and out of users' own. */
#include "config.h"
#include "daemon/image/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/session.h"
#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/jit_budget.h"
#include "daemon/image/jit_dump.h"
#include "libop/base/clock.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"

#define MAX_PROCESSES	4096
#define MAX_FILE	(64ll << 20)	/* bytes */
#define MAX_SMALL	(4ll << 20)
#define SLICE		(512 << 10)	/* bytes, and */
#define SLICE_FILES	64		/* files looked at, in one turn of the loop */
#define LOOK_MS		20		/* mappings looked at in a millisecond, for all together; */
#define LOOK_AT_ONCE	OPD_JIT_DUMP_LINES
#define LOOK_LEAST	20		/* what opening a file of /proc costs, in mappings */

/* The kinds of file a process may have in /tmp, and what stands behind its number in the session. */
static const struct {
	const char *prefix, *suffix, *kept;
} kinds[] = {
	{ "perf-", "map", "map" },
	{ "jit-", "dump", "dump" },
	{ ".oprofile/jitdump/", "dump", "agent" },	/* OProfile 1.x's agents */
};

#define DUMP		1		/* the second of them */
#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

struct copy {			/* what the original was when it was copied */
	off_t size;
	struct timespec mtime;
	bool told;		/* that it was left out */
};

struct process {
	pid_t tgid;
	uid_t uid;		/* when it was seen first */
	struct copy copies[NR_KINDS];
	struct opd_jit_dump dump;
	bool looked;		/* for it */
};

/* The one copy under way. */
struct job {
	int from, to;		/* to: -1 there is none */
	bool found;		/* from is a descriptor by O_PATH, for the finder */
	uint32_t payer;		/* of that */
	int jit_fd;
	pid_t tgid;
	size_t kind;
	uid_t uid;
	struct stat st;
	off_t left;
};

struct opd_jit {
	const char *proc_dir, *tmp_dir;
	struct process *processes;	/* by tgid */
	size_t nr;
	pid_t last;		/* noted, or not to be */
	uint64_t left_out;
	struct opd_jit_budgets budgets;
	struct opd_jit_budget looks;	/* at mappings */
	struct opd_finder *finder;

	bool round, again;	/* a round is under way; another was asked for meanwhile */
	bool all, again_all;	/* large files too */
	pid_t next_tgid;	/* where the round goes on */
	size_t next_kind;
	struct job job;
};

struct opd_jit *opd_jit_create(const char *proc_dir, const char *tmp_dir, const char *subuid,
			       struct opd_finder *finder)
{
	struct opd_jit *jit = calloc(1, sizeof(*jit));

	if (!jit || opd_jit_budgets_init(&jit->budgets, subuid)) {
		free(jit);
		return NULL;
	}
	jit->proc_dir = proc_dir;
	jit->tmp_dir = tmp_dir;
	jit->finder = finder;
	jit->job.to = -1;
	return jit;
}

static void copy_name(char name[64], const struct job *job, const char *end)
{
	snprintf(name, 64, "%d.%s%s", (int)job->tgid, kinds[job->kind].kept, end);
}

static void close_job(struct job *job)
{
	close(job->from);
	close(job->to);
	close(job->jit_fd);
	job->to = -1;
}

static void drop_job(struct job *job)
{
	char name[64];

	if (job->to < 0)
		return;
	copy_name(name, job, ".tmp");
	unlinkat(job->jit_fd, name, 0);
	close_job(job);
}

static void forget_processes(struct opd_jit *jit)
{
	while (jit->nr)
		opd_jit_dump_release(&jit->processes[--jit->nr].dump);
}

void opd_jit_destroy(struct opd_jit *jit)
{
	if (!jit)
		return;
	drop_job(&jit->job);
	forget_processes(jit);
	free(jit->processes);
	opd_jit_budgets_release(&jit->budgets);
	free(jit);
}

void opd_jit_restart(struct opd_jit *jit)
{
	if (!jit)
		return;
	drop_job(&jit->job);
	jit->round = jit->again = false;
	forget_processes(jit);
	jit->last = 0;
	jit->left_out = 0;
	opd_jit_budgets_restart(&jit->budgets);
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

/* The first process whose tgid is not less. */
static size_t find(const struct opd_jit *jit, pid_t tgid)
{
	return op_partition_point(i, jit->nr, jit->processes[i].tgid < tgid);
}

/* Whose maps are long, or who has many processes, has them read later, or not at all. */
static void find_dump(struct opd_jit *jit, struct process *process)
{
	size_t nr_lines;

	opd_jit_budget_earn(&jit->looks, op_now_ms(), LOOK_MS, LOOK_AT_ONCE);
	if (jit->looks.left <= 0)
		return;
	opd_jit_dump_find(&process->dump, jit->finder, jit->proc_dir, process->tgid, &nr_lines);
	jit->looks.left -= (off_t)nr_lines + LOOK_LEAST;
	process->looked = true;
}

void opd_jit_note(struct opd_jit *jit, pid_t tgid)
{
	struct process *processes;
	size_t low;
	uid_t uid;

	if (!jit || tgid == jit->last || tgid <= 0)
		return;
	jit->last = tgid;
	low = find(jit, tgid);
	if ((low < jit->nr && jit->processes[low].tgid == tgid) || jit->nr == MAX_PROCESSES ||
	    owner_of(jit, tgid, &uid))
		return;
	if (op_grow(&jit->processes, jit->nr))
		return;
	processes = jit->processes;
	memmove(processes + low + 1, processes + low, (jit->nr - low) * sizeof(*processes));
	processes[low] = (struct process){ .tgid = tgid, .uid = uid };
	jit->nr++;
	find_dump(jit, &processes[low]);	/* the process may end soon */
}

/* A regular file with one name, of the process' user or root. */
static bool is_his(const struct stat *st, uid_t uid)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 1 && (st->st_uid == uid || st->st_uid == 0) && st->st_size > 0;
}

/*
 * Nothing that is mounted upon it, or led
 * to, is opened: a user's FUSE file answers when he likes. O_NONBLOCK is for FIFOs and leases.
 */
static int open_original(int tmp_fd, const char *name, uid_t uid, struct stat *st)
{
	struct open_how how = {
		.flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS,
	};
	int fd = (int)syscall(SYS_openat2, tmp_fd, name, &how, sizeof(how));

	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && is_his(st, uid))
		return fd;
	close(fd);
	return -1;
}

/*
 * What only a user's processes see under a name is his own, or none of his telling: of a mapped file only the number
 * is compared there, and whatever has the same one can be mounted in its place, also what he may not read.
 */
static bool may_show(const struct opd_jit *jit, const struct opd_identity *identity, const struct stat *st)
{
	return identity->payer == OPD_NOBODY ||
	       identity->payer == opd_id_ranges_payer(&jit->budgets.ranges, st->st_uid);
}

/* The one that @process has mapped: a descriptor by O_PATH. */
static int open_mapped(struct opd_jit *jit, struct process *process, uid_t uid, struct job *job)
{
	struct opd_jit_dump *dump = &process->dump;
	struct opd_identity identity = { .fd = -1 };
	struct opd_copied copied;
	int err = -ENOENT;

	if (!dump->path && (jit->all || !process->looked))
		find_dump(jit, process);
	if (dump->path)
		err = opd_finder_find(jit->finder, &identity, dump->path, dump->dev, dump->ino, process->tgid);
	if (!err && identity.fd >= 0)
		err = opd_finder_copy(jit->finder, &copied, &identity, -1, 0, 0);
	if (err == -ETIMEDOUT)
		opd_jit_dump_release(dump);
	if (err || identity.fd < 0 || !is_his(&copied.st, uid) || !may_show(jit, &identity, &copied.st)) {
		opd_identity_release(&identity);
		return -1;
	}
	job->found = true;
	job->payer = identity.payer;
	job->st = copied.st;
	return identity.fd;
}

static bool is_copied(const struct copy *copy, const struct stat *st)
{
	return copy->size == st->st_size && copy->mtime.tv_sec == st->st_mtim.tv_sec &&
	       copy->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

/* Copying. */

static int open_copy(struct job *job, int current_fd)
{
	char name[64];
	int made, err;

	job->jit_fd = opd_open_dir_at(current_fd, "jit", 0755, &made);
	if (job->jit_fd < 0)
		return job->jit_fd;
	copy_name(name, job, ".tmp");
	unlinkat(job->jit_fd, name, 0);
	job->to = openat(job->jit_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 0600);
	if (job->to >= 0)
		return 0;
	err = -errno;
	close(job->jit_fd);
	return err;
}

/* Begins a copy, if one is due: 0 when not. */
static int begin_copy(struct opd_jit *jit, struct process *process, size_t kind, uid_t uid,
		      int tmp_fd, int current_fd, uint64_t now_ms)
{
	struct job *job = &jit->job;
	struct copy *copy = &process->copies[kind];
	char name[64];
	int err;

	*job = (struct job){ .to = -1, .tgid = process->tgid, .kind = kind, .uid = uid };
	snprintf(name, sizeof(name), "%s%d.%s", kinds[kind].prefix, (int)process->tgid,
		 kinds[kind].suffix);
	job->from = kind == DUMP ? open_mapped(jit, process, uid, job) : -1;
	if (job->from < 0)
		job->from = open_original(tmp_fd, name, uid, &job->st);
	if (job->from < 0)
		return 0;
	err = 0;
	if (is_copied(copy, &job->st) || (!jit->all && job->st.st_size > MAX_SMALL))
		goto close_original;
	if (job->st.st_size > MAX_FILE ||
	    !opd_jit_budgets_afford(&jit->budgets, uid, copy->size, job->st.st_size, now_ms)) {
		jit->left_out += !copy->told;
		copy->told = true;
		goto close_original;
	}
	job->left = job->st.st_size;
	err = open_copy(job, current_fd);
	if (!err)
		return 0;
close_original:
	close(job->from);
	return err;
}

static int end_copy(struct opd_jit *jit, uint64_t now_ms)
{
	struct job *job = &jit->job;
	size_t i = find(jit, job->tgid);
	struct copy *copy = &jit->processes[i].copies[job->kind];
	char name[64], new_name[64];

	copy_name(name, job, "");
	copy_name(new_name, job, ".tmp");
	if (fchmod(job->to, 0600 | (job->st.st_mode & 0044)) ||
	    renameat(job->jit_fd, new_name, job->jit_fd, name))
		return -errno;
	opd_jit_budgets_keep(&jit->budgets, job->uid, job->st.st_size - copy->size, now_ms);
	*copy = (struct copy){ job->st.st_size, job->st.st_mtim, copy->told };
	close_job(job);
	return 0;
}

/* Up to SLICE bytes of it: 0, or the negative errno of writing. */
static int copy_slice(struct job *job)
{
	char buf[16384];
	int err = 0;

	for (size_t i = 0; i < SLICE / sizeof(buf) && job->left && !err; i++) {
		size_t want = job->left < (off_t)sizeof(buf) ? (size_t)job->left : sizeof(buf);
		ssize_t n = read(job->from, buf, want);

		if (n <= 0)
			job->left = 0;
		else
			err = op_write_all(job->to, buf, n);
		job->left -= n > 0 ? n : 0;
	}
	return err;
}

/* The same, read by the finder. False: there is nothing more to be had of it. */
static bool copy_found_slice(struct opd_jit *jit, int *err)
{
	struct job *job = &jit->job;
	const struct opd_identity from = { .fd = job->from, .payer = job->payer };
	size_t want = job->left < SLICE ? (size_t)job->left : SLICE;
	struct opd_copied copied;
	int failed = opd_finder_copy(jit->finder, &copied, &from, job->to, job->st.st_size - job->left, want);

	if (failed == -ETIMEDOUT)
		opd_jit_dump_release(&jit->processes[find(jit, job->tgid)].dump);
	if (failed)
		return false;
	*err = copied.err;
	job->left = copied.len < want ? 0 : job->left - (off_t)want;
	return true;
}

/* A file that gets shorter meanwhile is copied as far as it goes. */
static int go_on_copying(struct opd_jit *jit, uint64_t now_ms)
{
	struct job *job = &jit->job;
	int err = 0;

	if (job->found && !copy_found_slice(jit, &err)) {
		drop_job(job);
		return 0;
	}
	if (!job->found)
		err = copy_slice(job);
	if (!err && !job->left)
		err = end_copy(jit, now_ms);
	if (err)
		drop_job(job);
	return err;
}

/* Looks for the next file to be copied. */
static int look(struct opd_jit *jit, int current_fd, uint64_t now_ms)
{
	int err = 0, tmp_fd = open(jit->tmp_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i = find(jit, jit->next_tgid);

	for (int looked = 0; tmp_fd >= 0 && i < jit->nr && looked < SLICE_FILES; i++) {
		struct process *process = &jit->processes[i];
		uid_t uid = process->uid;

		/* Another process may have the number by now; it is believed about itself. */
		owner_of(jit, process->tgid, &uid);
		for (; jit->next_kind < NR_KINDS && !err && jit->job.to < 0; looked++)
			err = begin_copy(jit, process, jit->next_kind++, uid, tmp_fd, current_fd,
					 now_ms);
		jit->next_tgid = process->tgid;
		if (err || jit->job.to >= 0)
			break;
		jit->next_kind = 0;
		jit->next_tgid++;
	}
	if (jit->job.to < 0 && !err && (tmp_fd < 0 || i == jit->nr))
		jit->round = false;
	if (tmp_fd >= 0)
		close(tmp_fd);
	return err;
}

void opd_jit_begin(struct opd_jit *jit, bool all)
{
	if (!jit || !jit->nr)
		return;
	if (jit->round) {
		jit->again = true;
		jit->again_all |= all;
		return;
	}
	jit->round = true;
	jit->all = all;
	jit->next_tgid = 0;
	jit->next_kind = 0;
}

bool opd_jit_busy(const struct opd_jit *jit)
{
	return jit && jit->round;
}

int opd_jit_work(struct opd_jit *jit, int current_fd, uint64_t now_ms)
{
	int err;

	if (!opd_jit_busy(jit))
		return 0;
	err = jit->job.to >= 0 ? go_on_copying(jit, now_ms) : look(jit, current_fd, now_ms);
	if (!jit->round && jit->again) {
		jit->again = false;
		opd_jit_begin(jit, jit->again_all);
		jit->again_all = false;
	}
	return err;
}

uint64_t opd_jit_left_out(const struct opd_jit *jit)
{
	return jit ? jit->left_out : 0;
}
