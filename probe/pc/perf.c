// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.c -- a perf_events clock that sends a signal to one thread at each period.
 */
#include "config.h"
#include "probe/pc/perf.h"

#include <linux/perf_event.h>
#include <poll.h>

#include "probe/linux/calls.h"

#define OWNER_TID	0	/* F_OWNER_TID of <fcntl.h> */

struct owner { int type, pid; };

static uint32_t id_of(int fd)
{
	uint64_t id = 0;

	if (arch_call(SYS_ioctl, fd, PERF_EVENT_IOC_ID, (long)&id, 0, 0, 0))
		return 0;
	return (uint32_t)id ?: 1;
}

static long begin(const struct pc_perf *perf, int tid, int fd)
{
	struct owner owner = { OWNER_TID, tid };
	long err = arch_call(SYS_fcntl, fd, F_SETSIG, perf->signal, 0, 0, 0);

	if (!err)
		err = arch_call(SYS_fcntl, fd, F_SETOWN_EX, (long)&owner, 0, 0, 0);
	if (!err)
		err = arch_call(SYS_fcntl, fd, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC, 0, 0, 0);
	if (!err)
		err = arch_call(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0, 0, 0, 0);
	return err;
}

int pc_perf_open(const struct pc_perf *perf, int tid, bool begins, uint32_t *id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = perf->period_ns,
		.disabled = 1,
		.exclude_kernel = perf->is_user,
		.exclude_hv = 1,
	};
	long fd = arch_call(SYS_perf_event_open, (long)&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0),
	     err = 0;

	if (fd < 0)
		return fd;
	fd = call_raise_fd(fd);
	*id = id_of(fd);
	if (!*id)
		err = -ENOTTY;
	if (!err && begins)
		err = begin(perf, tid, fd);
	if (!err)
		return fd;
	call_close(fd);
	return err;
}

bool pc_perf_is(int fd, uint32_t id)
{
	return id_of(fd) == id;
}

bool pc_perf_is_running(int fd)
{
	struct pollfd poll = { .fd = fd };
	const long now[2] = { 0, 0 };

	return arch_call(SYS_ppoll, (long)&poll, 1, (long)now, 0, 0, 0) <= 0 ||
	       !(poll.revents & POLLHUP);
}

void pc_perf_set_period(int fd, uint64_t ns)
{
	arch_call(SYS_ioctl, fd, PERF_EVENT_IOC_PERIOD, (long)&ns, 0, 0, 0);
}
