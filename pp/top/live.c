// SPDX-License-Identifier: GPL-2.0-or-later
/* live.c -- the live profile: the samples since the last snapshot. */
#include "config.h"
#include "pp/top/live.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "libop/base/search.h"

static int widen(struct pp_top_set *set)
{
	size_t size = set->size ? 2 * set->size : 64;
	uint32_t *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < set->nr; i++) {
		size_t at = op_hash_number(OP_HASH_BEGIN, set->keys[i]) & (size - 1);

		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = i + 1;
	}
	free(set->slots);
	set->slots = slots;
	set->size = size;
	return 0;
}

int pp_top_set_add(struct pp_top_set *set, uint64_t key, uint32_t *ret)
{
	size_t at;

	if (2 * set->nr >= set->size && widen(set))
		return -ENOMEM;
	for (at = op_hash_number(OP_HASH_BEGIN, key) & (set->size - 1); set->slots[at];
	     at = (at + 1) & (set->size - 1))
		if (set->keys[set->slots[at] - 1] == key) {
			*ret = set->slots[at] - 1;
			return 0;
		}
	if (set->nr >= UINT32_MAX / 2 || op_grow(&set->keys, set->nr))
		return -ENOMEM;
	set->keys[set->nr] = key;
	*ret = set->nr++;
	set->slots[at] = set->nr;
	return 0;
}

void pp_top_set_forget_last(struct pp_top_set *set)
{
	size_t at = op_hash_number(OP_HASH_BEGIN, set->keys[set->nr - 1]) & (set->size - 1);

	/* This key was added last, so no other key was hashed past its slot, and the slot may
	 * become free. */
	while (set->slots[at] != set->nr)
		at = (at + 1) & (set->size - 1);
	set->slots[at] = 0;
	set->nr--;
}

void pp_top_set_release(struct pp_top_set *set)
{
	free(set->keys);
	free(set->slots);
	*set = (struct pp_top_set){ 0 };
}

/* Find @key, and store its index in *@ret. Add the key with a count of 0 if it is new. Return 0 or
 * -ENOMEM. */
static int counts_find(struct pp_top_counts *c, uint64_t key, uint32_t *ret)
{
	uint32_t i;
	int err = pp_top_set_add(&c->set, key, &i);

	while (!err && c->nr < c->set.nr) {
		err = op_grow(&c->counts, c->nr);
		if (!err)
			c->counts[c->nr++] = 0;
	}
	if (!err)
		*ret = i;
	return err;
}

static int touch(struct pp_top_counts *c, uint32_t i)
{
	if (op_grow(&c->touched, c->nr_touched))
		return -ENOMEM;
	c->touched[c->nr_touched++] = i;
	return 0;
}

static int counts_add(struct pp_top_counts *c, uint32_t i, uint64_t count)
{
	if (!count)
		return 0;
	if (!c->counts[i] && touch(c, i))
		return -ENOMEM;
	c->counts[i] += count;
	return 0;
}

static void counts_clear(struct pp_top_counts *c)
{
	for (size_t i = 0; i < c->nr_touched; i++)
		c->counts[c->touched[i]] = 0;
	c->nr_touched = 0;
}

static void counts_release(struct pp_top_counts *c)
{
	pp_top_set_release(&c->set);
	free(c->counts);
	free(c->touched);
	*c = (struct pp_top_counts){ 0 };
}

/* Return the number that stands for a program in the hash key of a node. Programs have odd numbers,
 * functions even numbers. */
static uint32_t name_of_program(uint32_t program)
{
	return program << 1 | 1;
}

static uint32_t name_of_function(uint32_t function)
{
	return function << 1;
}

#define ROOT_KEY UINT64_MAX

int pp_top_live_init(struct pp_top_live *live, struct pp_images *images, enum pp_demangle demangle)
{
	uint32_t root;

	*live = (struct pp_top_live){ .functions = { .images = NULL } };
	pp_top_functions_init(&live->functions, images, demangle);
	return counts_find(&live->nodes, ROOT_KEY, &root);
}

void pp_top_live_release(struct pp_top_live *live)
{
	pp_top_functions_release(&live->functions);
	pp_top_set_release(&live->programs);
	counts_release(&live->entries);
	counts_release(&live->nodes);
}

int pp_top_program(struct pp_top_live *live, const char *title, uint32_t *ret)
{
	const char *text = pp_top_string(&live->functions, title);

	return text ? pp_top_set_add(&live->programs, (uintptr_t)text, ret) : -ENOMEM;
}

int pp_top_entry(struct pp_top_live *live, uint32_t program, uint32_t function, uint32_t *ret)
{
	return counts_find(&live->entries, (uint64_t)program << 32 | function, ret);
}

int pp_top_program_node(struct pp_top_live *live, uint32_t program, uint32_t *ret)
{
	return counts_find(&live->nodes, name_of_program(program), ret);
}

int pp_top_node(struct pp_top_live *live, uint32_t parent, uint32_t function, uint32_t *ret)
{
	if (live->functions.items[function].is_nameless &&
	    (uint32_t)live->nodes.set.keys[parent] == name_of_function(function)) {
		*ret = parent;
		return 0;
	}
	return counts_find(&live->nodes, (uint64_t)parent << 32 | name_of_function(function), ret);
}

int pp_top_add_entry(struct pp_top_live *live, uint32_t entry, uint64_t count)
{
	return counts_add(&live->entries, entry, count);
}

int pp_top_add_node(struct pp_top_live *live, uint32_t node, uint64_t count)
{
	return counts_add(&live->nodes, node, count);
}

static const char *program_title(const struct pp_top_live *live, uint32_t program)
{
	return (const char *)(uintptr_t)live->programs.keys[program];
}

static int drain_entries(struct pp_top_live *live, struct pp_top_snapshot *snapshot)
{
	const struct pp_top_counts *c = &live->entries;

	snapshot->entries = calloc(c->nr_touched + 1, sizeof(*snapshot->entries));
	if (!snapshot->entries)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr_touched; i++) {
		uint64_t key = c->set.keys[c->touched[i]];
		const struct pp_top_function *f = &live->functions.items[(uint32_t)key];

		snapshot->entries[snapshot->nr_entries++] = (struct pp_top_entry){
			.program = program_title(live, key >> 32),
			.function = f->name,
			.image = f->image,
			.count = c->counts[c->touched[i]],
		};
		snapshot->total += c->counts[c->touched[i]];
	}
	return 0;
}

static int compare_u32(const void *a, const void *b)
{
	return op_compare_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Add the ancestors of all nodes with new samples to .touched. @number: for each node, 1 if it is
 * in .touched. */
static int touch_ancestors(struct pp_top_counts *c, uint32_t *number)
{
	for (size_t i = 0; i < c->nr_touched; i++)
		number[c->touched[i]] = 1;
	for (size_t i = 0; i < c->nr_touched; i++) {
		uint64_t key = c->set.keys[c->touched[i]];
		uint32_t parent = key >> 32;

		if (key == ROOT_KEY || number[parent])
			continue;
		number[parent] = 1;
		if (touch(c, parent))
			return -ENOMEM;
	}
	return 0;
}

static void set_node(const struct pp_top_live *live, struct pp_top_node *node, uint64_t key)
{
	uint32_t name = key;

	if (key == ROOT_KEY) {
		node->name = "all";
	} else if (name & 1) {
		node->name = program_title(live, name >> 1);
	} else {
		const struct pp_top_function *f = &live->functions.items[name >> 1];

		node->name = f->path_name;
		node->image = f->image;
		node->is_kernel = f->is_kernel;
	}
}

static int drain_nodes(struct pp_top_live *live, struct pp_top_snapshot *snapshot)
{
	struct pp_top_counts *c = &live->nodes;
	/* for each node: first 1 if the snapshot contains it, later its number in the snapshot */
	uint32_t *number = calloc(c->nr + 1, sizeof(*number));
	int err = number ? touch_ancestors(c, number) : -ENOMEM;

	if (!err)
		snapshot->nodes = calloc(c->nr_touched + 1, sizeof(*snapshot->nodes));
	if (!snapshot->nodes) {
		free(number);
		return -ENOMEM;
	}
	/* Sort by index, so that parents precede children: a parent was added before its
	 * children. */
	qsort(c->touched, c->nr_touched, sizeof(*c->touched), compare_u32);
	for (size_t i = 0; i < c->nr_touched; i++) {
		uint64_t key = c->set.keys[c->touched[i]];
		struct pp_top_node *node = &snapshot->nodes[i];

		number[c->touched[i]] = i;
		set_node(live, node, key);
		node->parent = key == ROOT_KEY ? 0 : number[key >> 32];
		node->self = c->counts[c->touched[i]];
	}
	snapshot->nr_nodes = c->nr_touched;
	pp_top_snapshot_sum(snapshot);
	free(number);
	return 0;
}

int pp_top_live_drain_nodes(struct pp_top_live *live, struct pp_top_snapshot *snapshot)
{
	int err = live->nodes.nr_touched ? drain_nodes(live, snapshot) : 0;

	counts_clear(&live->nodes);
	return err;
}

void pp_top_live_clear(struct pp_top_live *live)
{
	counts_clear(&live->entries);
	counts_clear(&live->nodes);
}

int pp_top_live_drain(struct pp_top_live *live, struct pp_top_snapshot *snapshot)
{
	int err = drain_entries(live, snapshot);

	counts_clear(&live->entries);
	if (!err)
		return pp_top_live_drain_nodes(live, snapshot);
	counts_clear(&live->nodes);
	return err;
}
