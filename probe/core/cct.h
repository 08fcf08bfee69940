/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cct.h -- a calling context tree in an arena: one node for each call path, with the counts of the
 * path.
 *
 * A tree belongs to one thread, which may use it in a signal handler. Other processes may read the
 * tree in the .csp.live file at any time.
 */
#ifndef PROBE_CORE_CCT_H
#define PROBE_CORE_CCT_H

#include "probe/core/arena.h"

struct cct {
	struct arena *arena;
	uint32_t root;
	uint32_t nr_metrics;
};

/* Create a tree that has only a root. Return 0 or -ENOMEM. */
int cct_init(struct cct *cct, struct arena *arena, uint32_t nr_metrics);

/* Return the child of @node at address @ip; create the child if it is missing. Return 0 if out of
 * memory. */
uint32_t cct_child(struct cct *cct, uint32_t node, uint64_t ip, uint64_t sp, uint32_t flags);

static inline struct raw_live_node *cct_node(const struct cct *cct, uint32_t ref)
{
	return arena_at(cct->arena, ref);
}

#endif
