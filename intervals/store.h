/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h -- the directory of a host's intervals, DIR/samples/.intervals:
 *
 *   BEGIN-END-STEP-KERNEL[.N].opi	a packed interval (file.h)
 *   BEGIN-END-STEP[.N].session		a samples directory that has been closed and is not packed
 * 					yet
 *   kernel-KERNEL.zst			symbols of a kernel
 *   tables/				symbol tables of the intervals' images (tables.h)
 *   removed				the ends of the deleted intervals (struct itv_removed)
 *   .new-*				files that are being written; a daemon deletes those of a
 * 					killed one
 *   .lock				locked by the process that packs or merges
 *
 * BEGIN and END are UTC, as 20261120T030000Z. STEP is the step that the interval belongs to: 0 for
 * intervals as they are closed, or merged to the length of --interval, 1 for hours, 2 for days, 3
 * for months. KERNEL is a number of the kernel's build (itv_store_kernel()), because samples of two
 * kernels must not be added up; it is 0 if the interval has no kernel symbols. N distinguishes
 * intervals of the same times, which a clock that is set back makes.
 *
 * Each sample is in one place at any moment: an interval file gets its name when it is complete and
 * on the disk. From then on it replaces the sessions and intervals that it lists as its parts,
 * which are deleted afterwards. So a reader ignores a session or an interval that another interval
 * file lists. There is one writer, which holds the session's lock, and any number of readers. The
 * writer's process that packs and merges also holds the store's lock: it may live a moment longer
 * than a daemon that was killed, while the next daemon starts such a process.
 */
#ifndef ITV_STORE_H
#define ITV_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define ITV_STORE_DIR		".intervals"	/* name of the store in the directory DIR/samples */
#define ITV_SUFFIX		".opi"
#define ITV_SESSION_SUFFIX	".session"
#define ITV_NEW_PREFIX		".new-"
#define ITV_LOCK		".lock"
#define ITV_NAME_SIZE		80
#define ITV_NR_STEPS		4
#define ITV_BAD_MODE		S_ISVTX
/* latest valid time in seconds since 1970: in nanoseconds, it must fit into 63 bits */
#define ITV_MAX_TIME		(INT64_MAX / 1000000000)

/* An interval or a closed session in the store. */
struct itv_entry {
	char name[ITV_NAME_SIZE];	/* name of the file with its suffix */
	int64_t begin, end;		/* start and end in UTC, seconds since 1970; begin < end */
	unsigned int step;		/* step of the interval, less than ITV_NR_STEPS */
	/* number N in the name, which distinguishes entries with the same times; 0: the name has no
	 * number */
	unsigned int copy;
	/* number of the kernel's build; 0: no kernel symbols, or not known yet */
	uint32_t kernel;
	bool is_session;
	/* The file is damaged or of a newer version, or a sum of its counts overflows, so a merge
	 * failed. The permission bit ITV_BAD_MODE of the file marks this, so that the file is not
	 * merged again. Reports still read the file, or report its name. */
	bool is_bad;
	uint64_t bytes;			/* size on the disk; 0 for a session */
};

struct itv_list {
	/* intervals and sessions in the store, sorted by begin, end, step, copy */
	struct itv_entry *entries;
	size_t nr;
	/* Interval files and sessions that are parts of other intervals, which replace them. They
	 * still exist because the daemon was killed before it deleted them. */
	struct itv_entry *replaced;
	size_t nr_replaced;
};

/* Write the file name of an entry to @name. */
void itv_name(char name[ITV_NAME_SIZE], const struct itv_entry *entry);
/* Parse the file name @name. Return false if it is not the name of an interval or a session. */
bool itv_name_parse(struct itv_entry *ret, const char *name);

/*
 * List a consistent snapshot of the store @dirfd (DIR/samples/.intervals): if the directory changes
 * during the reading, read it again. Return 0 or a negative errno; -EAGAIN: the directory changed
 * during each of several attempts.
 */
int itv_store_list(struct itv_list *ret, int dirfd);
/* List the store like itv_store_list(), for processes that write to it. They do not wait until the
 * directory's mtime is old enough, because only they replace and delete entries. */
int itv_store_list_writer(struct itv_list *ret, int dirfd);
void itv_list_release(struct itv_list *list);

/* Wait until no other process packs or merges in the store, and lock the store until this process
 * ends. If a full disk prevents creating the lock file, continue without a lock. Return 0 or a
 * negative errno. */
int itv_store_lock(int dirfd);

/* Return 1 if the store contains all @nr entries @names, and no interval has one of them as a part.
 * Otherwise return 0, or a negative errno. Only for processes that write to the store. */
int itv_store_has(int dirfd, const char *const *names, size_t nr);

/* List the interval files that end before @end, including files that other intervals replace,
 * sorted by end. Only for the writer of the store. Return 0 or a negative errno. */
int itv_store_list_old(struct itv_list *ret, int dirfd, int64_t end);

/*
 * Choose an unused name for a new entry: set entry->copy and entry->name. The name differs from the
 * names of all entries of the store and of all parts of intervals, because reports ignore an entry
 * that has the name of a part. Only for processes that write to the store. Return 0 or a negative
 * errno.
 */
int itv_store_new_name(struct itv_entry *entry, int dirfd);

/*
 * Store the kernel symbols of the samples directory @samples_dirfd (libop/session/kernel_syms.h).
 * If the store already has symbols of the same kernel, also keep its symbols of modules that the
 * session does not have. Set *@kernel to the number of the kernel's build, or to 0 if the session
 * has no kernel symbols. Return 0 or a negative errno.
 */
int itv_store_kernel(uint32_t *kernel, int dirfd, int samples_dirfd);
/* Set *@kernel to the same number as itv_store_kernel(), but do not store symbols. */
int itv_kernel_of(uint32_t *kernel, int samples_dirfd);
/* Write the symbols of @kernel to the samples directory @samples_dirfd. Return 0 or a negative
 * errno; -ENOENT if the store does not have the symbols. */
int itv_store_kernel_export(uint32_t kernel, int dirfd, int samples_dirfd);
struct op_kernel_syms;
/* Read the symbols of @kernel into the zeroed struct *@ret; release it with
 * op_kernel_syms_release(). Return 0 or a negative error; -ENOENT if the store does not have the
 * symbols. */
int itv_store_kernel_read(struct op_kernel_syms *ret, uint32_t kernel, int dirfd);
/* Delete the kernel symbols that no entry of @list needs. */
void itv_store_kernels_keep(const struct itv_list *list, int dirfd);

/* The latest ends of deleted intervals, in seconds since 1970; INT64_MIN: no interval was deleted.
 * One end is of intervals that were deleted because of their age, the other of intervals that were
 * deleted to save space. The file "removed" stores both ends; if an old file has only one number,
 * it is the second end. */
struct itv_removed {
	int64_t by_keep, by_disk;
	bool any;
};

/* Record that all intervals up to @end were deleted, because of their age (@by_keep) or to save
 * space. Return 0 or a negative errno. */
int itv_store_note_removed(int dirfd, int64_t end, bool by_keep);
/* Read the ends that itv_store_note_removed() recorded. */
void itv_store_removed(struct itv_removed *ret, int dirfd);

#endif
