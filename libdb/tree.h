/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h -- a calling context tree: how often each call path was taken. A node is a pair (parent,
 * frame) and has a number that never changes. doc/path-tree.md describes the file.
 *
 * Guarantee: one writer and any number of readers. For each node a reader sees a count that was
 * true at some moment since the reader opened the file. A writer killed between any two
 * instructions loses no count. After a power cut nodes may have older counts or be missing, but the
 * tree never shows a path that was not taken: a node whose ancestors are missing is an orphan; its
 * count is kept and it gets no other parent. In each file that opens, a parent's number is below
 * its children's. So a loop from TREE_FIRST to tree_end() meets parents first, and each path ends,
 * whatever the bytes are.
 *
 * Functions return 0, a negative errno or an enum odb_error.
 */
#ifndef ODB_TREE_H
#define ODB_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "libdb/frames.h"
#include "libdb/odb.h"

struct tree;

/* number of the root, the parent of the outermost frames; it has no count */
#define TREE_ROOT	0u
#define TREE_FIRST	4u	/* the lowest number that a node can have */

struct tree_node {
	/* number of the parent: TREE_ROOT, or a number below the node's own number */
	uint32_t parent;
	uint32_t frame;
	uint64_t count;		/* number of samples whose path ends at this node */
};

struct tree_books {
	uint32_t nodes;		/* number of nodes with a path to the root */
	/* sum of the counts of the nodes with a path to the root, including FRAME_FOLDED and
	 * FRAME_LOST */
	uint64_t count;
	/* sums of the counts of FRAME_FOLDED and FRAME_LOST, without orphans */
	uint64_t folded, lost;
	uint32_t orphans;
	uint64_t orphan_count;
	uint32_t damaged;	/* how many numbers below tree_end() have no valid node */
};

/*
 * Open the tree behind @fd, as odb_open() does. @generation is the frames_generation() of the
 * frames file that the tree refers to; ODB_ERR_GENERATION: the tree has another one. With ODB_READ,
 * 0 accepts any generation.
 */
int tree_open(struct tree **ret, int fd, enum odb_mode mode, uint64_t generation);
void tree_close(struct tree *t);	/* @t may be NULL */
/* Return the generation of the frames file that the tree refers to, for tests. */
uint64_t tree_generation(const struct tree *t);

/* Return the random number that identifies the file of the tree. A tree that replaces another one
 * has another number. */
uint64_t tree_id(const struct tree *t);

/*
 * Set *@number to the child of @parent with @frame, and add it if it is new. -EFBIG, -ENOSPC,
 * -ENOMEM: no room for a new node; fold the tree with tree_fold(), or add the count to
 * tree_folded_above(). -EINVAL: @parent does not exist.
 */
int tree_child(struct tree *t, uint32_t parent, uint32_t frame, uint32_t *number);
/*
 * Return the nearest FRAME_FOLDED child of @number or of one of its ancestors; tree_open() makes
 * one for the root. 0: the file was shortened and lost that node; tree_add() refuses 0.
 */
uint32_t tree_folded_above(const struct tree *t, uint32_t number);
/* Add @count to node @number. -EINVAL: the node does not exist. -ERANGE: the sum would pass
 * 2^48; nothing was added. */
int tree_add(struct tree *t, uint32_t number, uint64_t count);

/* Return the highest number of a node plus one; for a reader, as it was when the reader opened the
 * file. */
uint32_t tree_end(const struct tree *t);
/* For a reader: raise tree_end() to include the nodes that were added since. Return true if the
 * file may have grown, so that only another tree_open() shows more. */
bool tree_more(struct tree *t);
/* Give new nodes only numbers below @end. For a reader, hide the nodes from @end on. */
void tree_limit(struct tree *t, uint32_t end);

/* Copy node @number to *@node. False: it does not exist. The node may be an orphan: look at its
 * ancestors. */
bool tree_node(const struct tree *t, uint32_t number, struct tree_node *node);
/* Return the count of node @number, which may be damaged or missing: a reader of all nodes asks
 * tree_node() for those whose count has changed. */
uint64_t tree_count(const struct tree *t, uint32_t number);
/* Add up all nodes of the tree. Return 0 or -ENOMEM. */
int tree_books(const struct tree *t, struct tree_books *books);

int tree_sync(struct tree *t, int wait);	/* Write the tree to disk as odb_sync() does. */

/*
 * Add all counts of @from to @to. @frame translates a frame's number from @from to @to, and may
 * fail; NULL: both trees use the same frames. The counts of orphans go to FRAME_LOST below the
 * root. On failure a part has been added, so merge into a temporary file and rename it on success.
 */
int tree_merge(struct tree *to, const struct tree *from,
	       int (*frame)(void *context, uint32_t frame, uint32_t *ret), void *context);

/*
 * Copy @from to the new tree @to with at most @nodes nodes: fold the subtrees with the lowest
 * counts into FRAME_FOLDED children of their parents. The sum of the counts does not change, but
 * the nodes get new numbers. The caller then syncs @to and renames it over @from. -EINVAL: @nodes
 * is below 4.
 */
int tree_fold(struct tree *to, const struct tree *from, uint32_t nodes);

/*
 * Fold a tree as tree_fold() does, but in steps. @from may get counts and nodes between two steps;
 * nobody else may use @to. Each step handles @work nodes and returns 1 until all passes over the
 * tree are done, then 0, or an error. tree_fold_end() completes the passes and copies the counts
 * and nodes that @from got in the meantime, even if @to then has more than @nodes nodes.
 * tree_fold_end() and tree_fold_cancel() free @f; both trees must stay open until then.
 */
struct tree_fold;
int tree_fold_begin(struct tree_fold **ret, struct tree *to, const struct tree *from,
		    uint32_t nodes);
int tree_fold_step(struct tree_fold *f, uint32_t work);
int tree_fold_end(struct tree_fold *f);
void tree_fold_cancel(struct tree_fold *f);	/* @f may be NULL */

#endif
