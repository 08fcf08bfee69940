/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_nodes.h -- paths as numbers: a node is a frame below its caller's node, so equal paths have one number.
 *
 * Found and made from any context, without a lock: a node is written, then shown by a cmpxchg of its
 * number into the hash. Nodes stay as they are until all go together. When there is no room, a path has no number.
 *
 * The current task's payer (payer.h) is charged for each new node, so that the paths of one user leave room for those of
 * others.
 */
#ifndef OPROFILE_PATH_NODES_H
#define OPROFILE_PATH_NODES_H

#include <linux/atomic.h>
#include <linux/types.h>

struct oprofile_waker;

#define OPROFILE_NO_NODE	0U
#define OPROFILE_NODE_SHARES	128
#define OPROFILE_HOW_SHIFT	24	/* what a node's image is made of: image | how << this */
#define OPROFILE_IMAGE_MASK	((1U << OPROFILE_HOW_SHIFT) - 1)

struct oprofile_path_node {
	u32 parent;
	u32 image;		/* image | enum oprofile_uw_how << OPROFILE_HOW_SHIFT */
	u64 offset;
};

struct oprofile_path_nodes {
	struct oprofile_path_node *node;
	u32 *hash;		/* twice as many entries as nodes */
	/* a bit for each node that the reader knows; only the drain uses this */
	unsigned long *sent;
	/* Odd, and nobody's to know: users choose offsets, but not which nodes share a place in the hash. */
	u64 key[2];
	u32 max, shift;
	struct oprofile_waker *waker;	/* wakes whoever begins another book */
	atomic_t nr;		/* numbers given out, which may be more than there are */
	atomic_t nr_of[OPROFILE_NODE_SHARES];	/* nodes charged to each share, except root's */
	bool share_high;	/* a user has nearly as many nodes as a user may have */
};

/* Allocates 2^@bits nodes. @waker is woken when few are left. 0 or ENOMEM. */
int oprofile_path_nodes_alloc(struct oprofile_path_nodes *n, u32 bits, struct oprofile_waker *waker);
void oprofile_path_nodes_release(struct oprofile_path_nodes *n);

/* Makes a node. OPROFILE_NO_NODE: no room, at least for the current task's payer. */
u32 oprofile_path_node_make(struct oprofile_path_nodes *n, u32 at, u32 parent, u32 image, u64 offset);

/* Finds or makes the node of a frame below @parent; NO_NODE as @parent: of an outermost frame.
 * NO_NODE: no room. */
static inline u32 oprofile_path_node(struct oprofile_path_nodes *n, u32 parent, u32 image, u64 offset)
{
	u32 at = (((u64)parent << 32 | image) * n->key[0] + offset * n->key[1]) >> n->shift;
	u32 number = READ_ONCE(n->hash[at]);
	const struct oprofile_path_node *node = &n->node[number];

	/* An empty entry has number 0; no frame is like that node. */
	if (likely(node->offset == offset && node->parent == parent && node->image == image))
		return number;
	return oprofile_path_node_make(n, at, parent, image, offset);
}

static inline u32 oprofile_path_nodes_high(const struct oprofile_path_nodes *n)
{
	return n->max / 4 * 3;
}

/* True: few are left, of all or for one user, so all nodes are to go. */
static inline bool oprofile_path_nodes_scarce(struct oprofile_path_nodes *n)
{
	return atomic_read(&n->nr) > oprofile_path_nodes_high(n) || READ_ONCE(n->share_high);
}

#endif
