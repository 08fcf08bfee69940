/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h -- a calling context tree: how often each path of calls was taken. A node is (parent, frame),
 * its number never changes, and it is named by it. The file is told in doc/path-tree.md.
 *
 * The promise: one writer beside any number of readers; a reader sees, of each node, a count that was
 * true since it opened the file. A writer killed between any two instructions leaves all that was
 * counted. After a power cut there are nodes with older counts, or none, and never a path that was not
 * taken: a node whose ancestors are gone is an orphan, which is counted and never hung up elsewhere.
 * A parent's number is below its children's in every file that opens, so a walk from 4 to tree_end()
 * meets parents first and no path is endless, whatever the bytes are.
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

#define TREE_ROOT	0u	/* above the outermost frames; has no count */
#define TREE_FIRST	4u	/* the lowest number of a node */

struct tree_node {
	uint32_t parent;	/* TREE_ROOT or a number below the node's own */
	uint32_t frame;
	uint64_t count;		/* of paths that end here */
};

struct tree_books {
	uint32_t nodes;		/* with a path up to the root */
	uint64_t count;		/* in these; that of FRAME_FOLDED and FRAME_LOST included */
	uint64_t folded, lost;	/* in nodes of these frames, not in orphans */
	uint32_t orphans;
	uint64_t orphan_count;
	uint32_t damaged;	/* numbers below the end at which there is none */
};

/*
 * As odb_open(). @generation: frames_generation() of the frames that this tree names; another one in
 * the file is ODB_ERR_GENERATION. With ODB_READ 0 does for any.
 */
int tree_open(struct tree **ret, int fd, enum odb_mode mode, uint64_t generation);
void tree_close(struct tree *t);	/* takes NULL */
uint64_t tree_generation(const struct tree *t);

/*
 * Finds or makes the node of @frame below @parent. -EFBIG, -ENOSPC, -ENOMEM: no room for a new one;
 * then tree_fold(), or tree_folded_above() takes the count. -EINVAL: @parent is no node.
 */
int tree_child(struct tree *t, uint32_t parent, uint32_t frame, uint32_t *number);
/*
 * The nearest node of FRAME_FOLDED below @number or an ancestor: the root has one from the beginning. 0: somebody has
 * shortened the file, and it is gone; tree_add() refuses that.
 */
uint32_t tree_folded_above(const struct tree *t, uint32_t number);
/* -EINVAL: no such node. -ERANGE: beyond 2^48; nothing was added. */
int tree_add(struct tree *t, uint32_t number, uint64_t count);

/* One more than the highest number; a reader's stays as it was when the file was opened. */
uint32_t tree_end(const struct tree *t);
/* The nodes that are made from now on have numbers below @end; a reader sees no others. */
void tree_limit(struct tree *t, uint32_t end);

/* False: there is none at @number. Whether it is an orphan only its ancestors tell. */
bool tree_node(const struct tree *t, uint32_t number, struct tree_node *node);
int tree_books(const struct tree *t, struct tree_books *books);

int tree_sync(struct tree *t, int wait);

/*
 * Adds all of @from to @to. @frame gives for a frame's number in @from the one in @to, and may fail;
 * NULL: they have the same frames. Orphans' counts go to FRAME_LOST below the root. When it fails a
 * part has been added: merge into a file that can be thrown away, and rename it.
 */
int tree_merge(struct tree *to, const struct tree *from,
	       int (*frame)(void *context, uint32_t frame, uint32_t *ret), void *context);

/*
 * Adds @from to @to, which is new, in at most @nodes nodes: the subtrees with the lowest counts are
 * folded into FRAME_FOLDED below their parents. The sum stays what it was. The caller then syncs @to
 * and renames it over @from; numbers of nodes begin anew. -EINVAL: @nodes below 4.
 */
int tree_fold(struct tree *to, const struct tree *from, uint32_t nodes);

/*
 * The same in steps, between which @from may get more counts and nodes; @to is the folding's alone. step() looks at
 * @work nodes, three times at each of the tree: 1 while there are more, then 0, or an error. end() adds what has come
 * meanwhile, and does all that is left; new nodes come along whole, beyond @nodes where that is needed. end() and
 * cancel() free @f; both trees must be open until then.
 */
struct tree_fold;
int tree_fold_begin(struct tree_fold **ret, struct tree *to, const struct tree *from, uint32_t nodes);
int tree_fold_step(struct tree_fold *f, uint32_t work);
int tree_fold_end(struct tree_fold *f);
void tree_fold_cancel(struct tree_fold *f);	/* takes NULL */

#endif
