/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h -- snapshots: the samples of one span of time. optop prints or draws them.
 */
#ifndef PP_TOP_PICTURE_H
#define PP_TOP_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The samples of one function in one program. */
struct pp_top_entry {
	const char *program, *function, *image;
	uint64_t count;
};

/* A node of the tree of call paths. The first node is the root; its children are programs. A node's
 * number is larger than its parent's. */
struct pp_top_node {
	const char *name;
	const char *image;	/* title of the function's binary; NULL: a program or a reason */
	uint32_t parent;
	bool is_kernel;
	uint64_t self, total;	/* samples of the node alone, and with its descendants */
};

/* The samples of a span of time. The function that makes a snapshot owns its strings. */
struct pp_top_picture {
	int64_t begin_ms, end_ms;	/* in ms since 1970 */
	uint64_t total;			/* all samples of the event */
	uint64_t lost;			/* samples lost during the span of time */
	const char *event;		/* NULL: no samples yet */
	/* sampling period: events per sample; for TIMER, nanoseconds per sample */
	uint64_t period;
	const char *unit;		/* unit of the counts, such as "samples" */
	struct pp_top_entry *entries;
	size_t nr_entries;
	struct pp_top_node *nodes;	/* tree of call paths; NULL: none */
	size_t nr_nodes;
	bool has_paths;			/* the session records call paths */
};

/* Compute .total of all nodes from .self. */
void pp_top_picture_sum(struct pp_top_picture *picture);
/* Free the arrays. @picture may be zeroed. */
void pp_top_picture_release(struct pp_top_picture *picture);

/* Return the number of samples to which percentages refer: samples in the tree (@paths), or samples
 * in the sample files. They differ by a few samples, which were added after one of them was
 * read. */
static inline uint64_t pp_top_whole(const struct pp_top_picture *picture, bool paths)
{
	return paths ? (picture->nr_nodes ? picture->nodes[0].total : 0) : picture->total;
}

/* Return the length of the span in seconds, or 0 if unknown. */
static inline double pp_top_seconds(const struct pp_top_picture *picture)
{
	return (picture->end_ms - picture->begin_ms) / 1000.0;
}

#endif
