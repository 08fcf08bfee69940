// SPDX-License-Identifier: GPL-2.0-or-later
/* log.c -- a log file of sampled addresses: either all addresses, or a circular buffer with the
 * newest addresses. */
#include "config.h"
#include "probe/pc/log.h"

#include <errno.h>

#include "probe/linux/calls.h"

/* maximum number of attempts to lock the log; limited because the thread that holds the lock may
 * have been preempted */
#define TURNS	1000

int pc_log_create(struct pc_log *log, const char *path, uint32_t circle)
{
	log->circle = circle;
	log->nr = 0;
	log->lock = 0;
	return fd_create(&log->fd, path, O_WRONLY);
}

static int put(int fd, const uintptr_t *words, size_t nr, uint64_t at)
{
	long done = call_pwrite(fd, words, nr * sizeof(*words), at * sizeof(*words));

	return done < 0 ? done : (size_t)done == nr * sizeof(*words) ? 0 : -ENOSPC;
}

static int add(struct pc_log *log, uintptr_t at)
{
	const uintptr_t words[2] = { at, 0 };
	uint64_t place = log->circle ? log->nr % log->circle : log->nr;
	int fd = fd_get(&log->fd), err;

	if (fd < 0)
		return fd;
	if ((place + 2) * sizeof(at) > call_file_limit())
		return -EFBIG;
	if (!log->circle) {
		err = put(fd, words, 1, place);
	} else if (place + 1 < log->circle) {
		err = put(fd, words, 2, place);
	} else {
		err = put(fd, words + 1, 1, 0);
		if (!err)
			err = put(fd, words, 1, place);
	}
	if (!err)
		log->nr++;
	return err;
}

int pc_log_add(struct pc_log *log, uintptr_t at)
{
	int turns = 0, err;

	while (__atomic_exchange_n(&log->lock, 1, __ATOMIC_ACQUIRE)) {
		if (++turns == TURNS)
			return -EBUSY;
	}
	err = add(log, at);
	__atomic_store_n(&log->lock, 0, __ATOMIC_RELEASE);
	return err;
}
