/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cct.h -- a tree of calling contexts in an arena: a node for each path, with its counts.
 *
 * One thread's, which may be in a signal handler; readers of the file may look at any time.
 */
#ifndef PROBE_CCT_H
#define PROBE_CCT_H

#include "probe/arena.h"

struct cct {
	struct arena *arena;
	uint32_t root;
	uint32_t nr_metrics;
};

/* Makes a tree of a root. 0, -ENOMEM. */
int cct_init(struct cct *cct, struct arena *arena, uint32_t nr_metrics);

/* The child of @node at @ip, made if there is none yet; 0: no memory. */
uint32_t cct_child(struct cct *cct, uint32_t node, uint64_t ip, uint64_t sp, uint32_t flags);

static inline struct raw_live_node *cct_node(const struct cct *cct, uint32_t ref)
{
	return arena_at(cct->arena, ref);
}

#endif
