// SPDX-License-Identifier: GPL-2.0-or-later
/* last_paths.c -- cache of the last call path of each of 64 threads, with the tree node of each
 * frame. */
#include "config.h"
#include "daemon/store/last_paths.h"

#include <stdlib.h>

#define NR_PATHS 64u
/* maximum number of frames of a call path that are cached */
#define MAX_STEPS 256u

struct opd_last_paths {
	struct opd_last_path paths[NR_PATHS];
};

struct opd_last_paths *opd_last_paths_create(void)
{
	return calloc(1, sizeof(struct opd_last_paths));
}

void opd_last_paths_destroy(struct opd_last_paths *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < NR_PATHS; i++)
		free(l->paths[i].steps);
	free(l);
}

struct opd_last_path *opd_last_paths_find(struct opd_last_paths *l,
					  const struct opd_last_path_key *key)
{
	struct opd_last_path *last = &l->paths[(uint32_t)key->tid % NR_PATHS];
	const struct opd_last_path_key *k = &last->key;

	if (k->tree != key->tree || k->trees != key->trees || k->kernel != key->kernel ||
	    k->program != key->program || k->tgid != key->tgid || k->tid != key->tid ||
	    k->end != key->end) {
		last->key = *key;
		last->nr = 0;
	}
	return last;
}

static inline bool is_same(const struct opd_frame *a, const struct opd_frame *b)
{
	if (a->offset != b->offset || a->image != b->image || a->how != b->how ||
	    a->domain != b->domain)
		return false;
	return a->domain != OPD_USER_ANON ||
	       (a->anon.start == b->anon.start && a->anon.end == b->anon.end &&
		a->anon.label == b->anon.label);
}

size_t opd_last_path_same(const struct opd_last_path *last, const struct opd_path *path,
			  const struct opd_frame *leaf)
{
	size_t max = path->nr < last->nr ? path->nr : last->nr, n = 0;

	while (n < max && is_same(&last->steps[n].frame, &path->frames[n]))
		n++;
	return n == path->nr && n < last->nr && is_same(&last->steps[n].frame, leaf) ? n + 1 : n;
}

/* Allocate more elements of last->steps. Return false if memory is short. Not inlined, so that the
 * fast path of opd_last_path_set() needs no stack frame. */
static __attribute__((noinline)) bool add_room(struct opd_last_path *last)
{
	size_t room = last->room + last->room / 2 + 8;
	struct opd_last_step *steps = realloc(last->steps, room * sizeof(*steps));

	if (!steps)
		return false;
	last->steps = steps;
	last->room = room;
	return true;
}

void opd_last_path_set(struct opd_last_path *last, size_t i, const struct opd_frame *frame,
		       uint32_t node)
{
	if (i > last->nr || i >= MAX_STEPS)
		return;
	last->nr = i;
	if (i == last->room && !add_room(last))
		return;
	last->steps[i].frame = *frame;
	last->steps[i].node = node;
	last->nr = i + 1;
}
