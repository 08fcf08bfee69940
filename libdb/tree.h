/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h -- a calling context tree: the number of samples of each call path. A node is a pair
 * (parent, frame) and has a number that never changes. doc/path-tree.md describes the file.
 *
 * One writer and any number of readers can use a tree at the same time. For each node, a reader
 * sees a count that was correct at some moment since the reader opened the file. A writer may be
 * killed between any two instructions without the loss of a count. After a power cut nodes may
 * have older counts or be missing, but the tree never shows a path that no sample had. A node
 * whose ancestors are missing is an orphan: it keeps its count and never gets another parent. A
 * parent always has a lower number than its children, even in a corrupt file. So a loop from
 * TREE_FIRST to tree_end() visits parents first, and each path ends.
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

/* number of the root, the parent of the outermost frames; the root itself has no count */
#define TREE_ROOT	0u
#define TREE_FIRST	4u	/* the lowest number that a node can have */

struct tree_node {
	/* number of the parent: TREE_ROOT, or a number below the node's own number */
	uint32_t parent;
	uint32_t frame;
	uint64_t count;		/* number of samples whose path ends at this node */
};

struct tree_totals {
	uint32_t nodes;		/* number of nodes with a path to the root */
	/* sum of the counts of all nodes with a path to the root, including FRAME_FOLDED and
	 * FRAME_LOST */
	uint64_t count;
	/* sums of the counts of FRAME_FOLDED nodes and of FRAME_LOST nodes, without orphans */
	uint64_t folded, lost;
	uint32_t orphans;
	uint64_t orphan_count;
	uint32_t damaged;	/* number of slots below tree_end() that contain no valid node */
};

/*
 * Open the tree of descriptor @fd, as odb_open() does. @generation is the frames_generation() of
 * the frames file that the tree must use; otherwise return ODB_ERR_GENERATION. With ODB_READ,
 * @generation 0 accepts any frames file.
 */
int tree_open(struct tree **ret, int fd, enum odb_mode mode, uint64_t generation);
void tree_close(struct tree *t);	/* Close @t, which may be NULL. */
/* For tests: return the generation of the frames file that the tree uses. */
uint64_t tree_generation(const struct tree *t);

/* Return the random number that identifies the tree's file. A tree that replaces another tree has
 * a different number. */
uint64_t tree_id(const struct tree *t);

/*
 * Set *@number to the child of @parent with @frame, and create the child if it does not exist.
 * -EFBIG, -ENOSPC, -ENOMEM: the file cannot store a new node. Then fold the tree with tree_fold(),
 * or add the count to the node that tree_folded_above() returns. -EINVAL: @parent does not exist.
 */
int tree_child(struct tree *t, uint32_t parent, uint32_t frame, uint32_t *number);
/*
 * Return the child with the frame FRAME_FOLDED of node @number, or of the node's nearest ancestor
 * that has such a child; tree_open() creates one for the root. Return 0 if the file was truncated
 * and has lost that child; tree_add() rejects 0.
 */
uint32_t tree_folded_above(const struct tree *t, uint32_t number);
/* Add @count to the count of node @number. -EINVAL: the node does not exist. -ERANGE: the sum
 * would exceed 2^48; nothing was added. */
int tree_add(struct tree *t, uint32_t number, uint64_t count);

/* Return the highest node number plus one. For a reader, the result is a snapshot that tree_open()
 * or tree_more() made. */
uint32_t tree_end(const struct tree *t);
/*
 * For a reader: raise the result of tree_end() by the nodes that were added in the meantime.
 * Return true if the file may have grown beyond the mapping, so that the reader has to open the
 * tree again.
 */
bool tree_more(struct tree *t);
/* Limit the numbers of new nodes to numbers below @end. For a reader, hide the nodes from @end
 * on. */
void tree_limit(struct tree *t, uint32_t end);

/* Copy node @number to *@node. Return false if the node does not exist. The node may be an orphan:
 * also check that its ancestors exist. */
bool tree_node(const struct tree *t, uint32_t number, struct tree_node *node);
/* Return the count of node @number without checking that the node is valid. A reader compares all
 * counts with this function, and calls tree_node() only for nodes whose count has changed. */
uint64_t tree_count(const struct tree *t, uint32_t number);
/* Set *@totals to the number of nodes of the tree and to the sums of their counts. Return 0 or
 * -ENOMEM. */
int tree_totals(const struct tree *t, struct tree_totals *totals);

/* Write the tree to disk; @wait as in odb_sync(). */
int tree_sync(struct tree *t, int wait);

/*
 * Add all counts of @from to @to. @frame translates a frame number of @from to a frame number of
 * @to and may return an error; NULL: both trees use the same frames file. The counts of orphans
 * are added to FRAME_LOST, a child of the root. If the function fails, @to already has a part of
 * the counts. So merge into a temporary file and rename it on success.
 */
int tree_merge(struct tree *to, const struct tree *from,
	       int (*frame)(void *context, uint32_t frame, uint32_t *ret), void *context);

/*
 * Copy @from to the new tree @to, which gets at most @nodes nodes. The subtrees with the lowest
 * counts are folded: a FRAME_FOLDED child of their parent replaces them and has the sum of their
 * counts. The total count stays the same, but nodes get new numbers. Afterwards the caller syncs
 * @to and renames it over @from. -EINVAL: @nodes is below 4.
 */
int tree_fold(struct tree *to, const struct tree *from, uint32_t nodes);

/*
 * Fold a tree as tree_fold() does, but in steps. Between two steps, the caller may add counts and
 * nodes to @from, but must not use @to. Each step processes @work nodes and returns 1 until all
 * passes over the tree are complete; then it returns 0. Errors are negative. tree_fold_end()
 * completes the passes and copies the counts and nodes that were added to @from in the meantime,
 * even if @to then has more than @nodes nodes. tree_fold_end() and tree_fold_cancel() free @f;
 * keep both trees open until then.
 */
struct tree_fold;
int tree_fold_begin(struct tree_fold **ret, struct tree *to, const struct tree *from,
		    uint32_t nodes);
int tree_fold_step(struct tree_fold *f, uint32_t work);
int tree_fold_end(struct tree_fold *f);
void tree_fold_cancel(struct tree_fold *f);	/* Free @f, which may be NULL. */

#endif
