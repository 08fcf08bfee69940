/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval.h -- the samples of one interval of time in memory: the count of each address and of
 * each call path.
 *
 * All lists are sorted in one canonical order. So two intervals are added by merging sorted lists
 * (merge.h), and equal intervals produce equal files (file.h). Functions return 0 or a negative
 * errno. An interval is not thread-safe.
 */
#ifndef ITV_INTERVAL_H
#define ITV_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/about.h"
#include "libop/session/path_images.h"
#include "libop/session/stats.h"

/* The precision to which an interval's addresses are rounded, from exact to coarse. */
enum itv_precision {
	ITV_ADDRESSES,
	/* addresses are rounded down to 64 bytes, but not below the beginning of a function */
	ITV_LINES,
	ITV_FUNCTIONS,
};

/* A gap: a time without samples within an interval. */
struct itv_gap {
	int64_t from_ns, to_ns;	/* start and end in UTC, nanoseconds since 1970 */
	/* reason for the gap, such as "stopped" or "removed by --max-disk" */
	char *reason;
};

/* The totals of an interval, its gaps and its parts. Reports can read them without reading the
 * samples. */
struct itv_accounting {
	int64_t begun_ns, ended_ns;	/* start and end in UTC, nanoseconds since 1970 */
	/* description of the session; its .begun and .ended are the times above in seconds */
	struct op_session_about about;
	struct op_session_stats stats;
	/* The lists of gaps and parts are allocated by op_grow() (libop/base/grow.h). */
	/* times without samples, sorted by .from_ns; the gaps do not overlap */
	struct itv_gap *gaps;
	size_t nr_gaps;
	/* names of the sessions and intervals (store.h) that were added to this interval */
	char **parts;
	size_t nr_parts;
	/* number of the kernel's build, as in store.h; 0: unknown */
	uint32_t kernel;
	/* contents of the session's file stats/settings; NULL: none */
	char *settings;
	enum itv_precision precision;
	/* number of samples whose call paths were shortened because itv_fold_paths() removed
	 * nodes */
	uint64_t folded;
	/* total counts of all groups except those of wakers, of all trees, and of the groups of
	 * wakers; set by itv_sum() */
	uint64_t samples, paths, wakers;
};

/* An image that contains addresses of samples or frames. */
struct itv_image {
	/* name of the image; .name.path is malloc'd. A program has an image of its own for each
	 * control group in which it ran: .name.unit, malloc'd. */
	struct op_path_image image;
	/* only for the program of a waker: path of the program whose waits it ended, malloc'd, as
	 * in struct op_sample_name. Groups of such a program have samples of wakers. */
	char *woken;
	uint8_t *build_id;		/* build-id, malloc'd; NULL: unknown */
	size_t build_id_len;
};

/* An event, with the members of the sample file's header that describe it. Events with the same
 * name, count and unit mask are equal, because a session stores them in one sample file. When equal
 * events are added, the sum has the CPU type and event code that are known, and the higher
 * speed. */
struct itv_event {
	char *name;
	uint64_t count;
	uint32_t um;
	uint32_t cpu_type, ctr_event;
	double cpu_speed;		/* speed of the CPU in MHz; 0: unknown */
};

/* The samples that one sample file of a session contains. */
struct itv_group {
	/* program, image and event of the group, as indices into the interval's lists */
	uint32_t app, image, event;
	/* ids of process, thread and CPU, or OP_ALL if the samples were not separated by this id */
	int32_t tgid, tid, cpu;
	/* index of the group's first cell in the interval's list of cells, and number of the
	 * group's cells */
	uint32_t cell, nr_cells;
};

/* A cell: the number of samples at one address of a group. */
struct itv_cell {
	uint64_t key;			/* key that the sample file uses for the address */
	uint64_t count;			/* number of samples, never 0 */
};

/* A frame: a code address in a call path. */
struct itv_frame {
	uint64_t offset;
	/* index of the image in the interval's list + 1; 0: unknown image */
	uint32_t image;
	/* method by which the frame was found, as in struct frame (libdb/frames.h) */
	uint16_t how;
};

/* Frame numbers that have the same meaning in every interval. The element frames[0] has the number
 * ITV_FRAME_FIRST. */
#define ITV_FRAME_FOLDED	0u	/* replaces callees that were removed from the tree */
#define ITV_FRAME_LOST		1u	/* replaces frames that were lost in a power failure */
#define ITV_FRAME_FIRST		2u

/*
 * A node of a tree of call paths. The nodes of a tree are stored in depth-first order; siblings are
 * sorted by frame, and their frames differ. The roots of the tree are the first .nr_roots siblings.
 */
struct itv_node {
	uint64_t count;			/* number of samples whose call path ends at this node */
	uint32_t frame;			/* number of the frame that the node represents */
	uint32_t nr_children;
};

struct itv_tree {
	uint32_t app, event;
	int32_t tgid, tid, cpu;
	/* index of the tree's first node in the interval's list of nodes, and number of the tree's
	 * nodes */
	uint32_t node, nr_nodes;
	uint32_t nr_roots;
};

/* A small file of the session that is stored unchanged because reports need it, such as jit/PID.map
 * or task-names. */
struct itv_file {
	/* path of the file relative to the samples directory, without "." or ".." */
	char *name;
	char *data;			/* contents of the file, malloc'd */
	size_t len;
};

/* An interval. A struct itv of zeros has no samples. */
struct itv {
	struct itv_accounting accounting;
	struct itv_image *images;
	struct itv_event *events;
	/* groups of samples, sorted by app, image, event, tgid, tid, cpu */
	struct itv_group *groups;
	struct itv_cell *cells;
	struct itv_frame *frames;	/* frames, sorted by image, offset, how */
	/* trees of call paths, sorted by app, event, tgid, tid, cpu */
	struct itv_tree *trees;
	struct itv_node *nodes;
	struct itv_file *files;		/* small files, sorted by name */
	uint32_t nr_images, nr_events, nr_groups, nr_cells, nr_frames, nr_trees, nr_nodes, nr_files;
};

void itv_release(struct itv *v);

/*
 * Write the accounting as text lines (accounting_text.c) to *@ret, an allocated string of *@len
 * bytes; or parse such a text, from any origin, into the zeroed struct *@ret, which is released
 * with its interval. Return 0, -ENOMEM, or ITV_ERR_FORMAT (file.h) for a text of another kind.
 */
int itv_accounting_write(char **ret, size_t *len, const struct itv_accounting *a);
int itv_accounting_parse(struct itv_accounting *ret, const char *text, size_t len);

/*
 * Compare two elements of the same list of an interval: return less than 0, 0 or more than 0. Two
 * images with the same identity are equal even if only one of them has its build-id; itv_sort() and
 * itv_merge() keep the build-id.
 */
int itv_compare_images(const struct itv_image *a, const struct itv_image *b);
int itv_compare_events(const struct itv_event *a, const struct itv_event *b);
int itv_compare_groups(const struct itv_group *a, const struct itv_group *b);
int itv_compare_frames(const struct itv_frame *a, const struct itv_frame *b);
int itv_compare_trees(const struct itv_tree *a, const struct itv_tree *b);

/*
 * Sort all lists of an unsorted interval, renumber the references between the lists, and replace
 * equal elements by their sum. Remove cells with a count of 0, and unreferenced frames and images.
 * If several files have the same name, keep the longest. The children of a node must follow it in
 * depth-first order. Return 0, -ENOMEM, -EOVERFLOW if a sum does not fit, or -EINVAL for an index
 * out of range; on failure *@v is unchanged.
 */
int itv_sort(struct itv *v);

/* Check all invariants above, and set .samples, .paths and .folded of the accounting. Return 0,
 * -ENOMEM, -EOVERFLOW, or -EINVAL if an invariant is violated. */
int itv_sum(struct itv *v);

#endif
