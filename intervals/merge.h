/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h -- addition of intervals, and functions that reduce an interval to a given size.
 */
#ifndef ITV_MERGE_H
#define ITV_MERGE_H

#include "intervals/interval.h"

/*
 * Add @from to @to; both must be valid, as itv_sort() and itv_file_read() return them.
 * * Time: from the earlier start to the later end. A gap with the reason @gap_reason fills the time
 * between the intervals (NULL: add no gap). Other times are gaps if neither interval has samples of
 * them. An interval whose start and end are 0 has no time.
 * * Statistics, samples and paths are added. The precision is the coarser one.
 * * Texts of the accounting come from the later interval. A text file of both intervals gets the
 * lines of the earlier one, then the new lines of the later one. For other files, the later version
 * is kept.
 * * If different processes with the same id generated code, the one of @from gets a new program
 * number (jit_apart.h).
 * Takes time and memory in proportion to the sizes of both. Return 0, -ENOMEM, or -EOVERFLOW if a
 * sum does not fit; on failure *@to is unchanged.
 */
int itv_merge(struct itv *to, const struct itv *from, const char *gap_reason);

/* The state of adding many intervals. Each interval is merged with a partial sum of about the same
 * size. So adding n intervals copies each interval only about log2(n) times. A zeroed struct is
 * empty. */
struct itv_merges {
	/* reason of the gaps between the intervals, as in itv_merge(); borrowed */
	const char *gap_reason;
	struct itv sums[32];
	/* number of intervals that were added to each partial sum */
	uint64_t nr_parts[32];
	unsigned int nr;
};

/* Add the sorted interval @part to the sum, and leave *@part empty. Return 0 or an error of
 * itv_merge(). */
int itv_merges_add(struct itv_merges *merges, struct itv *part);
/* Store the sum of all added intervals in the zeroed struct *@ret. Return 0 or an error of
 * itv_merge(). */
int itv_merges_end(struct itv_merges *merges, struct itv *ret);
void itv_merges_release(struct itv_merges *merges);

/*
 * Reduce all trees of @v to a total of at most @max_nodes nodes. Keep the nodes whose subtrees have
 * the highest totals; among equal totals, the first in the list. The samples of removed nodes move
 * to a node ITV_FRAME_FOLDED below their nearest kept ancestor, or to a root ITV_FRAME_FOLDED.
 * These nodes count toward the limit, except roots. Remove frames and images that are no longer
 * referenced. The sum of each tree and all cells stay the same. Return 0 or -ENOMEM; on failure *@v
 * is unchanged.
 */
int itv_fold_paths(struct itv *v, uint32_t max_nodes);

/*
 * Callback that returns the replacement for the address @key in an image at @precision, or @key
 * itself if the functions of the image are unknown.
 */
struct itv_places {
	uint64_t (*replace)(void *arg, const struct itv_image *image, uint64_t key,
			    enum itv_precision precision);
	void *arg;
};

/*
 * Round all addresses of cells and frames to @precision, and join cells and nodes that become
 * equal. If no address changes, do not change the precision that the accounting of @v states.
 * Return 0, -ENOMEM or -EOVERFLOW; on failure *@v is unchanged.
 */
int itv_fold_addresses(struct itv *v, enum itv_precision precision,
		       const struct itv_places *places);

struct op_id_ranges;

/* Return the memory in bytes that the names of all images of @v need. */
uint64_t itv_names_bytes(const struct itv *v);

/*
 * Reduce the names of the images of @v to a total of at most @max_bytes. In addition, each user
 * whose names are removed gets one replacement name: "/(more programs of user UID)", or "/(more
 * programs)" for files with an unknown owner. Samples of removed images get this name and lose
 * their addresses; no count is lost. All users have an equal share of @max_bytes, and may use bytes
 * that other users do not need. Within the share, the images with the most samples, callees
 * included, keep their names. A user keeps all names if the removed ones would be no longer than
 * the replacement. Kernel images keep their names.
 * @ranges: ranges of ids that count as one user. Return 0, -ENOMEM or -EOVERFLOW; on failure *@v is
 * unchanged.
 */
int itv_fold_names(struct itv *v, uint64_t max_bytes, const struct op_id_ranges *ranges);

#endif
