/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk.h -- the size limit of the session directory (--max-disk).
 *
 * Invariant: the files and directories below the session directory occupy at most .counted +
 * .granted + .held - .written bytes of the disk, and no grant raises this sum above .max - SLACK.
 * Reasons:
 *   - only this daemon and its children write there, and the daemon has one thread that writes;
 *   - each function that adds bytes asks first (libop/base/quota.h), so .granted grows before
 *     the files do;
 *   - a child that writes has a limit. .held contains this limit from before the child's start
 *     until its end. Then .granted contains it until the first count that begins after the
 *     child's end. A child without a limit writes to memory only, and the daemon copies the
 *     result;
 *   - a count adds up the sizes of all files in steps, and the daemon reads samples between the
 *     steps. Bytes granted during the count stay in .granted. Each function that moves
 *     directories calls opd_disk_changed(), because the count may have missed them: the count
 *     then starts again. A failed count changes nothing, because the last result is an upper
 *     limit;
 *   - bytes that a running child has written are in both .counted and .held. A count measures
 *     these bytes in the watched directories, and .written subtracts them. The daemon creates no
 *     files there while the child runs. If it deletes files there, .written is too low, which is
 *     safe;
 *   - SLACK exceeds the growth of directories when the daemon renames entries between two
 *     counts.
 * Deletions make the true sum smaller, and the next count measures this. If the directory is too
 * large when the daemon starts, the daemon first deletes data (.is_deleting is true during that
 * time).
 *
 * Samples, and copies of users' files, may use the limit except the fractions OPD_DISK_WORK and
 * OPD_DISK_OTHERS. Other files of the session may use all except OPD_DISK_WORK. That last fraction
 * is reserved for work that frees space: closing sessions, packing and merging.
 */
#ifndef OPD_DISK_H
#define OPD_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/dir_bytes.h"

/* the fractions 1/OPD_DISK_WORK and 1/OPD_DISK_OTHERS of the limit of --max-disk are reserved (see
 * above) */
#define OPD_DISK_WORK		16
#define OPD_DISK_OTHERS		64

/* The size limit of the session directory, and the bytes that count against it. A zeroed struct
 * opd_disk has no limit. */
struct opd_disk {
	int dir_fd;		/* descriptor of the session directory; borrowed */
	uint64_t max;		/* limit of the session directory in bytes; 0: no limit */
	uint64_t counted, granted, held, written;
	/* template for each count of file sizes: names the directories that child processes write
	 * to (opd_disk_watch()) and the directory to measure separately (opd_disk_set_part()) */
	struct op_dir_sum wanted;
	/* size of the files in the directories of opd_disk_watch(): .stored: at the last count of
	 * file sizes; .stored_before: at the last count before the child process was started */
	uint64_t stored, stored_before;
	/* size of the files below the directory of opd_disk_set_part(), at the last count of file
	 * sizes; 0: not counted */
	uint64_t part;
	/* .walk: the count of file sizes in progress, or NULL; .granted_before: value of .granted
	 * when this count began; .spent_ns: time that its steps have taken */
	struct op_dir_walk *walk;
	struct op_dir_sum sum;
	uint64_t granted_before, spent_ns;
	/* number of successive restarts of a count of file sizes; a count restarts if directories
	 * were moved during the count */
	unsigned int nr_restarts;
	/* duration of the last count of file sizes, without the pauses between its steps */
	uint64_t took_ms;
	/* time (op_now_ms()) from which a refused request for disk space may start a count of file
	 * sizes */
	uint64_t count_ms;
	/* result of the last count of file sizes in opd_disk_step(): 0 or a negative errno */
	int error;
	/* a count of file sizes was requested; opd_disk_step() continues the count */
	bool is_wanted;
	/* opd_disk_step() does a whole count of file sizes in one call */
	bool counts_at_once;
	/* the last count of file sizes is recent enough for opd_disk_use_count() */
	bool is_current;
	/* requests for disk space may use the reserved fractions of the limit, because the daemon
	 * currently does work that frees space */
	bool is_working;
	/* a deletion is in progress: grant all requests for disk space. The small files that a
	 * deletion needs fit into SLACK. */
	bool is_deleting;
	/* a request for disk space was refused; code that reads this flag must clear it */
	bool is_refused;
	/* Called when a request for disk space does not fit below the limit: delete at least @bytes
	 * of old data, if possible. */
	void (*make_room)(void *arg, uint64_t bytes);
	void *arg;
};

/*
 * Limit the files below the directory @dir_fd to a total size of @max bytes: this process then asks
 * @disk before it writes. Do not move @disk in memory until opd_disk_release(). Return 0, or a
 * negative errno if the sizes of the files cannot be counted; then no limit applies.
 */
int opd_disk_init(struct opd_disk *disk, int dir_fd, uint64_t max,
		   void (*make_room)(void *arg, uint64_t bytes), void *arg);
void opd_disk_release(struct opd_disk *disk);

/* Register the directory @dirfd, in which child processes write files; at most OP_DIR_WATCHED
 * directories. In directories that are not registered, the bytes that a running child has written
 * count twice. */
void opd_disk_watch(struct opd_disk *disk, int dirfd);

/* From the next count of the file sizes on, also add up the files in and below the directory @dirfd
 * separately. */
void opd_disk_set_part(struct opd_disk *disk, int dirfd);

/* Count the sizes of all files of the session directory now, which takes a tenth of a second for
 * some thousand files. Return 0 or a negative errno. */
int opd_disk_count(struct opd_disk *disk);

/* Request a count of the file sizes; opd_disk_step() performs the count in steps. */
void opd_disk_want_count(struct opd_disk *disk);
/* Continue a requested count of the file sizes for about a millisecond. The last step clears
 * .is_wanted. */
void opd_disk_step(struct opd_disk *disk);
/*
 * Check that the last count of the file sizes is recent enough for a decision. Return 0 if the
 * count began after the last opd_disk_changed() and no earlier call has used its result. Otherwise
 * return the negative errno of the last count, or request a new count and return -EAGAIN: then call
 * again when the new count has ended.
 */
int opd_disk_use_count(struct opd_disk *disk);
/* Report that directories were moved or files were deleted. A count of file sizes that is in
 * progress starts again. */
void opd_disk_changed(struct opd_disk *disk);

/* Return the number of bytes by which the session directory may still grow. */
uint64_t opd_disk_left(const struct opd_disk *disk);

/* Reserve @bytes of the disk space opd_disk_left() for a child process that will write files.
 * Return 0 or -ENOSPC. */
int opd_disk_reserve(struct opd_disk *disk, uint64_t bytes);
/* Release the reservation of opd_disk_reserve() after the child process has ended. The next count
 * of the file sizes measures the bytes that the child wrote. */
void opd_disk_end_reserve(struct opd_disk *disk);

#endif
