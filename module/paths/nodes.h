/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/nodes.h -- nodes of call paths: a node is a frame below its caller's node, so equal paths
 * have the same number.
 *
 * Nodes are looked up and created in any context without a lock: a node is filled, then published
 * by a cmpxchg of its number into the hash. Nodes do not change until all are freed together. If no
 * node is left, the sample is counted without its path.
 *
 * The current task's payer (payer.h), or the payer of the task for which the current task makes
 * nodes, is charged for each new node, so that the paths of one user leave room for the paths of
 * others.
 */
#ifndef OPROFILE_PATHS_NODES_H
#define OPROFILE_PATHS_NODES_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "uapi/unwind.h"

struct oprofile_waker;

#define OPROFILE_NO_NODE	0U
#define OPROFILE_NODE_SHARES	128
/* bit position, in a node's .image, of the method by which the frame was found (enum
 * oprofile_uw_how) */
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
	/* bit map of the nodes that the reader knows; only the drain uses this bit map */
	unsigned long *sent;
	/* Secret, odd key of the hash. Users can choose the offsets of frames, but cannot predict
	 * the hash chains of these offsets without the key. */
	u64 key[2];
	u32 max, shift;
	/* waker of the drain thread, which begins a new book of call paths if few nodes are left */
	struct oprofile_waker *waker;
	/* number of assigned node numbers; may exceed the size of the array */
	atomic_t nr;
	/* number of nodes charged to each share of users, except root's */
	atomic_t nr_of[OPROFILE_NODE_SHARES];
	bool share_high;	/* whether one user has nearly reached the limit of nodes */
	/* the task that makes nodes for another task, and the payer of these nodes; NULL: none */
	const void *maker;
	u64 maker_payer;
};

/* Allocate 2^@bits nodes. @waker is woken when few unused nodes are left. Return 0 or -ENOMEM. */
int oprofile_path_nodes_alloc(struct oprofile_path_nodes *n, u32 bits,
			      struct oprofile_waker *waker);
void oprofile_path_nodes_release(struct oprofile_path_nodes *n);

/* Charge the nodes that the current task makes from now on to @payer, until
 * oprofile_path_nodes_pay_end(). Only one task at a time may do this. */
void oprofile_path_nodes_pay_for(struct oprofile_path_nodes *n, u64 payer);
void oprofile_path_nodes_pay_end(struct oprofile_path_nodes *n);

/* Allocate a node for a frame and return its number. Return OPROFILE_NO_NODE if the book is
 * full, or the payer has reached the limit. */
u32 oprofile_path_node_make(struct oprofile_path_nodes *n, u32 at, u32 parent, u32 image,
			    u64 offset);

/* Return the node of a frame whose caller is the node @parent; create the node if it is missing.
 * @parent is NO_NODE for an outermost frame. Return NO_NODE if the book is full. */
static inline u32 oprofile_path_node(struct oprofile_path_nodes *n, u32 parent, u32 image,
				     u64 offset)
{
	u32 at = (((u64)parent << 32 | image) * n->key[0] + offset * n->key[1]) >> n->shift;
	u32 number = READ_ONCE(n->hash[at]);
	const struct oprofile_path_node *node = &n->node[number];

	/* An empty hash entry contains number 0, and no frame equals node 0. */
	if (likely(node->offset == offset && node->parent == parent && node->image == image))
		return number;
	return oprofile_path_node_make(n, at, parent, image, offset);
}

/* Return the node that records that a path ends for the reason @end; this node replaces the node of
 * an outermost caller. Create the node if it is missing. Return NO_NODE if the book is full. */
static inline u32 oprofile_path_end_node(struct oprofile_path_nodes *n, u32 end)
{
	return oprofile_path_node(n, OPROFILE_NO_NODE,
				  (OPROFILE_UW_HOW_ENDS + end) << OPROFILE_HOW_SHIFT, 0);
}

static inline u32 oprofile_path_nodes_high(const struct oprofile_path_nodes *n)
{
	return n->max / 4 * 3;
}

/* Return whether few unused nodes are left, for all users or for one user, so that a new book
 * should begin. */
static inline bool oprofile_path_nodes_nearly_full(struct oprofile_path_nodes *n)
{
	return atomic_read(&n->nr) > oprofile_path_nodes_high(n) || READ_ONCE(n->share_high);
}

#endif
