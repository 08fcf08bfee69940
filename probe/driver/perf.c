// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.c -- the driver that samples by perf_events: a user-mode counter for each thread, which
 * sends a signal at each period.
 *
 * If too many signals are pending, the kernel sends SIGIO instead, which would kill the program. So
 * the counter stops after BATCH signals, and the handler of the last one restarts it: a thread that
 * blocks the signal never has more than BATCH signals pending. If the program closes the counter's
 * descriptor, the counter continues because one of its pages is mapped, and the handler of the last
 * signal opens a new counter.
 */
#include "config.h"
#include "probe/driver/driver.h"

#include <linux/perf_event.h>

#include "probe/linux/calls.h"

#define BATCH		64
#define PAGE		4096
#define OWNER_TID	0	/* F_OWNER_TID of <fcntl.h> */

struct owner { int type, pid; };

/* Return whether .fd still refers to the counter: a program may close all descriptors and reuse
 * their numbers. */
static bool is_ours(const struct driver_thread *thread)
{
	uint64_t id;

	return thread->fd >= 0 &&
	       !arch_call(SYS_ioctl, thread->fd, PERF_EVENT_IOC_ID, (long)&id, 0, 0, 0) &&
	       id == thread->id;
}

static void control(const struct driver_thread *thread, unsigned long request, long arg)
{
	if (is_ours(thread))
		arch_call(SYS_ioctl, thread->fd, request, arg, 0, 0, 0);
}

static long arm(const struct driver_run *run, struct driver_thread *thread)
{
	struct owner owner = { OWNER_TID, thread->tid };
	int fd = thread->fd;
	long err = arch_call(SYS_ioctl, fd, PERF_EVENT_IOC_ID, (long)&thread->id, 0, 0, 0);

	if (!err)
		err = arch_call(SYS_fcntl, fd, F_SETSIG, run->signal, 0, 0, 0);
	if (!err)
		err = arch_call(SYS_fcntl, fd, F_SETOWN_EX, (long)&owner, 0, 0, 0);
	if (!err)
		err = arch_call(SYS_fcntl, fd, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC, 0, 0, 0);
	if (!err)
		err = arch_call(SYS_ioctl, fd, PERF_EVENT_IOC_REFRESH, BATCH, 0, 0, 0);
	return err;
}

static int thread_init(const struct driver_run *run, struct driver_thread *thread)
{
	struct perf_event_attr attr = {
		.type = run->perf.type,
		.size = sizeof(attr),
		.config = run->perf.config,
		.config1 = run->perf.config1,
		.sample_period = run->period,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		/* KVM with a mediated PMU rejects events that also count in guests */
		.exclude_guest = 1,
	};
	long fd = arch_call(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0),
	     err, page;

	if (fd < 0)
		return fd;
	thread->run = run;
	thread->fd = call_raise_fd(fd);
	err = arm(run, thread);
	if (err) {
		call_close(thread->fd);
		thread->fd = -1;
		return err;
	}
	/* Map a page, so that the counter survives if the program closes its descriptor. Ignore a
	 * failure: the number of mapped pages per user is limited. */
	page = call_mmap(PAGE, PROT_READ, MAP_SHARED, thread->fd, 0);
	thread->page = call_failed(page) ? NULL : (void *)page;
	return 0;
}

static void forget(struct driver_thread *thread)
{
	if (is_ours(thread))
		call_close(thread->fd);
	thread->fd = -1;
	thread->page = NULL;
}

/* Close the counter. Signals of the counter may still arrive during the system calls here, and are
 * counted. */
static void thread_fini(struct driver_thread *thread)
{
	void *page = thread->page;

	control(thread, PERF_EVENT_IOC_DISABLE, 0);
	forget(thread);
	if (page)
		call_munmap(page, PAGE);
}

static void suspend(struct driver_thread *thread)
{
	__atomic_store_n(&thread->is_off, true, __ATOMIC_SEQ_CST);
	control(thread, PERF_EVENT_IOC_DISABLE, 0);
}

static void resume(struct driver_thread *thread)
{
	__atomic_store_n(&thread->is_off, false, __ATOMIC_SEQ_CST);
	if (__atomic_exchange_n(&thread->is_spent, false, __ATOMIC_SEQ_CST))
		control(thread, PERF_EVENT_IOC_REFRESH, BATCH);
	else
		control(thread, PERF_EVENT_IOC_ENABLE, 0);
}

/*
 * Restart a counter that has stopped after BATCH signals. If sampling is suspended, resume()
 * restarts the counter instead. The members .is_off and .is_spent ensure that one of the two
 * functions restarts it.
 */
static void restart_counter(struct driver_thread *thread)
{
	__atomic_store_n(&thread->is_spent, true, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&thread->is_off, __ATOMIC_SEQ_CST) ||
	    !__atomic_exchange_n(&thread->is_spent, false, __ATOMIC_SEQ_CST))
		return;
	control(thread, PERF_EVENT_IOC_REFRESH, BATCH);
	if (__atomic_load_n(&thread->is_off, __ATOMIC_SEQ_CST))
		control(thread, PERF_EVENT_IOC_DISABLE, 0);
}

static uint64_t take(struct driver_thread *thread, const siginfo_t *info)
{
	if ((info->si_code != POLL_IN && info->si_code != POLL_HUP) || info->si_fd != thread->fd)
		return 0;
	if (info->si_code == POLL_HUP) {
		if (is_ours(thread)) {
			restart_counter(thread);
		} else {
			thread_fini(thread);
			thread_init(thread->run, thread);
		}
	}
	return 1;
}

const struct driver driver_perf = {
	.name = "perf",
	.thread_init = thread_init,
	.thread_fini = thread_fini,
	.forget = forget,
	.suspend = suspend,
	.resume = resume,
	.take = take,
};
