// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_tree.c -- reader of untrusted .csp.live files. It finds the arenas of a file, and visits all
 * nodes of a tree.
 */
#include "libop/raw/live_tree.h"

#include <errno.h>

struct raw_live_node *raw_live_walk_node(const struct raw_live_walk *w, uint32_t ref)
{
	return raw_live_get(w->arena, ref, w->node_size);
}

uint64_t raw_live_room_for(const struct raw_live_arena *arena, uint32_t size)
{
	uint64_t nr = 0;

	for (unsigned int k = 0; k < RAW_LIVE_MAX_CHUNKS; k++)
		if (arena->chunks[k])
			nr += ((uint64_t)RAW_LIVE_FIRST << k) / size;
	return nr;
}

uint32_t raw_live_node_size(uint64_t columns)
{
	return sizeof(struct raw_live_node) + 8 * raw_live_nr_columns(columns);
}

void raw_live_walk_begin(struct raw_live_walk *w, const struct raw_live_arena *arena,
			 uint64_t columns, uint64_t nodes)
{
	w->arena = arena;
	w->node_size = raw_live_node_size(columns);
	w->left = 2 * nodes;
}

int raw_live_walk_next(struct raw_live_walk *w, uint32_t root, uint32_t *node)
{
	const struct raw_live_node *n = raw_live_walk_node(w, *node);
	uint32_t parent = *node;

	if (!n)
		return -EUCLEAN;
	if (n->children) {
		*node = n->children;
	} else {
		while (*node != root && !n->sibling) {
			*node = n->parent;
			n = raw_live_walk_node(w, *node);
			if (!n || !w->left--)
				return -EUCLEAN;
		}
		if (*node == root)
			return 0;
		*node = n->sibling;
		parent = n->parent;
	}
	n = raw_live_walk_node(w, *node);
	return n && n->parent == parent && w->left-- ? 1 : -EUCLEAN;
}

/* Return whether trees with the metrics @columns have all metrics of the heap. */
static bool has_heap(const struct raw_live_run *run, uint64_t columns)
{
	uint64_t all;

	if (!run->generation || run->heap > RAW_LIVE_MAX_METRICS - RAW_LIVE_NR_HEAP)
		return false;
	all = raw_live_columns(run->heap + RAW_LIVE_NR_HEAP);
	return (columns & all) == all;
}

/* Update the node's number of bytes at the heap's last peak. If the node has not changed since that
 * peak, the number is its bytes in use now. */
static void catch_up(const struct raw_live_run *run, struct raw_live_node *n)
{
	uint64_t *heap = &n->metrics[run->heap];

	if (heap[RAW_LIVE_GENERATION] == run->generation)
		return;
	heap[RAW_LIVE_GENERATION] = run->generation;
	heap[RAW_LIVE_PEAK] = heap[RAW_LIVE_ALLOCATED] - heap[RAW_LIVE_FREED];
}

/* Assign a number to each node of the tree. Count all nodes, and the nodes with each flag. Return
 * 0, or -EUCLEAN if the tree is damaged or has more than @most nodes. */
static int number_nodes(struct raw_live_walk *w, const struct raw_live_run *run,
			const struct raw_live_tree *tree, uint64_t most, uint64_t *nr,
			uint64_t nr_flagged[2])
{
	bool is_heap = has_heap(run, tree->columns);
	uint32_t root = tree->root, at = root;
	int more;

	*nr = nr_flagged[0] = nr_flagged[1] = 0;
	do {
		struct raw_live_node *n = raw_live_walk_node(w, at);

		if (!n || (at == root && n->parent != root) || *nr == most)
			return -EUCLEAN;
		n->id = (*nr)++;
		if (is_heap)
			catch_up(run, n);
		nr_flagged[0] += !!(n->flags & RAW_LIVE_INTERRUPTED);
		nr_flagged[1] += !!(n->flags & RAW_LIVE_SHORT);
		more = raw_live_walk_next(w, root, &at);
	} while (more > 0);
	return more;
}

int raw_live_number_tree(const struct raw_live_arena *arena, const struct raw_live_run *run,
			 const struct raw_live_tree *tree, uint64_t *left, uint64_t *nr,
			 uint64_t nr_flagged[2])
{
	uint64_t steps = 2 * *left;
	struct raw_live_walk w;
	int err;

	raw_live_walk_begin(&w, arena, tree->columns, *left);
	err = number_nodes(&w, run, tree, *left, nr, nr_flagged);
	steps = w.left > steps ? steps : steps - w.left;
	*left -= *nr > steps / 2 ? *nr : steps / 2;
	return err;
}

void *raw_live_get(const struct raw_live_arena *arena, uint32_t ref, uint64_t size)
{
	uint64_t at = (uint64_t)ref * 8;
	unsigned int k = raw_live_chunk_of(at);

	if (!ref || k >= RAW_LIVE_MAX_CHUNKS || !arena->chunks[k])
		return NULL;
	at -= raw_live_start(k);
	if (at < sizeof(struct raw_live_chunk) || size > ((uint64_t)RAW_LIVE_FIRST << k) - at)
		return NULL;
	return arena->chunks[k] + at;
}

/* Return the chunk of an arena that begins at offset @at of the file. Return NULL if the chunk is
 * not complete. */
static struct raw_live_chunk *chunk_at(const void *file, uint64_t size, uint64_t at)
{
	struct raw_live_chunk *c = (void *)((unsigned char *)(uintptr_t)file + at);

	if (at > size || size - at < RAW_LIVE_FIRST || c->magic != RAW_LIVE_MAGIC ||
	    c->arena >= RAW_LIVE_MAX_ARENAS || c->index >= RAW_LIVE_MAX_CHUNKS ||
	    c->size != (uint64_t)RAW_LIVE_FIRST << c->index || c->size > size - at)
		return NULL;
	return c;
}

/* Return the next offset after @at at which a chunk may begin. @c: the chunk at @at; NULL: the
 * chunk at @at is not complete. */
static uint64_t next_chunk(const struct raw_live_chunk *c, uint64_t at)
{
	return at + (c ? c->size : RAW_LIVE_FIRST);
}

int raw_live_count(const void *file, uint64_t size)
{
	uint32_t nr = 0;

	for (uint64_t at = 0; at < size; ) {
		const struct raw_live_chunk *c = chunk_at(file, size, at);

		if (c && c->arena >= nr)
			nr = c->arena + 1;
		at = next_chunk(c, at);
	}
	return nr ? (int)nr : -EUCLEAN;
}

int raw_live_open(struct raw_live *live, void *file, uint64_t size)
{
	__builtin_memset(live->arenas, 0, live->nr_arenas * sizeof(*live->arenas));
	for (uint64_t at = 0; at < size; ) {
		struct raw_live_chunk *c = chunk_at(file, size, at);

		if (c && c->arena < live->nr_arenas && !live->arenas[c->arena].chunks[c->index])
			live->arenas[c->arena].chunks[c->index] = (unsigned char *)c;
		at = next_chunk(c, at);
	}
	return raw_live_run(live) ? 0 : -EUCLEAN;
}

const struct raw_live_run *raw_live_run(const struct raw_live *live)
{
	const struct raw_live_run *run;

	if (!live->nr_arenas)
		return NULL;
	run = raw_live_get(&live->arenas[0], RAW_LIVE_TOP, sizeof(*run));
	return run && run->nr_metrics <= RAW_LIVE_MAX_METRICS &&
	       run->program[RAW_LIVE_PATH - 1] == '\0' ? run : NULL;
}
