/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk.h -- the limit of the disk space of the session directory (--max-disk).
 *
 * Invariant: the files and directories below the session directory have at most .counted +
 * .granted + .held - .written bytes on the disk, and nothing is granted or held that makes this sum
 * higher than .max less SLACK. It holds because
 *   - only this daemon and its children write there, and the daemon has one thread that writes;
 *   - each function that adds bytes asks before (libop/base/quota.h), so .granted grows first;
 *   - a child that writes has a limit, which .held contains from before its start until its
 *     end, and .granted from then until the first count that began after its end; a child without
 *     a limit of its own writes to memory, and the daemon copies the result;
 *   - a count adds up all files in steps, between which the daemon takes samples. The bytes that
 *     are granted during the count stay in .granted. Each function that moves directories calls
 *     opd_disk_changed(), because the count may have missed them: the count then begins anew. A
 *     count that fails changes nothing, because the last sum is an upper limit;
 *   - the bytes that a child has written are in .counted and in .held. .written, the part of them
 *     that a count has seen in the watched directories, is subtracted. The daemon makes no files
 *     in these directories while the child runs; if it deletes files there, .written is too low;
 *   - SLACK is more than the directories grow by when the daemon renames entries between counts.
 * Deletions make the true sum lower, and the next count finds that. A directory that is already
 * too large when the daemon starts is made smaller first (.is_deleting until then).
 *
 * Samples, and copies of users' files, may use all but the last part of the limit
 * (OPD_DISK_WORK + OPD_DISK_OTHERS), other files of the session all but OPD_DISK_WORK. This last
 * part is left for the work that makes room: closing of sessions, packing and merging.
 */
#ifndef OPD_DISK_H
#define OPD_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/dir_bytes.h"

/* divisors of the disk limit: each kind of data may use one part of it */
#define OPD_DISK_WORK		16
#define OPD_DISK_OTHERS		64

/* A struct opd_disk of zeros sets no limit. */
struct opd_disk {
	int dir_fd;		/* descriptor of the session directory; borrowed */
	uint64_t max;		/* limit of the session directory in bytes; 0: no limit */
	uint64_t counted, granted, held, written;
	/* an empty sum that names the directories that children write to (opd_disk_watch()) and
	 * the part that is summed up apart (opd_disk_set_part()) */
	struct op_dir_sum wanted;
	/* the bytes of the files that children wrote, at the last count, and at the last count
	 * before the child was started */
	uint64_t stored, stored_before;
	uint64_t part;			/* bytes of the part at the last count; 0: not counted */
	/* the count in progress, or NULL. .granted_before: .granted when it began.
	 * .spent_ns: the time of its steps */
	struct op_dir_walk *walk;
	struct op_dir_sum sum;
	uint64_t granted_before, spent_ns;
	unsigned int nr_restarts;	/* counts in a row that directories were moved during */
	uint64_t took_ms;		/* time of the last count, without that between its steps */
	/* the time (op_now_ms()) at which a refused request may count again */
	uint64_t count_ms;
	int error;			/* of the last count that opd_disk_step() ended, or 0 */
	bool is_wanted;			/* opd_disk_step() has work to do */
	bool counts_at_once;		/* opd_disk_step() counts in one step */
	bool is_current;		/* see opd_disk_use_count() */
	bool is_working;	/* requests may use all of .max, because the work makes room */
	/* something is being deleted: requests for the small files about that are granted, which
	 * SLACK is for */
	bool is_deleting;
	bool is_refused;	/* a request was refused since the flag was cleared */
	/* Delete something of at least @bytes, if possible. Called when a request does not fit. */
	void (*make_room)(void *arg, uint64_t bytes);
	void *arg;
};

/* Limit the disk space that this process uses for files from now on. @disk must stay where it is
 * until opd_disk_release(). Return 0, or a negative errno if the files cannot be counted; then
 * there is no limit. */
int opd_disk_init(struct opd_disk *disk, int dir_fd, uint64_t max,
		   void (*make_room)(void *arg, uint64_t bytes), void *arg);
void opd_disk_release(struct opd_disk *disk);

/* Watch the directory @dirfd, to which children write. At most OP_DIR_WATCHED directories can be
 * watched. Without a watch, the bytes that a child has written count twice until it ends. */
void opd_disk_watch(struct opd_disk *disk, int dirfd);

/* Sum up the bytes of the directory @dirfd, and of everything below it, apart from now on. */
void opd_disk_set_part(struct opd_disk *disk, int dirfd);

/* Count the bytes of all files at once, which takes a tenth of a second for some thousand files.
 * Return 0 or a negative errno. */
int opd_disk_count(struct opd_disk *disk);

/* Have the files counted by opd_disk_step(). */
void opd_disk_want_count(struct opd_disk *disk);
/* Go on with a wanted count for about a millisecond. .is_wanted is false after the last step. */
void opd_disk_step(struct opd_disk *disk);
/*
 * Use the last count for a decision. Return 0 if the count began after the last
 * opd_disk_changed() and was not used yet. Otherwise return the negative errno of the last
 * count, or -EAGAIN: the count is wanted now; call the function again when the count has ended.
 */
int opd_disk_use_count(struct opd_disk *disk);
/* Directories were moved, or files were deleted: a count in progress begins anew. */
void opd_disk_changed(struct opd_disk *disk);

/* Return the number of bytes by which the session directory may still grow. */
uint64_t opd_disk_left(const struct opd_disk *disk);

/* Hold @bytes for a child, of opd_disk_left(). Return 0 or -ENOSPC. */
int opd_disk_hold(struct opd_disk *disk, uint64_t bytes);
/* The child has ended: hold nothing, and count what it has written. */
void opd_disk_end_hold(struct opd_disk *disk);

#endif
