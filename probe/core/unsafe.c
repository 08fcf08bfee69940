// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unsafe.c -- a table of unsafe code, where stacks are not walked: the probe's code, and code that
 * the user named.
 */
#include "config.h"
#include "probe/core/unsafe.h"

#include <errno.h>
#include <stdbool.h>

#include "probe/linux/calls.h"

struct unsafe_ranges {
	struct unsafe_ranges *older;
	size_t size;			/* size in bytes of the memory of this table */
	uint32_t nr;
	struct unsafe_range of[];	/* unsafe ranges, in ascending order of address */
};

const struct unsafe_range *unsafe_find_or_gap(const struct unsafe *unsafe, uint64_t pc,
					      struct unsafe_gap *gap)
{
	const struct unsafe_ranges *t = __atomic_load_n(&unsafe->now, __ATOMIC_ACQUIRE);
	uint32_t first = 0, behind = t ? t->nr : 0;

	while (first < behind) {
		uint32_t middle = first + (behind - first) / 2;

		if (pc < t->of[middle].start)
			behind = middle;
		else if (pc >= t->of[middle].end)
			first = middle + 1;
		else
			return &t->of[middle];
	}
	gap->start = first ? t->of[first - 1].end : 0;
	gap->size = (t && first < t->nr ? t->of[first].start : UINT64_MAX) - gap->start;
	return NULL;
}

static void put(struct unsafe_ranges *t, uint64_t start, uint64_t end, enum unsafe_why why)
{
	if (start < end)
		t->of[t->nr++] = (struct unsafe_range){ start, end, why };
}

/* Build the table @t from the table @old. If @adds, add the range @change, otherwise remove it.
 * Removing keeps ranges of the probe's code; adding a range of the probe's code replaces its old
 * ranges. */
static void build(struct unsafe_ranges *t, const struct unsafe_ranges *old,
		  const struct unsafe_range *change, bool adds)
{
	/* addresses below this address are already in the new table */
	uint64_t at = adds ? change->start : change->end;

	for (uint32_t i = 0; old && i < old->nr; i++) {
		const struct unsafe_range *r = &old->of[i];
		bool stays = r->why == UNSAFE_OWN && (!adds || change->why != UNSAFE_OWN);

		if (r->end <= change->start) {
			put(t, r->start, r->end, r->why);
			continue;
		}
		if (stays || r->start >= change->end) {
			put(t, at, r->start < change->end ? r->start : change->end, change->why);
			put(t, r->start, r->end, r->why);
		} else {
			put(t, r->start, change->start, r->why);
			if (r->end <= change->end)
				continue;
			put(t, at, change->end, change->why);
			put(t, change->end, r->end, r->why);
		}
		at = at < r->end ? r->end : at;
	}
	put(t, at, change->end, change->why);
}

static bool is_same(const struct unsafe_ranges *a, const struct unsafe_ranges *b)
{
	if (a->nr != b->nr)
		return false;
	for (uint32_t i = 0; i < a->nr; i++)
		if (a->of[i].start != b->of[i].start || a->of[i].end != b->of[i].end ||
		    a->of[i].why != b->of[i].why)
			return false;
	return true;
}

/* If an earlier table has the same ranges as @made, unmap @made and return the earlier table.
 * Otherwise add @made to the list of tables and return @made. */
static struct unsafe_ranges *publish(struct unsafe *unsafe, struct unsafe_ranges *made)
{
	struct unsafe_ranges *newest = __atomic_load_n(&unsafe->newest, __ATOMIC_ACQUIRE);

	for (struct unsafe_ranges *t = newest; t; t = t->older)
		if (is_same(t, made)) {
			call_munmap(made, made->size);
			return t;
		}
	made->older = newest;
	while (!__atomic_compare_exchange_n(&unsafe->newest, &made->older, made, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return made;
}

static int change(struct unsafe *unsafe, const struct unsafe_range *change, bool adds)
{
	struct unsafe_ranges *old = __atomic_load_n(&unsafe->now, __ATOMIC_ACQUIRE), *made;
	size_t size;
	long at;

	do {
		/* Upper limit of the table's size: @change may split one old range in two, and
		 * the old ranges may split @change. */
		size = sizeof(*made) + (old ? 2 * old->nr + 2 : 1) * sizeof(made->of[0]);
		at = call_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (call_failed(at))
			return -ENOMEM;
		made = (struct unsafe_ranges *)at;
		made->size = size;
		build(made, old, change, adds);
		made = publish(unsafe, made);
	} while (!__atomic_compare_exchange_n(&unsafe->now, &old, made, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	return 0;
}

int unsafe_add(struct unsafe *unsafe, uint64_t start, uint64_t end, enum unsafe_why why)
{
	const struct unsafe_range range = { start, end, why };

	return change(unsafe, &range, true);
}

int unsafe_remove(struct unsafe *unsafe, uint64_t start, uint64_t end)
{
	const struct unsafe_range range = { start, end, UNSAFE_NAMED };
	const struct unsafe_ranges *t = __atomic_load_n(&unsafe->now, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; t && i < t->nr; i++)
		if (t->of[i].why != UNSAFE_OWN && t->of[i].start < end && start < t->of[i].end)
			return change(unsafe, &range, false);
	return 0;
}
