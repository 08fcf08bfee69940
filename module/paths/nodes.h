/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/nodes.h -- nodes of call paths: a node is a frame below its caller's node, so equal paths
 * have the same number.
 *
 * Nodes are found and made in any context without a lock: a node is filled, then published by a
 * cmpxchg of its number into the hash. Nodes do not change until all are freed together. If there
 * is no room, a path has no number.
 *
 * The current task's payer (payer.h) is charged for each new node, so that the paths of one user
 * leave room for those of others.
 */
#ifndef OPROFILE_PATHS_NODES_H
#define OPROFILE_PATHS_NODES_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "uapi/unwind.h"

struct oprofile_waker;

#define OPROFILE_NO_NODE	0U
#define OPROFILE_NODE_SHARES	128
/* position, in a node's member .image, of the method that found the frame */
#define OPROFILE_HOW_SHIFT	24
#define OPROFILE_IMAGE_MASK	((1U << OPROFILE_HOW_SHIFT) - 1)

struct oprofile_path_node {
	u32 parent;
	/* number of the frame's image, combined with enum oprofile_uw_how << OPROFILE_HOW_SHIFT */
	u32 image;
	u64 offset;
};

struct oprofile_path_nodes {
	struct oprofile_path_node *node;
	/* hash table of node numbers, with twice as many entries as there are nodes */
	u32 *hash;
	/* a bit for each node that the reader knows; only the drain uses this */
	unsigned long *sent;
	/* Key of the hash, odd and secret: users choose offsets, but must not be able to choose
	 * positions in the hash table. */
	u64 key[2];
	u32 max, shift;
	/* the drain thread's waker; the thread begins a new book of call paths if few nodes are
	 * left */
	struct oprofile_waker *waker;
	/* how many node numbers were assigned; may be more than there are nodes */
	atomic_t nr;
	/* number of nodes charged to each share, except root's */
	atomic_t nr_of[OPROFILE_NODE_SHARES];
	bool share_high;	/* a user's nodes have nearly reached the limit */
};

/* Allocate 2^@bits nodes. @waker is woken when few are left. Return 0 or -ENOMEM. */
int oprofile_path_nodes_alloc(struct oprofile_path_nodes *n, u32 bits,
			      struct oprofile_waker *waker);
void oprofile_path_nodes_release(struct oprofile_path_nodes *n);

/* Make a node and return its number. OPROFILE_NO_NODE: no room, or the current task's payer has
 * reached the limit. */
u32 oprofile_path_node_make(struct oprofile_path_nodes *n, u32 at, u32 parent, u32 image,
			    u64 offset);

/* Return the node of a frame below @parent, which is made if it is missing. @parent is NO_NODE for
 * an outermost frame. Return NO_NODE if there is no room. */
static inline u32 oprofile_path_node(struct oprofile_path_nodes *n, u32 parent, u32 image,
				     u64 offset)
{
	u32 at = (((u64)parent << 32 | image) * n->key[0] + offset * n->key[1]) >> n->shift;
	u32 number = READ_ONCE(n->hash[at]);
	const struct oprofile_path_node *node = &n->node[number];

	/* An empty entry has number 0, whose node equals no frame. */
	if (likely(node->offset == offset && node->parent == parent && node->image == image))
		return number;
	return oprofile_path_node_make(n, at, parent, image, offset);
}

/* Return the outermost node of walks that end for the reason @end, which is made if it is missing.
 * Return NO_NODE if there is no room. */
static inline u32 oprofile_path_end_node(struct oprofile_path_nodes *n, u32 end)
{
	return oprofile_path_node(n, OPROFILE_NO_NODE,
				  (OPROFILE_UW_HOW_ENDS + end) << OPROFILE_HOW_SHIFT, 0);
}

static inline u32 oprofile_path_nodes_high(const struct oprofile_path_nodes *n)
{
	return n->max / 4 * 3;
}

/* Return whether few nodes are left, in total or for one user, so that another book should
 * begin. */
static inline bool oprofile_path_nodes_nearly_full(struct oprofile_path_nodes *n)
{
	return atomic_read(&n->nr) > oprofile_path_nodes_high(n) || READ_ONCE(n->share_high);
}

#endif
