/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private.h -- functions that the files in intervals/ share.
 */
#ifndef ITV_PRIVATE_H
#define ITV_PRIVATE_H

#include <errno.h>

#include "intervals/columns.h"
#include "intervals/interval.h"

struct itv_totals {
	uint64_t samples, paths, folded, wakers;
};

/* Check all invariants that interval.h states, and add up all counts. Return 0, -ENOMEM, -EOVERFLOW
 * or -EINVAL. */
int itv_check(const struct itv *v, struct itv_totals *totals);

/* Copy the image *@from to *@to, with all data that the image points to. Return 0 or -ENOMEM. */
int itv_copy_image(struct itv_image *to, const struct itv_image *from);
/* Free the data that the image points to. */
void itv_free_image(struct itv_image *image);
int itv_copy_event(struct itv_event *to, const struct itv_event *from);

/* Merge the event *@equal, which is equal, into *@event: keep the CPU type and event code that are
 * known (if both types are known, the higher one), and the higher speed. The result does not depend
 * on the order of merging. */
void itv_join_event(struct itv_event *event, const struct itv_event *equal);

/* Free the lists of @v except .files, and move the lists of *@lists to @v. */
void itv_replace_lists(struct itv *v, struct itv *lists);

/*
 * Store sorted copies of the lists of @v, except .files, in the zeroed struct *@lists. Return 0,
 * -ENOMEM, -EOVERFLOW, or -EINVAL for an index out of range. The caller releases *@lists, also
 * after an error.
 */
int itv_sorted_lists(const struct itv *v, struct itv *lists);

/* Remove frames that no node refers to, and images that no group and no frame refers to. Return 0
 * or -ENOMEM; on failure *@v is unchanged. */
int itv_drop_unused(struct itv *v);

/* Sort the lists of the accounting: counters in the order of op_stat_descs and then by name; gaps;
 * parts. Join overlapping gaps, and remove duplicate parts. */
void itv_sort_accounting(struct itv_accounting *a);

/* Add the accounting @from to @to in the way that itv_merge() describes. On failure *@to is
 * unchanged. */
int itv_merge_accounting(struct itv_accounting *to, const struct itv_accounting *from,
			 const char *gap_reason);
void itv_accounting_release(struct itv_accounting *a);

/* Write the accounting to @out as text lines. Return 0 or -ENOMEM. */
int itv_put_accounting(struct itv_out *out, const struct itv_accounting *a,
		       const struct itv_totals *totals);
/* Parse @text of @len bytes, which itv_put_accounting() wrote, into *@a. Return 0, -ENOMEM or
 * ITV_ERR_FORMAT; after an error *@a is empty. */
int itv_get_accounting(struct itv_accounting *a, const char *text, size_t len);

/*
 * Set *@ret to the lines of @first, followed by the lines that only @second has. If either file is
 * not text, *@ret is a copy of @second. Return 0 or -ENOMEM.
 */
int itv_join_lines(const struct itv_file *first, const struct itv_file *second,
		   struct itv_file *ret);

/* Allocate a list of @nr items of @size bytes. Return NULL only if memory is short, never because
 * @nr is 0. */
void *itv_new_list(size_t nr, size_t size);

/* value that is not a frame number; used for the parent of roots, and before the first sibling */
#define ITV_NO_FRAME UINT32_MAX

/* The siblings that are being visited at one level of a depth-first walk through a tree. */
struct itv_level {
	uint32_t left;		/* number of siblings that are not visited yet */
	/* frame of the node whose children the siblings are; ITV_NO_FRAME: the siblings are
	 * roots */
	uint32_t parent;
	/* frame of the sibling visited before; ITV_NO_FRAME: no sibling was visited yet */
	uint32_t last;
};

/* The stack of levels of a depth-first walk. A zeroed struct is empty. */
struct itv_levels {
	struct itv_level *level;
	size_t nr, room;
};

/* Make room for another level. Return 0 or -ENOMEM. */
int itv_levels_grow(struct itv_levels *levels);
void itv_levels_release(struct itv_levels *levels);

/* Push the @left children of a node onto the stack; @parent is the node's frame. Return 0 or
 * -ENOMEM. Inline, because a report of many intervals calls the function for millions of nodes. */
static inline int itv_levels_push(struct itv_levels *levels, uint32_t left, uint32_t parent)
{
	if (levels->nr == levels->room && itv_levels_grow(levels))
		return -ENOMEM;
	levels->level[levels->nr++] = (struct itv_level){
		.left = left, .parent = parent, .last = ITV_NO_FRAME,
	};
	return 0;
}

/* Return the level that contains the next node of the walk, or NULL after the last node of the
 * tree. */
static inline struct itv_level *itv_levels_next(struct itv_levels *levels)
{
	while (levels->nr && !levels->level[levels->nr - 1].left)
		levels->nr--;
	return levels->nr ? &levels->level[levels->nr - 1] : NULL;
}

#endif
