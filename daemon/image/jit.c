// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit.c -- copies of the files in which JIT compilers describe their code. The originals are in
 * /tmp, where every user may write, or in users' own directories.
 */
#include "config.h"
#include "daemon/image/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/session.h"
#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/jit_births.h"
#include "daemon/image/jit_budget.h"
#include "daemon/image/jit_copy.h"
#include "daemon/image/jit_dump.h"
#include "daemon/image/jit_held.h"
#include "daemon/image/open_below.h"
#include "daemon/image/proc_maps.h"
#include "libop/base/clock.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/base/quota.h"
#include "libop/base/search.h"

#define MAX_PROCESSES	4096
#define MAX_FILE	(64ll << 20)	/* maximum size of a JIT file that is copied, in bytes */
#define MAX_SMALL	(4ll << 20)
/* maximum number of JIT files to open per iteration of the main loop */
#define SLICE_FILES	64
/* number of lines of /proc/PID/maps that the daemon may read per millisecond, for all users
 * together */
#define LOOK_MS		20
#define LOOK_AT_ONCE	OPD_JIT_DUMP_LINES
/* Opening a file in /proc costs as much of the budget .looks as reading this number of lines. */
#define LOOK_LEAST	20
/* maximum number of successive programs (exec) of a process whose code is distinguished */
#define MAX_PROGRAMS	8

/* The kinds of files in /tmp that describe a process's JIT code. For each kind: the text before the
 * pid in the file's name, the suffix of the name, and the suffix of the copy in the session. */
static const struct {
	const char *prefix, *suffix, *kept;
} kinds[] = {
	{ "perf-", "map", "map" },
	{ "jit-", "dump", "dump" },
	{ ".oprofile/jitdump/", "dump", "agent" },	/* file of the agents of OProfile 1.x */
};

#define MAP		0		/* index of perf-PID.map in kinds[] */
#define DUMP		1
#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* size and modification time of a file, to detect changes */
struct state {
	off_t size;
	struct timespec mtime;
};

struct copy {
	struct state original;	/* state of the original file when it was copied */
	/* state of the original file when the process's previous program called exec */
	struct state left;
	bool reported;		/* counted as a file that was not copied because of a limit */
};

struct process {
	pid_t tgid;
	/* pid of the process in its own PID namespace */
	pid_t own_tgid;
	bool is_apart;		/* the process has its own PID or mount namespace */
	uid_t uid;		/* user of the process at its first sample */
	struct copy copies[NR_KINDS];
	struct opd_jit_dump dump;
	/* the process's mappings have already been searched for a jit-PID.dump */
	bool looked;
	/* The process has no samples. Its files are copied, because a child that has samples
	 * inherited its code by fork(). The files must belong to the child's user. */
	bool by_child;
	/* program that the process executes; the pointer is only compared; NULL: unknown */
	const void *app;
	bool execed;		/* the process called exec; its files may not be fully copied */
	bool is_new;		/* no sample of the current program was recorded yet */
	unsigned int program;	/* number of the current program (opd_jit_program()) */
	unsigned int copied_program;	/* number of the program to which .copies belongs */
	/* ancestors from which the process inherited code by fork(), allocated; NULL: none known */
	struct opd_jit_ancestor *line;
	size_t nr_line;
	bool line_written;
};

struct job {
	struct opd_jit_copy copy;
	pid_t tgid;
	size_t kind;
	uid_t uid;
};

struct opd_jit {
	const char *proc_dir, *tmp_dir;
	struct process *processes;	/* array, sorted by tgid */
	size_t nr;
	pid_t last;		/* cache: process of the last call of opd_jit_note() */
	const void *last_app;
	unsigned int last_program;
	size_t nr_execed;	/* number of processes with .execed set */
	struct opd_jit_births *births;
	struct opd_jit_helds helds;
	uint64_t left_out;
	struct opd_jit_budgets budgets;
	struct opd_jit_budget looks;	/* budget for reading /proc/PID/maps */
	struct opd_finder *finder;

	/* .round: a round of copies is in progress: it copies the new and changed files of all
	 * processes; .again: start another round after this round */
	bool round, again;
	bool all, again_all;	/* this round, or the next one, also copies large files */
	/* process and kind of file that the round of copies examines next */
	pid_t next_tgid;
	size_t next_kind;
	struct job job;		/* the JIT file that is being copied; at most one at a time */
};

struct opd_jit *opd_jit_create(const char *proc_dir, const char *tmp_dir, const char *subuid,
			       struct opd_finder *finder)
{
	struct opd_jit *jit = calloc(1, sizeof(*jit));

	if (!jit)
		return NULL;
	jit->births = opd_jit_births_create(proc_dir);
	if (!jit->births || opd_jit_budgets_init(&jit->budgets, subuid)) {
		opd_jit_births_destroy(jit->births);
		free(jit);
		return NULL;
	}
	jit->proc_dir = proc_dir;
	jit->tmp_dir = tmp_dir;
	jit->finder = finder;
	jit->helds =
		(struct opd_jit_helds){.proc_dir = proc_dir, .tmp_dir = tmp_dir, .finder = finder};
	jit->job.copy.to = -1;
	return jit;
}

void opd_jit_limit(struct opd_jit *jit, uint64_t bytes)
{
	opd_jit_budgets_limit(&jit->budgets, bytes);
}

static void forget_processes(struct opd_jit *jit)
{
	while (jit->nr) {
		struct process *process = &jit->processes[--jit->nr];

		opd_jit_dump_release(&process->dump);
		free(process->line);
	}
	jit->nr_execed = 0;
}

void opd_jit_destroy(struct opd_jit *jit)
{
	if (!jit)
		return;
	opd_jit_copy_drop(&jit->job.copy);
	forget_processes(jit);
	free(jit->processes);
	opd_jit_held_release(&jit->helds);
	opd_jit_births_destroy(jit->births);
	opd_jit_budgets_release(&jit->budgets);
	free(jit);
}

void opd_jit_restart(struct opd_jit *jit)
{
	if (!jit)
		return;
	opd_jit_copy_drop(&jit->job.copy);
	jit->round = jit->again = false;
	forget_processes(jit);
	jit->last = 0;
	jit->left_out = 0;
	opd_jit_budgets_restart(&jit->budgets);
}

/* Return the index of the first process whose tgid is at least @tgid. */
static size_t find(const struct opd_jit *jit, pid_t tgid)
{
	return op_partition_point(i, jit->nr, jit->processes[i].tgid < tgid);
}

/* Search the process's mappings for its jit-PID.dump file. Skip the search if the budget for
 * reading mappings is used up; a later call may search again. */
static void find_dump(struct opd_jit *jit, struct process *process)
{
	size_t nr_lines;

	opd_jit_budget_earn(&jit->looks, op_now_ms(), LOOK_MS, LOOK_AT_ONCE);
	if (jit->looks.left <= 0)
		return;
	opd_jit_dump_find(&process->dump, jit->finder, jit->proc_dir, process->tgid,
			  process->own_tgid, &nr_lines);
	jit->looks.left -= (off_t)nr_lines + LOOK_LEAST;
	process->looked = true;
}

/* Return the entry of process @tgid; add the entry if it is missing. Return NULL if the limit on
 * the number of processes, or of processes of user @uid, is reached. */
static struct process *get_process(struct opd_jit *jit, pid_t tgid, uid_t uid)
{
	size_t low = find(jit, tgid);
	struct process *process;

	if (low == jit->nr || jit->processes[low].tgid != tgid) {
		if (op_grow(&jit->processes, jit->nr) ||
		    !opd_jit_budgets_note(&jit->budgets, uid, MAX_PROCESSES - jit->nr, op_now_ms()))
			return NULL;
		process = jit->processes + low;
		memmove(process + 1, process, (jit->nr++ - low) * sizeof(*process));
		*process = (struct process){
			.tgid = tgid, .own_tgid = tgid, .uid = uid, .by_child = true,
		};
	}
	return &jit->processes[low];
}

/* Record the ancestors of process @tgid: the process inherited their code, which the ancestors' JIT
 * files describe. */
static void note_ancestors(struct opd_jit *jit, pid_t tgid, uid_t uid)
{
	struct opd_jit_ancestor line[OPD_JIT_GENERATIONS];
	size_t nr = opd_jit_births_line(jit->births, tgid, line);
	struct process *process = &jit->processes[find(jit, tgid)];

	if (!nr)
		return;
	process->line = malloc(nr * sizeof(*line));
	if (!process->line)
		return;
	memcpy(process->line, line, nr * sizeof(*line));
	for (size_t i = 0; i < nr; i++)
		if (line[i].size < 0)
			process->line[i].program = opd_jit_program(jit, line[i].tgid);
	process->nr_line = nr;
	while (nr--)
		get_process(jit, line[nr].tgid, uid);
}

/* Set *@ret to the user of process @tgid, which has ended: look up, in /proc, the user of an
 * ancestor that still runs. Return 0 or -ENOENT. */
static int owner_of_ancestor(const struct opd_jit *jit, pid_t tgid, uid_t *ret)
{
	struct opd_jit_ancestor line[OPD_JIT_GENERATIONS];
	size_t nr = opd_jit_births_line(jit->births, tgid, line);

	for (size_t i = 0; i < nr; i++)
		if (!opd_jit_owner(jit->proc_dir, line[i].tgid, ret))
			return 0;
	return -ENOENT;
}

static void set_execed(struct opd_jit *jit, struct process *process, const void *app)
{
	jit->nr_execed += !process->execed;
	process->execed = process->is_new = true;
	process->program += process->program + 1 < MAX_PROGRAMS;
	process->app = app;
	jit->last = 0;
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

unsigned int opd_jit_program(const struct opd_jit *jit, pid_t tgid)
{
	size_t i;

	if (!jit)
		return 0;
	if (tgid == jit->last)
		return jit->last_program;
	i = find(jit, tgid);
	return i < jit->nr && jit->processes[i].tgid == tgid ? jit->processes[i].program : 0;
}

/* Record a sample of a process that already has an entry. */
static void note_again(struct opd_jit *jit, struct process *process, const void *app)
{
	if (app && process->app && app != process->app)
		set_execed(jit, process, app);
	else if (app)
		process->app = app;
	if (process->is_new)
		opd_jit_begin(jit, false);
	process->is_new = process->execed;
}

void opd_jit_hold(struct opd_jit *jit, pid_t tgid)
{
	struct opd_jit_held *held = NULL;

	if (jit && tgid > 0 && opd_jit_held_may_take(&jit->helds, tgid))
		held = opd_jit_held_take(&jit->helds, tgid);
	if (held)
		opd_jit_held_update(&jit->helds, held);
}

void opd_jit_hold_more(struct opd_jit *jit)
{
	for (size_t i = 0; jit && i < OPD_JIT_HELD; i++)
		opd_jit_held_update(&jit->helds, &jit->helds.items[i]);
}

void opd_jit_replaced(struct opd_jit *jit, pid_t tgid)
{
	if (jit)
		opd_jit_held_drop(&jit->helds, tgid);
}

static void note_first(struct opd_jit *jit, pid_t tgid, const void *app)
{
	const struct opd_jit_held *held = opd_jit_held_take(&jit->helds, tgid);
	struct process *process;
	uid_t uid;

	if (held)
		uid = held->uid;
	else if (owner_of_ancestor(jit, tgid, &uid))
		return;
	process = get_process(jit, tgid, uid);
	if (!process)
		return;
	process->uid = uid;
	process->own_tgid = held ? held->own_tgid : tgid;
	process->is_apart = held && held->is_apart;
	process->by_child = false;
	process->app = app;
	/* Search for the jit-PID.dump now, because the process may exit soon. */
	find_dump(jit, process);
	note_ancestors(jit, tgid, uid);
	opd_jit_begin(jit, false);
}

unsigned int opd_jit_note(struct opd_jit *jit, pid_t tgid, const void *app)
{
	struct process *process;

	if (!jit || tgid <= 0)
		return 0;
	if (tgid == jit->last && (!app || app == jit->last_app))
		return jit->last_program;
	process = jit->processes + find(jit, tgid);
	if (process < jit->processes + jit->nr && process->tgid == tgid && !process->by_child)
		note_again(jit, process, app);
	else
		note_first(jit, tgid, app);
	jit->last = 0;
	jit->last_program = opd_jit_program(jit, tgid);
	jit->last = tgid;
	jit->last_app = app;
	return jit->last_program;
}

void opd_jit_started(struct opd_jit *jit, pid_t tgid, pid_t parent)
{
	char path[4096];
	struct stat st;

	if (!jit || tgid == parent)
		return;
	snprintf(path, sizeof(path), "%s/%s%d.%s", jit->tmp_dir, kinds[0].prefix, (int)parent,
		 kinds[0].suffix);
	opd_jit_births_add(jit->births, tgid, parent, lstat(path, &st) ? 0 : st.st_size,
			   opd_jit_program(jit, parent));
}

void opd_jit_execed(struct opd_jit *jit, pid_t tgid)
{
	struct process *process;

	if (!jit)
		return;
	opd_jit_births_drop(jit->births, tgid);
	process = jit->processes + find(jit, tgid);
	if (process < jit->processes + jit->nr && process->tgid == tgid)
		set_execed(jit, process, NULL);
}

/* Return true if the file is regular, not empty, owned by user @uid or root, and has at most one
 * hard link. */
static bool is_regular_of(const struct stat *st, uid_t uid)
{
	return S_ISREG(st->st_mode) && st->st_nlink <= 1 &&
	       (st->st_uid == uid || st->st_uid == 0) && st->st_size > 0;
}

/*
 * Open the JIT file @name in /tmp if is_regular_of() accepts it. A file on which another file
 * system is mounted is refused, because a user's FUSE file can block.
 */
static int open_original(int tmp_fd, const char *name, uid_t uid, struct stat *st)
{
	int path_fd = opd_open_below(tmp_fd, name, true), fd;

	if (path_fd < 0)
		return -1;
	fd = !fstat(path_fd, st) && is_regular_of(st, uid) ? opd_open_found(path_fd) : -1;
	close(path_fd);
	return fd;
}

/*
 * Return true if other users may read the copy of this file. If the path leads to the file only for
 * one user's processes, the file must belong to this user. The daemon identified such a file only
 * by its inode number, so the user could have mounted another file with this number there, even a
 * file that the user may not read.
 */
static bool may_show(const struct opd_jit *jit, const struct opd_identity *identity,
		     const struct stat *st)
{
	return identity->payer == OPD_NO_PAYER ||
	       identity->payer == op_id_ranges_payer(&jit->budgets.ranges, st->st_uid);
}

/*
 * Use the file @identity, which the finder has opened, for the copy @job, if user @uid may have
 * written it. Return the file's O_PATH descriptor. Otherwise release @identity and return -ENOENT
 * or -ETIMEDOUT.
 */
static int accept_found(struct opd_jit *jit, struct opd_identity *identity, uid_t uid,
			struct job *job)
{
	struct opd_copied copied;
	int err = identity->fd < 0 ? -ENOENT
				   : opd_finder_copy(jit->finder, &copied, identity, -1, 0, 0);

	if (!err && (!is_regular_of(&copied.st, uid) || !may_show(jit, identity, &copied.st)))
		err = -ENOENT;
	if (err) {
		opd_identity_release(identity);
		return err;
	}
	job->copy.found = true;
	job->copy.payer = identity->payer;
	job->copy.st = copied.st;
	return identity->fd;
}

/* Open the jit-PID.dump file that @process has mapped. @again: search the mappings even if an
 * earlier search did not find the file. Return an O_PATH descriptor, or -1. */
static int open_mapped(struct opd_jit *jit, struct process *process, uid_t uid, bool again,
		       struct job *job)
{
	struct opd_jit_dump *dump = &process->dump;
	struct opd_identity identity = { .fd = -1 };
	int fd = -ENOENT;

	if (!dump->path && (again || !process->looked))
		find_dump(jit, process);
	if (dump->path)
		fd = opd_finder_find(jit->finder, &identity, dump->path, dump->dev, dump->ino,
				     process->tgid);
	if (!fd)
		fd = accept_found(jit, &identity, uid, job);
	if (fd == -ETIMEDOUT)
		opd_jit_dump_release(dump);
	return fd < 0 ? -1 : fd;
}

/* Open the perf-PID.map for which opd_jit_hold() keeps a descriptor, with its current size and
 * contents. Return an O_PATH descriptor, or -1. */
static int open_held(struct opd_jit *jit, const struct process *process, uid_t uid, struct job *job)
{
	struct opd_identity map;
	int fd = opd_jit_held_open(&jit->helds, process->tgid, &map);

	if (!fd)
		fd = accept_found(jit, &map, uid, job);
	return fd < 0 ? -1 : fd;
}

/* Open the file @name in /tmp below the root directory of the process. Return an O_PATH
 * descriptor, or -1. */
static int open_in_root(struct opd_jit *jit, const struct process *process, const char *name,
			uid_t uid, struct job *job)
{
	struct opd_identity identity = { .fd = -1 };
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "/tmp/%s", name);
	if (!jit->finder || opd_finder_open(jit->finder, &identity, path, process->tgid))
		return -1;
	fd = accept_found(jit, &identity, uid, job);
	return fd < 0 ? -1 : fd;
}

/* Set @name to the name of a copy in the directory jit/: "PID.KIND", or "PID.PROGRAM.KIND" for
 * later programs. */
static void kept_name(char name[48], pid_t tgid, unsigned int program, size_t kind)
{
	if (program)
		snprintf(name, 48, "%d.%u.%s", (int)tgid, program, kinds[kind].kept);
	else
		snprintf(name, 48, "%d.%s", (int)tgid, kinds[kind].kept);
}

/* Open the process's JIT file of kind @kind, and store the descriptor in @job. @again: see
 * open_mapped(). Return false if the file does not exist. */
static bool open_file(struct opd_jit *jit, struct process *process, size_t kind, uid_t uid,
		      bool again, int tmp_fd, struct job *job)
{
	char name[64];

	*job = (struct job){ .copy.to = -1, .tgid = process->tgid, .kind = kind, .uid = uid };
	kept_name(job->copy.name, process->tgid, process->copied_program, kind);
	snprintf(name, sizeof(name), "%s%d.%s", kinds[kind].prefix, (int)process->tgid,
		 kinds[kind].suffix);
	job->copy.from = kind == DUMP && (!process->execed || again)
				 ? open_mapped(jit, process, uid, again, job)
				 : -1;
	if (job->copy.from < 0)
		job->copy.from = open_original(tmp_fd, name, uid, &job->copy.st);
	if (job->copy.from < 0 && process->is_apart) {
		snprintf(name, sizeof(name), "%s%d.%s", kinds[kind].prefix, (int)process->own_tgid,
			 kinds[kind].suffix);
		job->copy.from = open_in_root(jit, process, name, uid, job);
	}
	if (job->copy.from < 0 && kind == MAP && !process->execed)
		job->copy.from = open_held(jit, process, uid, job);
	return job->copy.from >= 0;
}

int opd_jit_open_dump(struct opd_jit *jit, pid_t tgid, struct opd_identity *ret, struct stat *st)
{
	struct process *process;
	struct job job;
	int tmp_fd;
	bool found;
	uid_t uid;

	opd_jit_note(jit, tgid, NULL);
	process = jit ? jit->processes + find(jit, tgid) : NULL;
	if (!process || process == jit->processes + jit->nr || process->tgid != tgid)
		return -ENOENT;
	uid = process->uid;
	if (!process->by_child)
		opd_jit_owner(jit->proc_dir, tgid, &uid);
	tmp_fd = open(jit->tmp_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (tmp_fd < 0)
		return -ENOENT;
	/* The process called exec: forget the dump file of its previous program. */
	if (process->execed)
		opd_jit_dump_release(&process->dump);
	found = open_file(jit, process, DUMP, uid, true, tmp_fd, &job);
	close(tmp_fd);
	if (!found)
		return -ENOENT;
	*ret = (struct opd_identity){
		.fd = job.copy.from, .payer = job.copy.found ? job.copy.payer : OPD_NO_PAYER,
	};
	*st = job.copy.st;
	return 0;
}

static struct state state_of(const struct stat *st)
{
	return (struct state){ st->st_size, st->st_mtim };
}

static bool is_in_state(const struct state *state, const struct stat *st)
{
	return state->size == st->st_size && state->mtime.tv_sec == st->st_mtim.tv_sec &&
	       state->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

/* Start to copy the process's JIT file of kind @kind if the session's copy is missing or outdated.
 * Return 0, or the negative errno of a failed write. */
static int begin_copy(struct opd_jit *jit, struct process *process, size_t kind, uid_t uid,
		      int tmp_fd, int current_fd, uint64_t now_ms)
{
	struct job *job = &jit->job;
	struct copy *copy = &process->copies[kind];
	int err = 0;

	if (!open_file(jit, process, kind, uid, jit->all && !process->execed, tmp_fd, job))
		return 0;
	/* After an exec, the new program may have replaced the file. Copy the rest of the file only
	 * if the file still begins with the same bytes as the existing copy. */
	if (process->execed && (job->copy.found || !opd_jit_copy_goes_on(&job->copy, current_fd)))
		goto close_original;
	if (process->execed)
		copy->left = state_of(&job->copy.st);
	if (is_in_state(&copy->original, &job->copy.st) ||
	    (!process->execed && is_in_state(&copy->left, &job->copy.st)) ||
	    (!jit->all && job->copy.st.st_size > MAX_SMALL))
		goto close_original;
	if (job->copy.st.st_size > MAX_FILE ||
	    !opd_jit_budgets_afford(&jit->budgets, uid, copy->original.size, job->copy.st.st_size,
				    now_ms)) {
		jit->left_out += !copy->reported;
		copy->reported = true;
		goto close_original;
	}
	err = opd_jit_copy_begin(&job->copy, current_fd);
	if (!err)
		return 0;
close_original:
	close(job->copy.from);
	return err;
}

static int end_copy(struct opd_jit *jit, uint64_t now_ms)
{
	struct job *job = &jit->job;
	struct copy *copy = &jit->processes[find(jit, job->tgid)].copies[job->kind];
	int err = opd_jit_copy_end(&job->copy);

	if (err)
		return err;
	opd_jit_budgets_keep(&jit->budgets, job->uid, job->copy.st.st_size - copy->original.size,
			     now_ms);
	copy->original = state_of(&job->copy.st);
	return 0;
}

static int continue_copy(struct opd_jit *jit, uint64_t now_ms)
{
	struct job *job = &jit->job;
	int err = opd_jit_copy_slice(&job->copy, jit->finder);

	if (err == -ETIMEDOUT)
		opd_jit_dump_release(&jit->processes[find(jit, job->tgid)].dump);
	if (err)
		return err == -ETIMEDOUT || err == -ENODATA ? 0 : err;
	if (!job->copy.left)
		err = end_copy(jit, now_ms);
	if (err)
		opd_jit_copy_drop(&job->copy);
	return err;
}

/* Copy the rest of the JIT files that @process wrote before its exec. Skip a file that the new
 * program has replaced. */
static int finish_copies(struct opd_jit *jit, struct process *process, int current_fd,
			 uint64_t now_ms)
{
	int tmp_fd = open(jit->tmp_dir, O_PATH | O_DIRECTORY | O_CLOEXEC), err = 0;

	for (size_t kind = 0; tmp_fd >= 0 && kind < NR_KINDS && !err; kind++) {
		err = begin_copy(jit, process, kind, process->uid, tmp_fd, current_fd, now_ms);
		while (!err && jit->job.copy.to >= 0)
			err = continue_copy(jit, now_ms);
	}
	if (tmp_fd >= 0)
		close(tmp_fd);
	for (size_t kind = 0; kind < NR_KINDS; kind++)
		process->copies[kind].original = (struct state){ 0 };
	process->copied_program = process->program;
	process->execed = false;
	process->looked = false;
	opd_jit_dump_release(&process->dump);
	jit->nr_execed--;
	return err;
}

static int finish_all_copies(struct opd_jit *jit, int current_fd, uint64_t now_ms)
{
	int err = 0;

	for (size_t i = 0; i < jit->nr && jit->nr_execed && !err; i++)
		if (jit->processes[i].execed)
			err = finish_copies(jit, &jit->processes[i], current_fd, now_ms);
	return err;
}

/* Write the file jit/PID.born of @process: the ancestors whose JIT files also describe code of
 * @process, one line "PID BYTES PROGRAM" for each, the parent first. */
static int write_line(struct process *process, int current_fd)
{
	char text[64], name[64];
	int made, err = 0, fd, jit_fd = opd_open_dir_at(current_fd, "jit", 0755, &made);

	if (jit_fd < 0)
		return jit_fd;
	snprintf(name, sizeof(name), "%d.born", (int)process->tgid);
	err = op_quota_request_name(OP_QUOTA_SAMPLES);
	fd = err ? -1 : openat(jit_fd, name,
			       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0 && !err)
		err = -errno;
	for (size_t i = 0; i < process->nr_line && !err; i++) {
		snprintf(text, sizeof(text), "%d %lld %u\n", (int)process->line[i].tgid,
			 (long long)process->line[i].size, process->line[i].program);
		err = op_write_all(fd, text, strlen(text));
	}
	if (fd >= 0)
		close(fd);
	close(jit_fd);
	process->line_written = !err;
	return err;
}

/*
 * Find the next JIT file of the current round of copies whose copy is missing or outdated, and
 * start to copy it. Return 0, or the negative errno of a failed write. After an error, the next
 * call continues with the next file, so that the round ends even on a full disk.
 */
static int start_next_copy(struct opd_jit *jit, int current_fd, uint64_t now_ms)
{
	int err = 0, tmp_fd = open(jit->tmp_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i = find(jit, jit->next_tgid);

	for (int looked = 0; tmp_fd >= 0 && i < jit->nr && looked < SLICE_FILES; i++) {
		struct process *process = &jit->processes[i];
		uid_t uid = process->uid;
		int line_err = 0;

		/* Look up the user of the pid again: the pid may now belong to a new process of
		 * another user. */
		if (!process->by_child)
			opd_jit_owner(jit->proc_dir, process->tgid, &uid);
		if (process->nr_line && !process->line_written)
			err = line_err = write_line(process, current_fd);
		for (; jit->next_kind < NR_KINDS && !err && jit->job.copy.to < 0; looked++)
			err = begin_copy(jit, process, jit->next_kind++, uid, tmp_fd, current_fd,
					 now_ms);
		jit->next_tgid = process->tgid;
		if (jit->job.copy.to >= 0 || (err && !line_err))
			break;
		jit->next_kind = 0;
		jit->next_tgid++;
		if (err)
			break;
	}
	if (jit->job.copy.to < 0 && !err && (tmp_fd < 0 || i == jit->nr))
		jit->round = false;
	if (tmp_fd >= 0)
		close(tmp_fd);
	return err;
}

bool opd_jit_busy(const struct opd_jit *jit)
{
	return jit && (jit->round || jit->nr_execed);
}

int opd_jit_work(struct opd_jit *jit, int current_fd, uint64_t now_ms)
{
	int err;

	if (!opd_jit_busy(jit))
		return 0;
	if (jit->job.copy.to >= 0)
		err = continue_copy(jit, now_ms);
	else if (jit->nr_execed)
		err = finish_all_copies(jit, current_fd, now_ms);
	else
		err = start_next_copy(jit, current_fd, now_ms);
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
