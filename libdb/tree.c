// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree.c -- trees of call paths, and merging of trees. Each node of a tree is stored in a slot of
 * the file (slots.h). The key of the slot is the node's parent and frame; the value is the node's
 * count.
 */
#include "config.h"
#include "libdb/tree.h"

#include <errno.h>
#include <stdlib.h>

#include "libdb/slots.h"

struct tree {
	struct slots slots;
};

static const struct slots_kind tree_kind = {
	.magic = SLOTS_MAGIC_TREE,
};

static uint64_t key_of(uint32_t parent, uint32_t frame)
{
	return (uint64_t)parent << 32 | frame;
}

int tree_open(struct tree **ret, int fd, enum odb_mode mode, uint64_t generation)
{
	struct tree *t;
	uint32_t folded;
	int err;

	if (mode == ODB_WRITE && !generation)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	err = slots_open(&t->slots, &tree_kind, fd, mode, generation, 0);
	if (err) {
		free(t);
		return err;
	}
	if (mode == ODB_WRITE) {
		err = tree_child(t, TREE_ROOT, FRAME_FOLDED, &folded);
		if (err) {
			/* on failure, @fd still belongs to the caller of tree_open(): keep it
			 * open */
			t->slots.fd = -1;
			tree_close(t);
			return err;
		}
	}
	*ret = t;
	return 0;
}

void tree_close(struct tree *t)
{
	if (!t)
		return;
	slots_close(&t->slots);
	free(t);
}

uint64_t tree_generation(const struct tree *t)
{
	return slots_header(&t->slots)->generation;
}

uint64_t tree_id(const struct tree *t)
{
	return slots_header(&t->slots)->id;
}

int tree_child(struct tree *t, uint32_t parent, uint32_t frame, uint32_t *number)
{
	uint64_t key = key_of(parent, frame);
	uint32_t found = slots_find(&t->slots, key, 0);
	struct tree_node above;

	if (found) {
		*number = found;
		return 0;
	}
	if (parent != TREE_ROOT && !tree_node(t, parent, &above))
		return -EINVAL;
	return slots_append(&t->slots, key, 0, number);
}

uint32_t tree_folded_above(const struct tree *t, uint32_t number)
{
	uint32_t found;

	while (!(found = slots_find(&t->slots, key_of(number, FRAME_FOLDED), 0))) {
		struct tree_node node;

		if (number == TREE_ROOT)
			break;
		/* If the ancestors of the node are missing, use the root's FRAME_FOLDED child,
		 * which tree_open() creates. */
		number = tree_node(t, number, &node) ? node.parent : TREE_ROOT;
	}
	return found;
}

int tree_add(struct tree *t, uint32_t number, uint64_t count)
{
	struct tree_node node;

	if (!tree_node(t, number, &node))
		return -EINVAL;
	return slots_add(&t->slots, number, count);
}

uint32_t tree_end(const struct tree *t)
{
	return slots_end(&t->slots);
}

bool tree_more(struct tree *t)
{
	return slots_more(&t->slots);
}

void tree_limit(struct tree *t, uint32_t end)
{
	slots_limit(&t->slots, end);
}

bool tree_node(const struct tree *t, uint32_t number, struct tree_node *node)
{
	uint64_t key, count;

	if (!slots_get(&t->slots, number, &key, &count))
		return false;
	if (key >> 32 >= number || (key >> 32 && key >> 32 < TREE_FIRST))
		return false;
	*node = (struct tree_node){ .parent = key >> 32, .frame = key, .count = count };
	return true;
}

uint64_t tree_count(const struct tree *t, uint32_t number)
{
	return slots_value(&t->slots, number);
}

static void count_node(struct tree_totals *b, const struct tree_node *node, bool has_path)
{
	if (!has_path) {
		b->orphans++;
		b->orphan_count += node->count;
		return;
	}
	b->nodes++;
	b->count += node->count;
	if (node->frame == FRAME_FOLDED)
		b->folded += node->count;
	if (node->frame == FRAME_LOST)
		b->lost += node->count;
}

int tree_totals(const struct tree *t, struct tree_totals *totals)
{
	uint32_t end = tree_end(t);
	bool *has_path = calloc(end, sizeof(*has_path));
	struct tree_totals b = { 0 };
	struct tree_node node;

	if (!has_path)
		return -ENOMEM;
	has_path[TREE_ROOT] = true;
	for (uint32_t i = TREE_FIRST; i < end; i++) {
		if (!tree_node(t, i, &node)) {
			b.damaged++;
			continue;
		}
		has_path[i] = has_path[node.parent];
		count_node(&b, &node, has_path[i]);
	}
	free(has_path);
	*totals = b;
	return 0;
}

int tree_sync(struct tree *t, int wait)
{
	return slots_sync(&t->slots, wait);
}

/* flag in .map: besides the count of the node, the counts of all its descendants are added to the
 * mapped node */
#define ONLY	(1u << 31)

struct copy {
	struct tree *to;
	const struct tree *from;
	int (*frame)(void *context, uint32_t frame, uint32_t *ret);
	void *context;
	/* for each node of @from, the number of its copy in @to; 0: not copied */
	uint32_t *map;
};

/* Set *@map to the node of @to to which the count of @node is added. Set the flag ONLY in *@map if
 * the counts of all descendants of @node are added there, too. */
static int map_node(const struct copy *c, const struct tree_node *node, uint32_t *map)
{
	uint32_t above = c->map[node->parent], frame = node->frame;
	int err = 0;

	if (above & ONLY) {
		*map = above;
	} else if (node->parent != TREE_ROOT && !above) {
		err = tree_child(c->to, TREE_ROOT, FRAME_LOST, map);
		*map |= ONLY;
	} else {
		if (c->frame && frame >= FRAME_FIRST)
			err = c->frame(c->context, frame, &frame);
		if (!err)
			err = tree_child(c->to, above, frame, map);
	}
	return err;
}

static int copy_nodes(struct copy *c)
{
	uint32_t end = tree_end(c->from);
	struct tree_node node;
	int err = 0;

	c->map = calloc(end, sizeof(*c->map));
	if (!c->map)
		return -ENOMEM;
	for (uint32_t i = TREE_FIRST; i < end && !err; i++) {
		if (!tree_node(c->from, i, &node))
			continue;
		err = map_node(c, &node, &c->map[i]);
		if (!err && node.count)
			err = tree_add(c->to, c->map[i] & ~ONLY, node.count);
	}
	free(c->map);
	return err;
}

int tree_merge(struct tree *to, const struct tree *from,
	       int (*frame)(void *context, uint32_t frame, uint32_t *ret), void *context)
{
	struct copy c = { .to = to, .from = from, .frame = frame, .context = context };

	return copy_nodes(&c);
}
