/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h -- packing of a closed session and merging of intervals in a store (store.h). opintervals
 * calls these functions in a process of its own; the caller deletes the parts afterwards
 * (itv_list.replaced). If an interval has replaced a part, another process has done the work: the
 * functions return -ESTALE.
 */
#ifndef ITV_WORK_H
#define ITV_WORK_H

#include "intervals/store.h"

/* Read the system's files that the functions below need. Calling this function first is necessary
 * only if they cannot be read later. Return 0 or -ENOMEM. */
int itv_work_prepare(void);

/* Exit status of opintervals, which the daemon reads. */
enum itv_exit {
	ITV_EXIT_SHORT = 3,	/* the daemon allowed too few bytes */
	ITV_EXIT_STUCK,		/* the merged interval would not be smaller than its parts */
	ITV_EXIT_FULL,		/* the disk is full */
	/* intervals cannot be merged, and are marked if possible (itv_entry.is_bad), or a session
	 * cannot be packed */
	ITV_EXIT_BAD,
	ITV_EXIT_ERRNO = 64,	/* another error: ITV_EXIT_ERRNO plus the errno */
};

/*
 * Pack the closed session @name in the store @dirfd. Set *@ret to the new interval, which is on the
 * disk. Paths and addresses are reduced until it fits into @max_bytes (0: no limit), as far as
 * possible. Return 0 or a negative error; on errors the store is unchanged.
 */
int itv_work_pack(struct itv_entry *ret, int dirfd, const char *name, uint64_t max_bytes);

/*
 * Merge the intervals @parts in the store @dirfd into a new interval with the times and the step of
 * @result, whose name is set. Parts that do not follow each other leave gaps in the result.
 * A part that can never be read, and parts whose sum does not fit, are marked (itv_entry.is_bad),
 * and the function returns an error.
 * @must_shrink: the result must need fewer bytes than the parts, by an eighth; else the function
 * returns -EALREADY. Return 0 or a negative error; on errors the store is unchanged.
 */
int itv_work_merge(struct itv_entry *result, int dirfd, const char *const *parts, size_t nr_parts,
		   uint64_t max_bytes, bool must_shrink);

#endif
