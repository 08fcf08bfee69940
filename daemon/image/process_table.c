// SPDX-License-Identifier: GPL-2.0-or-later
/* process_table.c -- table of the known processes with their mappings. */
#include "config.h"
#include "daemon/image/process_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/image/anon.h"
#include "daemon/image/mapped_file.h"

#define SWEEP_SLACK	1024

void opd_process_bury(struct opd_processes *ps, struct opd_process *p, uint64_t time)
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

void opd_process_unbury(struct opd_processes *ps, struct opd_process *p)
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
	struct opd_process **slot = &ps->buckets[(uint32_t)tgid % OPD_PROCESS_BUCKETS];

	while (*slot && (*slot)->tgid != tgid)
		slot = &(*slot)->next;
	return slot;
}

struct opd_process *opd_process_at(struct opd_processes *ps, pid_t tgid)
{
	return *slot_of(ps, tgid);
}

void opd_process_forget_contents(struct opd_process *p)
{
	opd_maps_put(p->maps);
	opd_mapped_file_put(p->app);
	p->maps = NULL;
	p->app = NULL;
}

static void forget(struct opd_processes *ps, struct opd_process **slot)
{
	struct opd_process *p = *slot;

	opd_process_unbury(ps, p);
	*slot = p->next;
	ps->nr--;
	opd_process_forget_contents(p);
	free(p);
}

void opd_process_forget(struct opd_processes *ps, struct opd_process *p)
{
	forget(ps, slot_of(ps, p->tgid));
}

void opd_process_forget_all(struct opd_processes *ps)
{
	for (size_t i = 0; i < OPD_PROCESS_BUCKETS; i++)
		while (ps->buckets[i])
			forget(ps, &ps->buckets[i]);
}

void opd_process_swept(struct opd_processes *ps)
{
	ps->sweep_at = 2 * ps->nr + SWEEP_SLACK;
}

/* Find processes whose exit record was lost: a process that is not in /proc has ended. Set the time
 * of its end to now, because records and samples of its last moments may still arrive. */
static void sweep(struct opd_processes *ps)
{
	uint64_t now = opd_perf_now();

	for (size_t i = 0; i < OPD_PROCESS_BUCKETS; i++) {
		for (struct opd_process *p = ps->buckets[i]; p; p = p->next) {
			char name[16];

			if (p->dead)
				continue;
			snprintf(name, sizeof(name), "%d", (int)p->tgid);
			if (faccessat(ps->proc_fd, name, F_OK, 0))
				opd_process_bury(ps, p, now);
		}
	}
	opd_process_swept(ps);
}

void opd_process_sweep_many(struct opd_processes *ps)
{
	if (ps->nr >= ps->sweep_at)
		sweep(ps);
}

struct opd_process *opd_process_fresh(struct opd_processes *ps, pid_t tgid)
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
	opd_process_unbury(ps, p);
	opd_process_forget_contents(p);
	next = p->next;
	*p = (struct opd_process){ .tgid = tgid, .nr_threads = 1, .next = next };
	return p;
}

static bool begins_with(const char *name, const char *prefix)
{
	/* Compare the second character first: most paths differ in it (/usr, /lib, /home). */
	return name[1] == prefix[1] && !strncmp(name, prefix, strlen(prefix));
}

/* Return true if @name is the path of a file. Shared anonymous memory has names like "/dev/zero"
 * and "/SYSV00000000", because the kernel implements it by files; return false for these. */
static bool is_file(const char *name)
{
	return name[0] == '/' && name[1] != '/' && !begins_with(name, "/dev/zero") &&
	       !begins_with(name, "/anon_hugepage") && !begins_with(name, "/SYSV");
}

int opd_process_map_init(struct opd_processes *ps, struct opd_map *map, const struct opd_mapping *m)
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

/* Free the table of mappings whose paths take most memory, for all processes that share this table.
 * Return false if no table contains paths. */
static bool forget_longest_names(struct opd_processes *ps)
{
	struct opd_maps *most = NULL;

	for (size_t i = 0; i < OPD_PROCESS_BUCKETS; i++)
		for (struct opd_process *p = ps->buckets[i]; p; p = p->next)
			if (opd_maps_name_bytes(p->maps) > opd_maps_name_bytes(most))
				most = p->maps;
	if (!most)
		return false;
	for (size_t i = 0; i < OPD_PROCESS_BUCKETS; i++) {
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

/*
 * Return true if @map is a copy of the program's own code in huge pages, at the same addresses.
 * Some programs remap their code like this (node --use-largepages=on, BOLT's -hugify). Other code
 * cannot be mapped at these addresses: unlike a library, a program is not unmapped while it runs.
 */
static bool is_text_copy(const struct opd_process *p, const struct opd_map *map)
{
	const struct opd_map *before;

	if (map->file)
		return false;
	before = opd_maps_find(p->maps, map->start);
	return before && before->file && before->file == p->app && map->end <= before->end;
}

void opd_process_add_mapping(struct opd_processes *ps, struct opd_process *p,
			const struct opd_mapping *mapping)
{
	struct opd_map map;

	if (opd_process_map_init(ps, &map, mapping))
		return;
	if (is_text_copy(p, &map)) {
		opd_mapped_file_put(map.file);
		return;
	}
	p->has_dump |= map.file && opd_mapped_file_is_dump(map.file);
	if (p->execing && map.file) {
		opd_mapped_file_put(p->app);
		opd_mapped_file_get(map.file);
		p->app = map.file;
		p->execing = false;
	}
	if (opd_maps_insert(&p->maps, &map) == -E2BIG) {
		/* The table has the maximum number of mappings. Drop all mappings: most of them no
		 * longer exist, and the others are read from /proc at their next sample. */
		opd_maps_put(p->maps);
		p->maps = NULL;
		opd_maps_insert(&p->maps, &map);
	}
	opd_mapped_file_put(map.file);
	keep_names_within_limit(ps);
}

