/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval.h -- the samples of one interval of time in memory: how often each address was sampled,
 * and each call path.
 *
 * All lists are sorted in one canonical order, so the merge of two intervals is a merge of sorted
 * lists (merge.h), and equal intervals make equal files (file.h). Functions return 0 or a negative
 * errno. One thread uses an interval at a time.
 */
#ifndef ITV_INTERVAL_H
#define ITV_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/about.h"
#include "libop/session/path_images.h"
#include "libop/session/stats.h"

/* Precision of addresses, from fine to coarse. */
enum itv_precision {
	ITV_ADDRESSES,
	ITV_LINES,		/* 64 bytes, but not across the beginning of a function */
	ITV_FUNCTIONS,
};

/* A time without samples inside of an interval. */
struct itv_gap {
	int64_t from_ns, to_ns;	/* UTC, nanoseconds since 1970 */
	char *reason;		/* "stopped", "suspended", "not running", "removed" */
};

/* The totals of an interval, which can be read without the samples. */
struct itv_accounting {
	int64_t begun_ns, ended_ns;	/* UTC, nanoseconds since 1970 */
	/* .begun and .ended repeat the times above in seconds */
	struct op_session_about about;
	struct op_session_stats stats;
	/* The lists of gaps and parts grow by op_grow() (libop/base/grow.h). */
	struct itv_gap *gaps;		/* sorted by .from_ns, not overlapping */
	size_t nr_gaps;
	/* names of the intervals and sessions (store.h) whose samples this interval has */
	char **parts;
	size_t nr_parts;
	uint32_t kernel;		/* number of the kernel's build (store.h), or 0 */
	char *settings;			/* contents of stats/settings, or NULL */
	enum itv_precision precision;
	/* samples in [folded] nodes, because the tree of paths was reduced */
	uint64_t folded;
	/* sums of the samples of all groups and of all trees: set by itv_sum() */
	uint64_t samples, paths;
};

/* An image of samples or frames. */
struct itv_image {
	struct op_path_image image;	/* .name.path is malloc'd */
	uint8_t *build_id;		/* malloc'd, or NULL */
	size_t build_id_len;
};

/* An event with the members of the sample file's header that describe it. Events with the same
 * name, count and unit mask are equal, because a session has one sample file for them; their sum
 * has a known CPU type, with its code of the event, and the higher speed. */
struct itv_event {
	char *name;
	uint64_t count;
	uint32_t um;
	uint32_t cpu_type, ctr_event;
	double cpu_speed;		/* MHz; 0: unknown */
};

/* The samples that one sample file holds in a session. */
struct itv_group {
	uint32_t app, image, event;	/* indices into the interval's lists */
	int32_t tgid, tid, cpu;		/* or OP_ALL */
	uint32_t cell, nr_cells;	/* range of the interval's cells */
};

/* The number of samples at one address. */
struct itv_cell {
	uint64_t key;			/* as in the sample file */
	uint64_t count;			/* never 0 */
};

/* A place that call paths lead through. */
struct itv_frame {
	uint64_t offset;
	uint32_t image;			/* index + 1; 0: unknown */
	uint16_t how;			/* as in struct frame (libdb/frames.h) */
};

/* Numbers of frames that are always present; frames[] has the others, from ITV_FRAME_FIRST on. */
#define ITV_FRAME_FOLDED	0u	/* samples of removed nodes */
#define ITV_FRAME_LOST		1u	/* samples whose path was lost in a power cut */
#define ITV_FRAME_FIRST		2u

/*
 * A node of a tree of call paths. Nodes stand in depth-first order; siblings are sorted by frame
 * and have different frames. The roots of the tree are the first .nr_roots siblings.
 */
struct itv_node {
	uint64_t count;			/* samples whose path ends here */
	uint32_t frame;			/* number of the frame */
	uint32_t nr_children;
};

struct itv_tree {
	uint32_t app, event;
	int32_t tgid, tid, cpu;
	uint32_t node, nr_nodes;	/* range of the interval's nodes */
	uint32_t nr_roots;
};

/* A small file of the session that reports read, for example jit/PID.map or task-names. */
struct itv_file {
	char *name;			/* relative to the samples directory, without "." or ".." */
	char *data;			/* malloc'd */
	size_t len;
};

/* A zeroed struct is empty. */
struct itv {
	struct itv_accounting accounting;
	struct itv_image *images;
	struct itv_event *events;
	struct itv_group *groups;	/* sorted by app, image, event, tgid, tid, cpu */
	struct itv_cell *cells;
	struct itv_frame *frames;	/* sorted by image, offset, how */
	struct itv_tree *trees;		/* sorted by app, event, tgid, tid, cpu */
	struct itv_node *nodes;
	struct itv_file *files;		/* sorted by name */
	uint32_t nr_images, nr_events, nr_groups, nr_cells, nr_frames, nr_trees, nr_nodes, nr_files;
};

void itv_release(struct itv *v);

/*
 * Orders of the lists: return less than 0, 0 or more than 0. Images with the same identity are
 * equal although only one of them has its build-id, which itv_sort() and itv_merge() keep.
 */
int itv_compare_images(const struct itv_image *a, const struct itv_image *b);
int itv_compare_events(const struct itv_event *a, const struct itv_event *b);
int itv_compare_groups(const struct itv_group *a, const struct itv_group *b);
int itv_compare_frames(const struct itv_frame *a, const struct itv_frame *b);
int itv_compare_trees(const struct itv_tree *a, const struct itv_tree *b);

/*
 * Sort all lists of an interval whose lists are in any order, renumber the references between them,
 * and join equal elements. Remove cells with a count of 0, and frames and images that nothing
 * refers to. Of files with the same name the longest stays. The children of a node must follow it
 * in depth-first order. Return 0, -ENOMEM, -EOVERFLOW if a sum does not fit, or -EINVAL for an
 * index out of range; on failure *@v is unchanged.
 */
int itv_sort(struct itv *v);

/* Check all invariants above, and set accounting.samples, .paths and .folded. Return 0, -ENOMEM,
 * -EOVERFLOW, or -EINVAL for an interval that no function of this room makes. */
int itv_sum(struct itv *v);

#endif
