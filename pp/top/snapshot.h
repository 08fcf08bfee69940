/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h -- snapshots: the samples of one span of time, which optop prints or draws.
 */
#ifndef PP_TOP_SNAPSHOT_H
#define PP_TOP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The samples of one function in one program. */
struct pp_top_entry {
	const char *program, *function, *image;
	uint64_t count;
};

/* A node of the tree of call paths. Node 0 is the root, and its children are programs. A node has a
 * higher number than its parent. */
struct pp_top_node {
	const char *name;
	const char *image;	/* title of the function's binary; NULL: not a function */
	uint32_t parent;
	bool is_kernel;
	/* .self: samples of the node alone; .total: samples of the node and its descendants */
	uint64_t self, total;
};

/* A snapshot: the samples of a span of time. The maker of the snapshot owns its strings. */
struct pp_top_snapshot {
	int64_t begin_ms, end_ms;	/* begin and end of the span of time, in ms since 1970 */
	uint64_t total;			/* number of samples of the event in the span of time */
	uint64_t lost; /* number of samples that were lost during the span of time */
	const char *event;		/* name of the event; NULL: no event had samples yet */
	/* sampling period: events per sample; for TIMER, nanoseconds per sample */
	uint64_t period;
	const char *unit;		/* unit of the counts, such as "samples" */
	struct pp_top_entry *entries;
	size_t nr_entries;
	/* nodes of the tree of call paths; NULL: the snapshot has no tree */
	struct pp_top_node *nodes;
	size_t nr_nodes;
	bool has_paths;			/* the session records call paths with its samples */
};

/* Compute .total of all nodes from their .self. */
void pp_top_snapshot_sum(struct pp_top_snapshot *snapshot);
/* Free the arrays of @snapshot, which may be zeroed. */
void pp_top_snapshot_release(struct pp_top_snapshot *snapshot);

/* Return the number of samples that is 100 percent: samples in the tree of call paths (@paths
 * true), or samples in the sample files. These numbers may differ by a few samples that were added
 * between reading the files and reading the trees. */
static inline uint64_t pp_top_whole(const struct pp_top_snapshot *snapshot, bool paths)
{
	return paths ? (snapshot->nr_nodes ? snapshot->nodes[0].total : 0) : snapshot->total;
}

/* Return the length of the snapshot's span of time in seconds, or 0 if it is unknown. */
static inline double pp_top_seconds(const struct pp_top_snapshot *snapshot)
{
	return (snapshot->end_ms - snapshot->begin_ms) / 1000.0;
}

#endif
