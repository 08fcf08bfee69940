// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * paths.c -- a tree that counts the call paths of a process that is sampled from outside.
 */
#include "config.h"
#include "utils/opattach/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ROOM	1024
#define FIRST_MODULES	16

void attach_paths_release(struct attach_paths *paths)
{
	for (size_t i = 0; i < paths->nr_modules; i++)
		free(paths->modules[i].path);
	free(paths->modules);
	free(paths->command);
	free(paths->nodes);
	free(paths->hash);
	*paths = (struct attach_paths){ 0 };
}

void attach_paths_command(struct attach_paths *paths, const struct attach_target *t)
{
	char command[65536];
	int fd = openat(t->proc, "cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, command, sizeof(command)) : 0;

	if (fd >= 0)
		close(fd);
	paths->command = len > 0 ? malloc(len) : NULL;
	if (!paths->command)
		return;
	memcpy(paths->command, command, len);
	paths->command_len = len;
}

static uint32_t hash_of(const struct attach_paths *p, uint32_t parent, uint64_t ip, uint32_t flags)
{
	return ((ip ^ (uint64_t)parent << 32 ^ flags) * 0x9e3779b97f4a7c15ULL >> 32) &
	       (p->room - 1);
}

static void put_in_hash(struct attach_paths *p, uint32_t i)
{
	struct attach_node *n = &p->nodes[i];
	uint32_t *first = &p->hash[hash_of(p, n->parent, n->ip, n->flags)];

	n->same_hash = *first;
	*first = i;
}

static bool grow(struct attach_paths *p)
{
	uint32_t room = p->room ? 2 * p->room : FIRST_ROOM;
	struct attach_node *nodes = realloc(p->nodes, room * sizeof(*nodes));
	uint32_t *hash;

	if (nodes)
		p->nodes = nodes;
	hash = nodes ? calloc(room, sizeof(*hash)) : NULL;
	if (!hash)
		return false;
	free(p->hash);
	p->hash = hash;
	p->room = room;
	if (!p->nr)
		p->nodes[p->nr++] = (struct attach_node){ 0 };
	for (uint32_t i = 1; i < p->nr; i++)
		put_in_hash(p, i);
	return true;
}

/* Find or add the child of node @parent for the frame, and return its index. Return 0 if out of
 * memory. */
static uint32_t child(struct attach_paths *p, uint32_t parent,
		      const struct attach_path_frame *frame, uint32_t flags)
{
	uint32_t i;

	for (i = p->room ? p->hash[hash_of(p, parent, frame->ip, flags)] : 0; i;
	     i = p->nodes[i].same_hash)
		if (p->nodes[i].parent == parent && p->nodes[i].ip == frame->ip &&
		    p->nodes[i].flags == flags)
			return i;
	if (p->nr == p->room && !grow(p))
		return 0;
	i = p->nr++;
	p->nodes[i] = (struct attach_node){
		.ip = frame->ip,
		.sp = frame->sp,
		.parent = parent,
		.sibling = p->nodes[parent].child,
		.flags = flags,
	};
	p->nodes[parent].child = i;
	put_in_hash(p, i);
	return i;
}

void attach_paths_count_lost(struct attach_paths *paths, enum raw_live_loss loss, uint64_t weight)
{
	paths->counts.taken += weight;
	paths->counts.lost[loss] += weight;
}

/* Return the index of the first module whose end is above the address @at. */
static size_t module_above(const struct attach_paths *p, uint64_t at)
{
	size_t low = 0, high = p->nr_modules;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->modules[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_known(const struct attach_paths *p, uint64_t ip)
{
	const size_t i = module_above(p, ip);

	return i < p->nr_modules && p->modules[i].start <= ip;
}

static int make_room(struct attach_paths *p)
{
	const size_t room = p->room_modules ? 2 * p->room_modules : FIRST_MODULES;
	struct attach_module *more = p->nr_modules < p->room_modules ?
					     p->modules :
					     realloc(p->modules, room * sizeof(*more));

	if (!more)
		return -ENOMEM;
	if (p->nr_modules == p->room_modules)
		p->room_modules = room;
	p->modules = more;
	return 0;
}

void attach_paths_add(struct attach_paths *paths, const struct attach_path *path, uint64_t weight)
{
	bool is_whole = path->end == OPROFILE_UW_WHOLE;
	uint32_t at = 0;

	if (!is_known(paths, path->frames[0].ip)) {
		attach_paths_count_lost(paths, RAW_LIVE_EPOCH, weight);
		return;
	}
	if (!paths->room && !grow(paths)) {
		attach_paths_count_lost(paths, RAW_LIVE_MEMORY, weight);
		return;
	}
	for (unsigned int i = path->nr; i--; ) {
		const struct attach_path_frame *f = &path->frames[i];
		uint32_t flags = (i && f->innermost ? RAW_LIVE_INTERRUPTED : 0) |
				 (i + 1 == path->nr && !is_whole ? RAW_LIVE_SHORT : 0);

		at = child(paths, at, f, flags);
		if (!at) {
			attach_paths_count_lost(paths, RAW_LIVE_MEMORY, weight);
			return;
		}
	}
	paths->nodes[at].count += weight;
	paths->counts.taken += weight;
	paths->counts.recorded += weight;
	if (is_whole)
		paths->counts.complete += weight;
}

static int add_module(struct attach_paths *p, const struct attach_image *image)
{
	const size_t i = module_above(p, image->start);
	struct attach_module *m;
	char *path;

	if (i < p->nr_modules && p->modules[i].start < image->end)
		return 0;
	path = strdup(image->path);
	if (!path || make_room(p)) {
		free(path);
		return -ENOMEM;
	}
	m = &p->modules[i];
	memmove(m + 1, m, (p->nr_modules - i) * sizeof(*m));
	*m = (struct attach_module){
		.start = image->start,
		.end = image->end,
		.vaddr = image->vaddr,
		.path = path,
		.build_id_len = image->build_id_len,
	};
	memcpy(m->build_id, image->build_id, sizeof(m->build_id));
	p->nr_modules++;
	return 0;
}

int attach_paths_modules(struct attach_paths *paths, const struct attach_images *images)
{
	int err = 0;

	for (size_t i = 0; i < images->nr && !err; i++)
		err = add_module(paths, &images->items[i]);
	return err;
}
