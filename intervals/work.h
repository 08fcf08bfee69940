/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h -- packing of a closed session and merging of intervals in a store (store.h). opintervals
 * runs these functions in a separate process. The caller deletes the parts afterwards
 * (itv_list.replaced). The functions return -ESTALE if another process has already replaced the
 * parts.
 */
#ifndef ITV_WORK_H
#define ITV_WORK_H

#include "intervals/store.h"

/* Read the system files that the functions below need. Only necessary if the process will lose
 * access to the files before calling them. Return 0 or -ENOMEM. */
int itv_work_prepare(void);

/* Exit status of opintervals, from which the daemon chooses its reaction. */
enum itv_exit {
	ITV_EXIT_SHORT = 3,	/* the disk space that the daemon allowed (--room) was too small */
	ITV_EXIT_STUCK,		/* the merged interval would not be smaller than its parts */
	ITV_EXIT_FULL,		/* the disk is full */
	/* intervals cannot be merged and are marked with itv_entry.is_bad if possible, or a session
	 * cannot be packed */
	ITV_EXIT_BAD,
	ITV_EXIT_ERRNO = 64,	/* another error: ITV_EXIT_ERRNO plus the errno */
};

/*
 * Pack the closed session @name in the store @dirfd. Set *@ret to the new interval, which is on the
 * disk by then. Reduce paths and addresses until the interval fits into @max_bytes (0: no limit),
 * as far as possible. Return 0 or a negative error; on errors the store is unchanged.
 */
int itv_work_pack(struct itv_entry *ret, int dirfd, const char *name, uint64_t max_bytes);

/*
 * Merge the intervals @parts in the store @dirfd into a new interval with the times and the step of
 * @result, and set the name of @result. Times between the parts become gaps. Mark parts that can
 * never be read, and parts whose sum overflows, with itv_entry.is_bad, and return an error.
 * @must_shrink: return -EALREADY unless the result is smaller than the parts by an eighth. Return 0
 * or a negative error; on errors the store is unchanged except for marks.
 */
int itv_work_merge(struct itv_entry *result, int dirfd, const char *const *parts, size_t nr_parts,
		   uint64_t max_bytes, bool must_shrink);

#endif
