/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h -- the sum of intervals, and the reduction of an interval to a size.
 */
#ifndef ITV_MERGE_H
#define ITV_MERGE_H

#include "intervals/interval.h"

/*
 * Add @from to @to; both must be sorted. The time of the result begins with the earlier and ends
 * with the later one; the time between them, if there is any, becomes a gap with the reason
 * @gap_reason (NULL: no gap is noted). Statistics, samples and paths are added; the precision is
 * the coarser one. A time is a gap in the sum if neither interval has samples of it. If both times
 * of an interval are 0, the interval has no time. Texts of the accounting are those of the later
 * interval. A text file that both have gets the lines of the earlier interval, followed by the
 * other lines of the later one; of another file, the later version stays. If two processes with
 * one number made different code, the later one becomes another program (jit_apart.h). Takes time
 * and memory in proportion to both. Return 0, -ENOMEM, or -EOVERFLOW if a sum does not fit; on
 * failure *@to is unchanged.
 */
int itv_merge(struct itv *to, const struct itv *from, const char *gap_reason);

/* Intervals that are added one after the other. Each is merged with a sum of about as many
 * intervals, so the time for n intervals is that of log2(n) merges of all. A zeroed struct is
 * empty. */
struct itv_merges {
	/* reason that is noted for the times between the parts, as in itv_merge(); borrowed */
	const char *gap_reason;
	struct itv sums[32];
	uint64_t nr_parts[32];		/* number of parts in each partial sum */
	unsigned int nr;
};

/* Add the sorted interval @part, which becomes empty. Return 0 or an error as itv_merge() does. */
int itv_merges_add(struct itv_merges *merges, struct itv *part);
/* Set the zeroed struct *@ret to the sum. Return 0 or an error as itv_merge() does. */
int itv_merges_end(struct itv_merges *merges, struct itv *ret);
void itv_merges_release(struct itv_merges *merges);

/*
 * Reduce the trees to at most @max_nodes nodes altogether. The nodes with the highest totals of
 * their subtrees stay. The samples of a removed node go to a node ITV_FRAME_FOLDED below its
 * nearest ancestor that stays (for a root: to a root ITV_FRAME_FOLDED). These nodes are part of the
 * limit, except roots. Of nodes with equal totals, the first ones in the list stay. Frames and
 * images that nothing refers to any more are removed. The sum of each tree does not change; cells
 * do not change. Return 0 or -ENOMEM; on failure *@v is unchanged.
 */
int itv_fold_paths(struct itv *v, uint32_t max_nodes);

/*
 * Returns the address that replaces the address @key in an image at the @precision. An image whose
 * functions are unknown keeps its addresses.
 */
struct itv_places {
	uint64_t (*replace)(void *arg, const struct itv_image *image, uint64_t key,
			    enum itv_precision precision);
	void *arg;
};

/*
 * Reduce all addresses of cells and frames to @precision, and join cells and nodes that become
 * equal. If no address changes, the interval keeps its precision. Return 0, -ENOMEM or -EOVERFLOW;
 * on failure *@v is unchanged.
 */
int itv_fold_addresses(struct itv *v, enum itv_precision precision,
		       const struct itv_places *places);

struct op_id_ranges;

/* Return the memory that the names of all images need, in bytes. */
uint64_t itv_names_bytes(const struct itv *v);

/*
 * Reduce the names of images to at most @max_bytes, and one name for each user who loses names:
 * "/(more programs of user UID)", or "/(more programs)" for files whose owner is unknown. The
 * samples of the user's other images get this name, and lose their addresses. Each user keeps the
 * names of the images with the most samples, in the image or in what it ran and called; what a user
 * does not need of an equal share is left to others. A user keeps all names if the new name would
 * need as many bytes as the names that it replaces. So no user's programs take the names of
 * others. The kernel's images keep their names. @ranges: ids that count as one user. No count is
 * lost. Return 0, -ENOMEM or -EOVERFLOW; on failure *@v is unchanged.
 */
int itv_fold_names(struct itv *v, uint64_t max_bytes, const struct op_id_ranges *ranges);

#endif
