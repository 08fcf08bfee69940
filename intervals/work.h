/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h -- packing of a closed session and merging of intervals in a store (store.h). opintervals
 * runs these functions in a separate process. The caller deletes the parts afterwards
 * (itv_list.replaced). If another process has already packed the session or merged the parts, the
 * functions return -ESTALE.
 */
#ifndef ITV_WORK_H
#define ITV_WORK_H

#include "intervals/store.h"

/* Read the system files that the functions below need. Call this only if the process will lose
 * access to the files before it calls the other functions. Return 0 or -ENOMEM. */
int itv_work_prepare(void);

/* The exit status of opintervals, which determines the daemon's reaction. */
enum itv_exit {
	/* the disk space that the daemon allowed opintervals to use (--room) was too small */
	ITV_EXIT_SHORT = 3,
	/* the merged interval would not be smaller than the intervals that it replaces */
	ITV_EXIT_STUCK,
	ITV_EXIT_FULL,		/* the disk is full */
	/* intervals cannot be merged and, if possible, were marked (itv_entry.is_bad); or a session
	 * cannot be packed */
	ITV_EXIT_BAD,
	ITV_EXIT_ERRNO = 64,	/* another error: ITV_EXIT_ERRNO plus the errno */
};

/*
 * Pack the closed session @name in the store @dirfd. Reduce paths and addresses until the interval
 * fits into @max_bytes (0: no limit), as far as possible. When the file is on the disk, set *@ret
 * to the new interval. Return 0 or a negative error; on errors the store is unchanged.
 */
int itv_work_pack(struct itv_entry *ret, int dirfd, const char *name, uint64_t max_bytes);

/*
 * Merge the intervals @parts in the store @dirfd into a new interval with the times and the step of
 * @result, and set the name of @result. Record the times between the parts as gaps. If a part can
 * never be read, or the sum of the parts overflows, mark these parts (itv_entry.is_bad) and return
 * an error. @must_shrink: return -EALREADY unless the result is smaller than the parts by an
 * eighth. Return 0 or a negative error; on errors the store is unchanged except for marks.
 */
int itv_work_merge(struct itv_entry *result, int dirfd, const char *const *parts, size_t nr_parts,
		   uint64_t max_bytes, bool must_shrink);

#endif
