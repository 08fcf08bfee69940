// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process.c -- the address spaces of all processes: applies records of perf_events to them, and
 * looks up addresses.
 */
#include "config.h"
#include "daemon/image/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/image/mapped_file.h"
#include "daemon/image/process_proc.h"
#include "daemon/image/process_table.h"

/* time in ns to keep the entry of an ended process, because its last samples may arrive after its
 * exit record */
#define KEEP_DEAD_NS	1000000000ull

int opd_processes_create(struct opd_processes **ret, struct opd_mapped_files *files,
			 const char *proc_dir)
{
	struct opd_processes *ps = calloc(1, sizeof(*ps));

	if (!ps)
		return -ENOMEM;
	ps->files = files;
	opd_process_swept(ps);
	ps->proc_fd = open(proc_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ps->proc_fd < 0) {
		int err = -errno;

		free(ps);
		return err;
	}
	*ret = ps;
	return 0;
}

void opd_processes_only_family(struct opd_processes *ps)
{
	ps->family = true;
}

bool opd_processes_know(struct opd_processes *ps, pid_t tgid)
{
	return opd_process_at(ps, tgid) != NULL;
}

int opd_processes_list(struct opd_processes *ps, pid_t **ret, size_t *ret_nr)
{
	pid_t *ids = calloc(ps->nr ? ps->nr : 1, sizeof(*ids));
	size_t nr = 0;

	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < OPD_PROCESS_BUCKETS; i++)
		for (const struct opd_process *p = ps->buckets[i]; p; p = p->next)
			if (!p->dead)
				ids[nr++] = p->tgid;
	*ret = ids;
	*ret_nr = nr;
	return 0;
}

size_t opd_processes_nr(const struct opd_processes *ps)
{
	return ps->nr;
}

void opd_processes_destroy(struct opd_processes *ps)
{
	if (!ps)
		return;
	opd_process_forget_all(ps);
	close(ps->proc_fd);
	free(ps);
}

void opd_processes_doubt(struct opd_processes *ps)
{
	for (size_t i = 0; i < OPD_PROCESS_BUCKETS; i++)
		for (struct opd_process *p = ps->buckets[i]; p; p = p->next)
			p->doubted = !p->dead;
}

/* Read the data of process @p from /proc again, because records of perf_events were lost. If the
 * process has ended, keep the old data. */
static void read_again(struct opd_processes *ps, struct opd_process *p, uint64_t time)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", (int)p->tgid);
	p->doubted = false;
	if (!faccessat(ps->proc_fd, name, F_OK, 0) && opd_process_fresh(ps, p->tgid) &&
	    !opd_process_read(ps, p, time))
		p->gone = true;
}

struct opd_process *opd_processes_find(struct opd_processes *ps, uint64_t time, pid_t tgid)
{
	struct opd_process *p = opd_process_at(ps, tgid);

	if (tgid <= 0)
		return NULL;
	if (p && !p->gone && (p->doubted || p->unread) && opd_process_may_read(ps, p, time)) {
		if (p->doubted)
			read_again(ps, p, time);
		else	/* Keep the mappings that records have described. */
			opd_process_read(ps, p, time);
	}
	if (p && !p->gone)
		return p;
	if (!p && ps->family)
		return NULL;
	if (!opd_process_may_read(ps, p, time))
		return NULL;

	if (!p) {
		opd_process_sweep_many(ps);
		p = opd_process_fresh(ps, tgid);
		if (!p)
			return NULL;
	}
	if (opd_process_read(ps, p, time)) {
		p->gone = false;
		return p;
	}
	/* Mark the process as ended, so that its next samples do not read /proc again. */
	opd_process_forget_contents(p);
	p->gone = true;
	if (!p->dead)
		opd_process_bury(ps, p, time);
	return NULL;
}

/* Return true if a record with time @time is older than the data of @p: the data was read from
 * /proc after the record, and already includes its effect. */
static bool seen_already(const struct opd_process *p, uint64_t time)
{
	return p && p->scanned_at && time <= p->scanned_at;
}

void opd_processes_fork(struct opd_processes *ps, uint64_t time, pid_t tgid, pid_t parent)
{
	struct opd_process *p = opd_process_at(ps, tgid), *from;

	if (seen_already(p, time))
		return;
	if (tgid == parent) {
		if (p)
			p->nr_threads++;
		return;
	}
	if (ps->family && !opd_process_at(ps, parent)) {
		if (p)	/* The entry belongs to an earlier process with the same id. */
			opd_process_forget(ps, p);
		return;
	}
	opd_process_sweep_many(ps);
	from = opd_processes_find(ps, time, parent);
	p = opd_process_fresh(ps, tgid);
	if (!p)
		return;
	if (!from) {
		/* The mappings of the process are unknown: opd_processes_find() has to read
		 * /proc. */
		p->gone = true;
		return;
	}
	p->maps = opd_maps_share(from->maps);
	p->app = from->app;
	opd_mapped_file_get(p->app);
	p->hidden = from->hidden;
	p->unread = from->unread;
	p->ask_at = from->ask_at;
}

void opd_processes_exec(struct opd_processes *ps, uint64_t time, pid_t tgid)
{
	struct opd_process *p = opd_process_at(ps, tgid);

	if (seen_already(p, time) || (!p && ps->family))
		return;
	if (!p) {
		p = opd_process_fresh(ps, tgid);
		if (!p)
			return;
	}
	opd_process_unbury(ps, p);
	opd_maps_put(p->maps);
	p->maps = NULL;
	p->gone = p->hidden = p->unread = p->has_map = p->has_dump = false;
	p->ask_map = 0;
	p->scanned_at = 0;
	p->nr_threads = 1;
	/* Keep the old program in p->app until the process maps the new program's file. */
	p->execing = true;
}

void opd_processes_mmap(struct opd_processes *ps, uint64_t time, pid_t tgid,
			const struct opd_mapping *mapping)
{
	struct opd_process *p = opd_processes_find(ps, time, tgid);

	if (!p) {
		p = opd_process_at(ps, tgid);
		if (!p)
			return;
		p->gone = false;	/* The entry has data again: at least this mapping. */
	}
	if (!seen_already(p, time))
		opd_process_add_mapping(ps, p, mapping);
}

void opd_processes_exit(struct opd_processes *ps, uint64_t time, pid_t tgid)
{
	struct opd_process *p = opd_process_at(ps, tgid);

	if (!p || p->dead || seen_already(p, time))
		return;
	if (p->nr_threads)
		p->nr_threads--;
	if (!p->nr_threads)
		opd_process_bury(ps, p, time);
}

void opd_processes_reap(struct opd_processes *ps, uint64_t time)
{
	while (ps->oldest_dead && ps->oldest_dead->died_at + KEEP_DEAD_NS < time)
		opd_process_forget(ps, ps->oldest_dead);
	opd_mapped_files_trim(ps->files);
}

const struct opd_map *opd_process_map(struct opd_processes *ps, struct opd_process *process,
				      uint64_t time, uint64_t address)
{
	const struct opd_map *map = opd_maps_find(process->maps, address);

	if (process->dead && !process->gone) {
		/* A sample shows that the process still runs in user mode, so the entry's number of
		 * threads was wrong. */
		opd_process_unbury(ps, process);
		process->nr_threads = 1;
	}
	if (map || process->hidden || process->unread || !opd_process_may_read(ps, process, time))
		return map;
	opd_process_read_map(ps, process, time, address);
	return opd_maps_find(process->maps, address);
}
