// SPDX-License-Identifier: GPL-2.0-or-later
/* disk.c -- the limit of the disk space of the session directory. */
#include "config.h"
#include "daemon/base/disk.h"

#include <errno.h>
#include <sys/stat.h>

#include "libdb/odb.h"
#include "libop/base/clock.h"
#include "libop/base/dir_bytes.h"
#include "libop/base/quota.h"

#define SLACK		(64u << 10)
/* Refused requests count again after this multiple of the time that the last count took. */
#define COUNT_COST	20
#define LEAST_WAIT_MS	20
#define COUNT_SHARE	64

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

/* Count the bytes of all files again. The sum is unchanged on failure. */
static int count(struct opd_disk *disk)
{
	struct op_dir_sum sum = disk->watched;
	uint64_t written;
	int err = op_dir_sum_add(&sum, disk->dir_fd);

	if (!err) {
		disk->counted = sum.bytes;
		disk->granted = 0;
		disk->stored = sum.watched_bytes;
		written = disk->stored > disk->stored_before ? disk->stored - disk->stored_before
							     : 0;
		disk->written = written < disk->held ? written : disk->held;
	}
	op_dir_sum_release(&sum);
	return err;
}

int opd_disk_count(struct opd_disk *disk)
{
	uint64_t began = op_now_ms(), took;
	int err;

	if (!disk->max)
		return 0;
	err = count(disk);
	took = op_now_ms() - began;
	disk->count_ms = began + took + took * COUNT_COST + LEAST_WAIT_MS;
	return err;
}

/* Return whether @bytes fit, if necessary after a deletion. */
static bool can_have(struct opd_disk *disk, uint64_t bytes, uint64_t kept_free)
{
	if (fits(disk, bytes, kept_free))
		return true;
	disk->is_refused = true;
	/* More is granted than used, so a count finds room if much was granted since the last. */
	if (disk->granted < disk->max / COUNT_SHARE && op_now_ms() < disk->count_ms)
		return false;
	opd_disk_count(disk);
	if (!fits(disk, bytes, kept_free) && disk->make_room) {
		disk->make_room(disk->arg, bytes + kept_free);
		opd_disk_count(disk);
	}
	return fits(disk, bytes, kept_free);
}

static int ask(void *arg, enum op_quota_use use, uint64_t bytes)
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

static int ask_for_samples(uint64_t bytes)
{
	return op_quota_ask(OP_QUOTA_SAMPLES, bytes);
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
	op_quota_set(ask, disk);
	odb_limit_growth(ask_for_samples);
	return 0;
}

void opd_disk_watch(struct opd_disk *disk, int dirfd)
{
	struct stat st;

	for (size_t i = 0; i < OP_DIR_WATCHED && !fstat(dirfd, &st); i++) {
		if (disk->watched.watched[i].ino)
			continue;
		disk->watched.watched[i].dev = st.st_dev;
		disk->watched.watched[i].ino = st.st_ino;
		return;
	}
}

void opd_disk_release(struct opd_disk *disk)
{
	if (!disk->max)
		return;
	op_quota_set(NULL, NULL);
	odb_limit_growth(NULL);
	disk->max = 0;
}

int opd_disk_hold(struct opd_disk *disk, uint64_t bytes)
{
	if (!fits(disk, bytes, 0))
		return -ENOSPC;
	disk->stored_before = disk->stored;
	disk->held = bytes;
	return 0;
}

void opd_disk_end_hold(struct opd_disk *disk)
{
	/* Until a count succeeds, the child may have written all that it was allowed to write. */
	disk->granted += disk->held - disk->written;
	disk->held = disk->written = 0;
	opd_disk_count(disk);
}
