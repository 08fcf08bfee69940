// SPDX-License-Identifier: GPL-2.0-or-later
/* disk.c -- enforcement of the session directory's size limit (--max-disk). */
#include "config.h"
#include "daemon/base/disk.h"

#include <errno.h>
#include <sys/stat.h>

#include "libdb/odb.h"
#include "libop/base/clock.h"
#include "libop/base/dir_bytes.h"
#include "libop/base/quota.h"

#define SLACK		(64u << 10)
/* After a count of the sizes of all files that took T ms, refused requests for disk space do not
 * start another count for COUNT_COST * T ms. */
#define COUNT_COST	20
#define LEAST_WAIT_MS	20
#define COUNT_SHARE	64
/* duration of one step of counting the files' sizes, in ns */
#define STEP_NS		1000000
/* maximum number of restarts of an interrupted count of the files' sizes; the next attempt counts
 * all files in one step */
#define MAX_RESTARTS	1

static uint64_t used(const struct opd_disk *disk)
{
	return disk->counted + disk->granted + disk->held - disk->written;
}

static bool fits(const struct opd_disk *disk, uint64_t bytes, uint64_t kept_free)
{
	uint64_t max = disk->max > SLACK + kept_free ? disk->max - SLACK - kept_free : 0;

	return used(disk) <= max && bytes <= max - used(disk);
}

uint64_t opd_disk_left(const struct opd_disk *disk)
{
	uint64_t max = disk->max > SLACK ? disk->max - SLACK : 0;

	return used(disk) < max ? max - used(disk) : 0;
}

/* Store the result of a complete count of the file sizes. Bytes that were granted during the count
 * remain in .granted, because the count may have measured a file before it grew. */
static void set_counted(struct opd_disk *disk)
{
	const struct op_dir_sum *sum = &disk->sum;
	uint64_t written;

	disk->counted = sum->bytes;
	disk->granted -= disk->granted_before;
	disk->part = sum->part_bytes;
	disk->stored = sum->watched_bytes;
	written = disk->stored > disk->stored_before ? disk->stored - disk->stored_before : 0;
	disk->written = written < disk->held ? written : disk->held;
	disk->is_current = true;
}

static void end_walk(struct opd_disk *disk)
{
	if (!disk->walk)
		return;
	op_dir_walk_end(disk->walk);
	op_dir_sum_release(&disk->sum);
	disk->walk = NULL;
}

/*
 * Start a count of the file sizes, or continue the current count, but no longer than until @end
 * (CLOCK_MONOTONIC, ns). Return 1 if the count is incomplete, 0 if it is complete, or a negative
 * errno; after an error the result of the last complete count remains.
 */
static int continue_count(struct opd_disk *disk, uint64_t end)
{
	const uint64_t began = op_clock_ns(CLOCK_MONOTONIC);
	uint64_t now;
	int err = 0;

	if (!disk->walk) {
		disk->sum = disk->wanted;
		disk->granted_before = disk->granted;
		disk->spent_ns = 0;
		err = op_dir_walk_begin(&disk->walk, &disk->sum, disk->dir_fd);
		if (err) {
			op_dir_sum_release(&disk->sum);
			return err;
		}
	}
	do {
		err = op_dir_walk_step(disk->walk);
		now = op_clock_ns(CLOCK_MONOTONIC);
	} while (err > 0 && now < end);
	disk->spent_ns += now - began;
	if (err > 0)
		return 1;
	if (!err)
		set_counted(disk);
	disk->took_ms = disk->spent_ns / 1000000;
	disk->count_ms = op_now_ms() + disk->took_ms * COUNT_COST + LEAST_WAIT_MS;
	disk->nr_restarts = 0;
	end_walk(disk);
	return err;
}

int opd_disk_count(struct opd_disk *disk)
{
	if (!disk->max)
		return 0;
	/* Abandon an unfinished count of the file sizes: to complete it may take as long as a new
	 * count, whose result is more exact. */
	end_walk(disk);
	return continue_count(disk, UINT64_MAX);
}

void opd_disk_want_count(struct opd_disk *disk)
{
	disk->is_wanted = disk->max != 0;
}

void opd_disk_step(struct opd_disk *disk)
{
	const bool at_once = disk->counts_at_once || disk->nr_restarts >= MAX_RESTARTS;
	int err;

	if (!disk->is_wanted)
		return;
	err = continue_count(disk, at_once ? UINT64_MAX : op_clock_ns(CLOCK_MONOTONIC) + STEP_NS);
	if (err > 0)
		return;
	disk->is_wanted = false;
	disk->error = err;
}

int opd_disk_use_count(struct opd_disk *disk)
{
	int err = disk->error;

	if (!disk->max)
		return 0;
	disk->error = 0;
	if (disk->is_current) {
		disk->is_current = false;
		return 0;
	}
	if (!err)
		disk->is_wanted = true;
	return err ? err : -EAGAIN;
}

void opd_disk_changed(struct opd_disk *disk)
{
	disk->is_current = false;
	disk->nr_restarts += disk->walk != NULL;
	end_walk(disk);
}

/* Return true if the session directory can grow by @bytes and still be @kept_free bytes below its
 * limit. If necessary, count the file sizes again or delete old data. */
static bool can_have(struct opd_disk *disk, uint64_t bytes, uint64_t kept_free)
{
	if (fits(disk, bytes, kept_free))
		return true;
	disk->is_refused = true;
	/* Do not count the file sizes if few bytes were granted since the last count: a new count
	 * can only reveal granted bytes that were not used. */
	if (disk->granted < disk->max / COUNT_SHARE && op_now_ms() < disk->count_ms)
		return false;
	opd_disk_count(disk);
	if (!fits(disk, bytes, kept_free) && disk->make_room) {
		disk->make_room(disk->arg, bytes + kept_free);
		opd_disk_count(disk);
	}
	return fits(disk, bytes, kept_free);
}

static int check_quota(void *arg, enum op_quota_use use, uint64_t bytes)
{
	struct opd_disk *disk = arg;
	uint64_t kept_free = 0;

	if (!disk->is_working)
		kept_free = disk->max / OPD_DISK_WORK;
	if (!disk->is_working && use == OP_QUOTA_SAMPLES)
		kept_free += disk->max / OPD_DISK_OTHERS;
	if (!disk->is_deleting && !can_have(disk, bytes, kept_free))
		return -ENOSPC;
	disk->granted += bytes;
	return 0;
}

static int check_samples_quota(uint64_t bytes)
{
	return op_quota_request(OP_QUOTA_SAMPLES, bytes);
}

int opd_disk_init(struct opd_disk *disk, int dir_fd, uint64_t max,
		   void (*make_room)(void *arg, uint64_t bytes), void *arg)
{
	int err;

	*disk = (struct opd_disk){
		.dir_fd = dir_fd, .max = max, .make_room = make_room, .arg = arg,
	};
	if (!max)
		return 0;
	err = opd_disk_count(disk);
	if (err) {
		disk->max = 0;
		return err;
	}
	op_quota_set(check_quota, disk);
	odb_limit_growth(check_samples_quota);
	return 0;
}

void opd_disk_watch(struct opd_disk *disk, int dirfd)
{
	struct stat st;

	for (size_t i = 0; i < OP_DIR_WATCHED && !fstat(dirfd, &st); i++) {
		if (disk->wanted.watched[i].ino)
			continue;
		disk->wanted.watched[i] = (struct op_dir_id){ st.st_dev, st.st_ino };
		return;
	}
}

void opd_disk_set_part(struct opd_disk *disk, int dirfd)
{
	struct stat st;

	if (!fstat(dirfd, &st))
		disk->wanted.part = (struct op_dir_id){ st.st_dev, st.st_ino };
	disk->part = 0;
}

void opd_disk_release(struct opd_disk *disk)
{
	if (!disk->max)
		return;
	op_quota_set(NULL, NULL);
	odb_limit_growth(NULL);
	end_walk(disk);
	disk->is_wanted = false;
	disk->max = 0;
}

int opd_disk_reserve(struct opd_disk *disk, uint64_t bytes)
{
	if (!fits(disk, bytes, 0))
		return -ENOSPC;
	opd_disk_changed(disk);
	disk->stored_before = disk->stored;
	disk->held = bytes;
	return 0;
}

void opd_disk_end_reserve(struct opd_disk *disk)
{
	/* Until the next count of the file sizes, assume that the child process has used all bytes
	 * that were reserved for it. */
	opd_disk_changed(disk);
	disk->granted += disk->held - disk->written;
	disk->held = disk->written = 0;
}
