// SPDX-License-Identifier: GPL-2.0-or-later
/* process.c -- the address spaces of all processes. */
#include <config.h>
#include "daemon/image/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/image/anon.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/proc_maps.h"
#include "libop/base/dir.h"

#define NSEC_PER_SEC	1000000000ull

#define NR_BUCKETS	4096u
#define KEEP_DEAD_NS	NSEC_PER_SEC		/* samples of a leaving task come no later */
#define ASK_AGAIN_NS	(NSEC_PER_SEC / 10)	/* between two looks at /proc for one process, at least */
#define LINE_NS		(NSEC_PER_SEC / OPD_PROC_LINES)
#define LINES_PER_LOOK	20	/* what opening a file there costs, in lines */
#define SWEEP_SLACK	1024

struct opd_processes {
	struct opd_mapped_files *files;
	int proc_fd;
	size_t nr;
	uint64_t read_until;	/* /proc is paid for until then; see may_read() */
	size_t sweep_at;	/* more processes than this: see which are still there */
	struct opd_process *oldest_dead, *newest_dead;
	struct opd_process *buckets[NR_BUCKETS];
};

uint64_t opd_perf_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

int opd_processes_create(struct opd_processes **ret, struct opd_mapped_files *files,
			 const char *proc_dir)
{
	struct opd_processes *ps = calloc(1, sizeof(*ps));

	if (!ps)
		return -ENOMEM;
	ps->files = files;
	ps->sweep_at = SWEEP_SLACK;
	ps->proc_fd = open(proc_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ps->proc_fd < 0) {
		int err = -errno;

		free(ps);
		return err;
	}
	*ret = ps;
	return 0;
}

size_t opd_processes_nr(const struct opd_processes *ps)
{
	return ps->nr;
}

/* The dead, in the order in which they died. */

static void bury(struct opd_processes *ps, struct opd_process *p, uint64_t time)
{
	p->dead = true;
	p->died_at = time;
	p->newer = NULL;
	p->older = ps->newest_dead;
	if (p->older)
		p->older->newer = p;
	else
		ps->oldest_dead = p;
	ps->newest_dead = p;
}

static void unbury(struct opd_processes *ps, struct opd_process *p)
{
	if (!p->dead)
		return;
	if (p->older)
		p->older->newer = p->newer;
	else
		ps->oldest_dead = p->newer;
	if (p->newer)
		p->newer->older = p->older;
	else
		ps->newest_dead = p->older;
	p->older = p->newer = NULL;
	p->dead = false;
}

static struct opd_process **slot_of(struct opd_processes *ps, pid_t tgid)
{
	struct opd_process **slot = &ps->buckets[(uint32_t)tgid % NR_BUCKETS];

	while (*slot && (*slot)->tgid != tgid)
		slot = &(*slot)->next;
	return slot;
}

static void forget_contents(struct opd_process *p)
{
	opd_maps_put(p->maps);
	opd_mapped_file_put(p->app);
	p->maps = NULL;
	p->app = NULL;
}

static void forget(struct opd_processes *ps, struct opd_process **slot)
{
	struct opd_process *p = *slot;

	unbury(ps, p);
	*slot = p->next;
	ps->nr--;
	forget_contents(p);
	free(p);
}

void opd_processes_destroy(struct opd_processes *ps)
{
	if (!ps)
		return;
	for (size_t i = 0; i < NR_BUCKETS; i++)
		while (ps->buckets[i])
			forget(ps, &ps->buckets[i]);
	close(ps->proc_fd);
	free(ps);
}

/*
 * Exits that nobody told us of: whoever is not in /proc any more is dead. As of now, that is:
 * notices and samples lag behind, and those of the last moments of its life may be still to come.
 */
static void sweep(struct opd_processes *ps)
{
	uint64_t now = opd_perf_now();

	for (size_t i = 0; i < NR_BUCKETS; i++) {
		for (struct opd_process *p = ps->buckets[i]; p; p = p->next) {
			char name[16];

			snprintf(name, sizeof(name), "%d", (int)p->tgid);
			if (!p->dead && faccessat(ps->proc_fd, name, F_OK, 0))
				bury(ps, p, now);
		}
	}
	ps->sweep_at = 2 * ps->nr + SWEEP_SLACK;
}

/* The process in @tgid's place, emptied; made when there is none. NULL: out of memory. */
static struct opd_process *fresh(struct opd_processes *ps, pid_t tgid)
{
	struct opd_process **slot = slot_of(ps, tgid);
	struct opd_process *p = *slot, *next;

	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return NULL;
		*slot = p;
		ps->nr++;
	}
	unbury(ps, p);
	forget_contents(p);
	next = p->next;
	*p = (struct opd_process){ .tgid = tgid, .nr_threads = 1, .next = next };
	return p;
}

/* Mappings. */

/* Memory that only has a name because the kernel keeps shared anonymous memory in a file. */
static bool is_file(const char *name)
{
	return name[0] == '/' && name[1] != '/' && strncmp(name, "/dev/zero", 9) != 0 &&
	       strncmp(name, "/anon_hugepage", 14) != 0 && strncmp(name, "/SYSV", 5) != 0;
}

static int map_init(struct opd_processes *ps, struct opd_map *map, const struct opd_mapping *m)
{
	struct opd_file_id id = { .dev = m->dev, .ino = m->ino, .generation = m->generation };

	*map = (struct opd_map){ .start = m->start, .end = m->start + m->len, .pgoff = m->pgoff };
	if (map->end < map->start)
		return -EINVAL;
	if (is_file(m->name)) {
		map->file = opd_mapped_files_get(ps->files, m->name, &id);
		return map->file ? 0 : -ENOMEM;
	}
	map->label = opd_anon_label(m->name);
	return 0;
}

/* Of all tables the one with the longest names, of whoever shares it. False: there are none. */
static bool forget_longest_names(struct opd_processes *ps)
{
	struct opd_maps *most = NULL;

	for (size_t i = 0; i < NR_BUCKETS; i++)
		for (struct opd_process *p = ps->buckets[i]; p; p = p->next)
			if (opd_maps_name_bytes(p->maps) > opd_maps_name_bytes(most))
				most = p->maps;
	if (!most)
		return false;
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		for (struct opd_process *p = ps->buckets[i]; p; p = p->next) {
			if (p->maps != most)
				continue;
			p->maps = NULL;
			opd_maps_put(most);
		}
	}
	return true;
}

static void keep_names_within_limit(struct opd_processes *ps)
{
	if (opd_mapped_files_bytes(ps->files) <= OPD_NAMES_MAX)
		return;
	opd_mapped_files_forget_unused(ps->files);
	while (opd_mapped_files_bytes(ps->files) > OPD_NAMES_MAX / 4 * 3)
		if (!forget_longest_names(ps))
			break;
	opd_mapped_files_forget_unused(ps->files);
}

static void add_mapping(struct opd_processes *ps, struct opd_process *p,
			const struct opd_mapping *mapping)
{
	struct opd_map map;

	if (map_init(ps, &map, mapping))
		return;
	if (p->execing && map.file) {
		opd_mapped_file_put(p->app);
		opd_mapped_file_get(map.file);
		p->app = map.file;
		p->execing = false;
	}
	if (opd_maps_insert(&p->maps, &map) == -E2BIG) {
		/* Most of it has been unmapped long ago; /proc fills in what is still used. */
		opd_maps_put(p->maps);
		p->maps = NULL;
		opd_maps_insert(&p->maps, &map);
	}
	opd_mapped_file_put(map.file);
	keep_names_within_limit(ps);
}

static void mapping_of(struct opd_mapping *mapping, const struct opd_proc_map *m)
{
	*mapping = (struct opd_mapping){
		.start = m->start,
		.len = m->end - m->start,
		.pgoff = m->pgoff,
		.dev = m->dev,
		.ino = m->ino,
		.name = m->name,
	};
}

/* Reading /proc. */

/*
 * Each line is paid for with time; a second of it can be spent at once. Who can have long maps, or
 * many processes, cannot have them read all the time.
 */
static bool may_read(const struct opd_processes *ps, uint64_t time)
{
	return ps->read_until < time + NSEC_PER_SEC;
}

static void pay(struct opd_processes *ps, struct opd_process *p, uint64_t time, size_t nr_lines)
{
	uint64_t cost = (nr_lines + LINES_PER_LOOK) * LINE_NS;

	if (ps->read_until < time)
		ps->read_until = time;
	ps->read_until += cost;
	p->ask_at = time + (cost * 10 > ASK_AGAIN_NS ? cost * 10 : ASK_AGAIN_NS);
}

struct scan {
	struct opd_processes *ps;
	struct opd_process *process;
	size_t nr_lines;
	char exe[PATH_MAX];	/* "": a kernel thread, or we may not know */
};

static int scan_map(void *arg, const struct opd_proc_map *m)
{
	struct scan *s = arg;
	struct opd_mapping mapping;

	s->nr_lines++;
	if (!m->exec)
		return 0;
	mapping_of(&mapping, m);
	s->process->execing = !s->process->app && strcmp(m->name, s->exe) == 0;
	add_mapping(s->ps, s->process, &mapping);
	s->process->execing = false;
	return 0;
}

static unsigned int count_threads(struct opd_processes *ps, pid_t tgid)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "%d/task", (int)tgid);
	if (fstatat(ps->proc_fd, name, &st, 0) || st.st_nlink < 3)
		return 1;
	return (unsigned int)st.st_nlink - 2;
}

/* Fills @p, as far as we may. -ENOENT: no such process. *@nr_lines: of what was read. */
static int scan_into(struct opd_processes *ps, struct opd_process *p, uint64_t now, size_t *nr_lines)
{
	struct scan s = { .ps = ps, .process = p };
	char name[32];
	ssize_t n;
	int err;

	snprintf(name, sizeof(name), "%d/exe", (int)p->tgid);
	n = readlinkat(ps->proc_fd, name, s.exe, sizeof(s.exe) - 1);
	s.exe[n < 0 ? 0 : n] = '\0';
	err = opd_proc_maps_each(ps->proc_fd, p->tgid, scan_map, &s);
	*nr_lines = s.nr_lines;
	if (err && err != -EACCES)
		return err;
	p->hidden = err == -EACCES;
	if (!p->app && s.exe[0] == '/') {
		/* Mapped without execute permission, or covered by something else since. */
		struct opd_file_id id = { 0 };
		struct stat st;

		if (fstatat(ps->proc_fd, name, &st, 0) == 0) {
			id.dev = st.st_dev;
			id.ino = st.st_ino;
		}
		p->app = opd_mapped_files_get(ps->files, s.exe, &id);
	}
	p->nr_threads = count_threads(ps, p->tgid);
	p->scanned_at = now;
	return 0;
}

int opd_processes_scan(struct opd_processes *ps, pid_t tgid, uint64_t now)
{
	struct opd_process *p = fresh(ps, tgid);
	size_t nr_lines;
	int err;

	if (!p)
		return -ENOMEM;
	err = scan_into(ps, p, now, &nr_lines);
	if (err)
		forget(ps, slot_of(ps, tgid));
	return err;
}

int opd_processes_scan_all(struct opd_processes *ps)
{
	struct dirent *e;
	DIR *dir;
	int err = op_open_dir(ps->proc_fd, ".", &dir);

	if (err)
		return err;
	while ((e = op_next_entry(dir))) {
		char *end;
		long tgid = strtol(e->d_name, &end, 10);

		if (*end == '\0' && tgid > 0 && tgid <= INT_MAX)
			opd_processes_scan(ps, (pid_t)tgid, opd_perf_now());
	}
	closedir(dir);
	ps->sweep_at = 2 * ps->nr + SWEEP_SLACK;
	return 0;
}

struct opd_process *opd_processes_find(struct opd_processes *ps, uint64_t time, pid_t tgid)
{
	struct opd_process *p = *slot_of(ps, tgid);
	size_t nr_lines = 0;
	bool found;

	if (tgid <= 0)
		return NULL;
	if (p && !p->gone)
		return p;
	if ((p && time < p->ask_at) || !may_read(ps, time))
		return NULL;

	if (!p) {
		if (ps->nr >= ps->sweep_at)
			sweep(ps);
		p = fresh(ps, tgid);
		if (!p)
			return NULL;
	}
	found = scan_into(ps, p, opd_perf_now(), &nr_lines) == 0;
	pay(ps, p, time, nr_lines);
	if (found) {
		p->gone = false;
		return p;
	}
	/* Remember that it is gone, so that each of its samples need not find out. */
	forget_contents(p);
	p->gone = true;
	if (!p->dead)
		bury(ps, p, time);
	return NULL;
}

/* Notices. */

/* The effect of a notice older than the reading is in what was read. */
static bool seen_already(const struct opd_process *p, uint64_t time)
{
	return p && p->scanned_at && time <= p->scanned_at;
}

void opd_processes_fork(struct opd_processes *ps, uint64_t time, pid_t tgid, pid_t parent)
{
	struct opd_process *p = *slot_of(ps, tgid), *from;

	if (seen_already(p, time))
		return;
	if (tgid == parent) {
		if (p)
			p->nr_threads++;
		return;
	}
	if (ps->nr >= ps->sweep_at)
		sweep(ps);
	from = opd_processes_find(ps, time, parent);
	p = fresh(ps, tgid);
	if (!p)
		return;
	if (!from) {
		p->gone = true;	/* what it has is not known; find() will ask /proc */
		return;
	}
	p->maps = opd_maps_share(from->maps);
	p->app = from->app;
	opd_mapped_file_get(p->app);
	p->hidden = from->hidden;
}

void opd_processes_exec(struct opd_processes *ps, uint64_t time, pid_t tgid)
{
	struct opd_process *p = *slot_of(ps, tgid);

	if (seen_already(p, time))
		return;
	if (!p) {
		p = fresh(ps, tgid);
		if (!p)
			return;
	}
	unbury(ps, p);
	opd_maps_put(p->maps);
	p->maps = NULL;
	p->gone = p->hidden = false;
	p->scanned_at = 0;
	p->nr_threads = 1;
	p->execing = true;	/* until then p->app stays: better than nothing */
}

void opd_processes_mmap(struct opd_processes *ps, uint64_t time, pid_t tgid,
			const struct opd_mapping *mapping)
{
	struct opd_process *p = opd_processes_find(ps, time, tgid);

	if (!p) {
		p = *slot_of(ps, tgid);
		if (!p)
			return;
		p->gone = false;	/* now something is known */
	}
	if (!seen_already(p, time))
		add_mapping(ps, p, mapping);
}

void opd_processes_exit(struct opd_processes *ps, uint64_t time, pid_t tgid)
{
	struct opd_process *p = *slot_of(ps, tgid);

	if (!p || p->dead || seen_already(p, time))
		return;
	if (p->nr_threads)
		p->nr_threads--;
	if (!p->nr_threads)
		bury(ps, p, time);
}

void opd_processes_reap(struct opd_processes *ps, uint64_t time)
{
	while (ps->oldest_dead && ps->oldest_dead->died_at + KEEP_DEAD_NS < time)
		forget(ps, slot_of(ps, ps->oldest_dead->tgid));
	opd_mapped_files_give_back(ps->files);
}

/* Questions. */

struct lookup {
	struct opd_processes *ps;
	struct opd_process *process;
	uint64_t address;
	size_t nr_lines;
};

static int look_at_map(void *arg, const struct opd_proc_map *m)
{
	struct lookup *l = arg;
	struct opd_mapping mapping;
	struct opd_map map;

	l->nr_lines++;
	if (l->address < m->start || l->address >= m->end)
		return 0;
	mapping_of(&mapping, m);
	if (map_init(l->ps, &map, &mapping))
		return 1;
	opd_maps_fill(&l->process->maps, &map, l->address);
	opd_mapped_file_put(map.file);
	return 1;
}

const struct opd_map *opd_process_map(struct opd_processes *ps, struct opd_process *process,
				      uint64_t time, uint64_t address)
{
	const struct opd_map *map = opd_maps_find(process->maps, address);
	struct lookup l = { .ps = ps, .process = process, .address = address };

	if (process->dead && !process->gone) {
		/* It runs in user mode, so we miscounted its threads. */
		unbury(ps, process);
		process->nr_threads = 1;
	}
	if (map || process->hidden || time < process->ask_at || !may_read(ps, time))
		return map;
	opd_proc_maps_each(ps->proc_fd, process->tgid, look_at_map, &l);
	pay(ps, process, time, l.nr_lines);
	return opd_maps_find(process->maps, address);
}
