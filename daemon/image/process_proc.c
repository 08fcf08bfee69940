// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process_proc.c -- reads, from /proc, processes that no record of perf_events has described.
 */
#include "config.h"
#include "daemon/image/process_proc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/image/mapped_file.h"
#include "daemon/image/proc_maps.h"
#include "daemon/image/process_table.h"
#include "libop/base/dir.h"

#define NSEC_PER_SEC	1000000000ull
/* minimum delay between two reads of /proc for one process */
#define ASK_AGAIN_NS	(NSEC_PER_SEC / 10)
#define LINE_NS		(NSEC_PER_SEC / OPD_PROC_LINES)
/* opening a file in /proc costs as much of the budget as reading this number of lines */
#define LINES_PER_LOOK	20
/* cost of a read without an answer, in lines; the daemon may have waited for the answer */
#define LINES_PER_FAILURE	(OPD_PROC_LINES / 4)
/* delay until the next try to read a process whose last read failed */
#define UNREAD_NS	NSEC_PER_SEC

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

/*
 * Return true if the budget for reading /proc allows another read now. Each line that is read uses
 * up some time of the budget, which saves at most a second of unused time. So users with many
 * mappings or processes cannot make the daemon read /proc all the time.
 */
bool opd_process_may_read(const struct opd_processes *ps, const struct opd_process *p,
			  uint64_t time)
{
	return (!p || time >= p->ask_at) && ps->read_until < time + NSEC_PER_SEC;
}

/* Subtract the cost of opening a file in /proc, and of reading @nr_lines lines, from the budget. */
static void charge(struct opd_processes *ps, struct opd_process *p, uint64_t time, size_t nr_lines)
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
	/* path of the program; empty for a kernel thread, or without permission */
	char exe[PATH_MAX];
};

static int scan_map(void *arg, const struct opd_proc_map *m)
{
	struct scan *s = arg;
	struct opd_mapping mapping;

	s->nr_lines++;
	if (!m->exec)
		return 0;
	mapping_of(&mapping, m);
	s->process->execing = !s->process->app && !strcmp(m->name, s->exe);
	opd_process_add_mapping(s->ps, s->process, &mapping);
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

/* Store in @p the result @err of reading its mappings. */
static void note_result(struct opd_process *p, int err)
{
	p->hidden = err == -EACCES;
	p->unread = err < 0 && err != -EACCES;
}

/* Read the data of process @p from /proc, as far as permitted, and store it in @p. Return 0, or
 * -ENOENT if the process does not exist. Set *@nr_lines to the number of lines read. */
static int scan_into(struct opd_processes *ps, struct opd_process *p, uint64_t now,
		     size_t *nr_lines)
{
	struct scan s = { .ps = ps, .process = p };
	char name[32];
	ssize_t n;
	int err;

	snprintf(name, sizeof(name), "%d/exe", (int)p->tgid);
	n = readlinkat(ps->proc_fd, name, s.exe, sizeof(s.exe) - 1);
	s.exe[n < 0 ? 0 : n] = '\0';
	err = opd_mapped_files_of(ps->files, ps->proc_fd, p->tgid, scan_map, &s);
	*nr_lines = s.nr_lines;
	if (err == -ENOENT)
		return err;
	note_result(p, err);
	if (!p->app && s.exe[0] == '/') {
		/* No executable mapping belongs to the program's file: it is mapped without
		 * execute permission, or another mapping has replaced it. Use the path in
		 * /proc/PID/exe. */
		struct opd_file_id id = { 0 };

		opd_mapped_files_exe(ps->files, &id, p->tgid);
		p->app = opd_mapped_files_get(ps->files, s.exe, &id);
	}
	p->nr_threads = count_threads(ps, p->tgid);
	p->scanned_at = now;
	return 0;
}

int opd_processes_scan(struct opd_processes *ps, pid_t tgid, uint64_t now)
{
	struct opd_process *p = opd_process_fresh(ps, tgid);
	size_t nr_lines;
	int err;

	if (!p)
		return -ENOMEM;
	err = scan_into(ps, p, now, &nr_lines);
	if (err)
		opd_process_forget(ps, p);
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
	opd_process_swept(ps);
	return 0;
}

bool opd_process_read(struct opd_processes *ps, struct opd_process *p, uint64_t time)
{
	size_t nr_lines = 0;
	int err = scan_into(ps, p, opd_perf_now(), &nr_lines);

	charge(ps, p, time, p->unread ? LINES_PER_FAILURE : nr_lines);
	if (p->unread)
		p->ask_at = time + UNREAD_NS;
	return !err;
}

struct lookup {
	struct opd_processes *ps;
	struct opd_process *process;
	uint64_t address;
	size_t nr_lines;
};

static int apply_map(void *arg, const struct opd_proc_map *m)
{
	struct lookup *l = arg;
	struct opd_mapping mapping;
	struct opd_map map;

	l->nr_lines++;
	if (l->address < m->start || l->address >= m->end)
		return 0;
	mapping_of(&mapping, m);
	if (opd_process_map_init(l->ps, &map, &mapping))
		return 1;
	opd_maps_fill(&l->process->maps, &map, l->address);
	opd_mapped_file_put(map.file);
	return 1;
}

void opd_process_read_map(struct opd_processes *ps, struct opd_process *p, uint64_t time,
			  uint64_t address)
{
	struct lookup l = { .ps = ps, .process = p, .address = address };
	int err = opd_mapped_files_of(ps->files, ps->proc_fd, p->tgid, apply_map, &l);

	if (err != -ENOENT)
		note_result(p, err);
	charge(ps, p, time, p->unread ? LINES_PER_FAILURE : l.nr_lines);
}
