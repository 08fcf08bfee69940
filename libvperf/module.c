// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * module.c -- the backend over vperfctr.ko.
 *
 * Reads in user mode need the kernel's virtual TSC, so the TSC must continue while the counters are
 * stopped. This file subtracts the time during which the counters were stopped from its value. To
 * stop counting, this file removes the slots from the kernel's settings, but preserves the slots'
 * sums.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libvperf/private.h"
#include "libvperf/vperfctr.h"

#define ALL_SLOTS	((1u << VPERF_MAX) - 1)

struct module {
	int fd;
	size_t page_size;
	/* mapped page with the counts; NULL: the counters belong to another thread */
	const volatile struct vperfctr_state *page;
	/* settings that the next start passes to the kernel */
	struct vperfctr_control control;
	/* the counters were started before, so the next start must preserve their sums */
	bool counted;
	/* value of the kernel's virtual TSC at which the TSC of this handle is 0 */
	uint64_t base;
	uint64_t stopped_at;	/* while counting is stopped: TSC of this handle at the stop */
};

static int control(const struct module *m, const struct vperfctr_control *c)
{
	return ioctl(m->fd, VPERFCTR_IOC_CONTROL, c) ? -errno : 0;
}

/* Stop counting: remove all slots from the kernel's settings. Set all sums to zero. */
static int clear(struct module *m)
{
	struct vperfctr_control nothing = { .size = sizeof(nothing), .flags = m->control.flags };

	m->counted = false;
	m->base = m->stopped_at = 0;
	return control(m, &nothing);
}

/* ---- Opening and closing ---- */

static int open_object(pid_t tid, bool creat)
{
	struct vperfctr_open open_arg = {
		.size = sizeof(open_arg), .version = VPERFCTR_ABI_VERSION, .tid = tid,
		.flags = VPERFCTR_OPEN_CLOEXEC | (creat ? VPERFCTR_OPEN_CREAT : 0),
	};
	int device = open(VPERFCTR_DEVICE, O_RDONLY | O_CLOEXEC), fd;

	if (device < 0)
		return -errno;
	fd = ioctl(device, VPERFCTR_IOC_OPEN, &open_arg);
	if (fd < 0)
		fd = -errno;
	close(device);
	return fd;
}

/* Return whether another descriptor of this process refers to the counter object of @fd. If so, the
 * object belongs to another handle. */
static bool is_taken(int fd)
{
	DIR *fds = opendir("/proc/self/fd");
	struct stat own, other;
	struct dirent *entry;
	bool taken = false;

	if (!fds || fstat(fd, &own)) {
		if (fds)
			closedir(fds);
		return true;
	}
	while (!taken && (entry = readdir(fds))) {
		const int n = atoi(entry->d_name);

		if (*entry->d_name != '.' && n != fd && n != dirfd(fds) && !fstat(n, &other))
			taken = other.st_dev == own.st_dev && other.st_ino == own.st_ino;
	}
	closedir(fds);
	return taken;
}

/* Create a counter object. But if the thread has inherited an object from its creator, and no
 * handle uses that object, use it. */
static int open_or_adopt(struct vperf *v)
{
	int fd = open_object(v->tid, true);

	if (fd != -EEXIST)
		return fd;
	fd = open_object(v->tid, false);
	if (fd < 0 || !is_taken(fd))
		return fd;
	close(fd);
	return vperf_fail(v, -EEXIST,
			  "this thread already has a handle on counters of vperfctr.ko");
}

static int fail_open(struct vperf *v, int err)
{
	switch (-err) {
	case ENOENT:
		return vperf_fail(v, -ENODEV, "vperfctr.ko is not loaded (%s does not exist)",
				  VPERFCTR_DEVICE);
	case EPROTO:
		return vperf_fail(v, err,
				  "the loaded vperfctr.ko has another version than this library, "
				  "which knows version %d",
				  VPERFCTR_ABI_VERSION);
	case EACCES:
	case EPERM:
		return vperf_fail(v, err, "%s: %s", VPERFCTR_DEVICE, strerror(-err));
	case EAGAIN:
		return vperf_fail(v, err,
				  "the user's limit of threads with counters is reached (the "
				  "parameter max_objects of vperfctr.ko)");
	case ESRCH:
		return vperf_fail(v, err, "thread %d does not exist, or is not stopped under our ptrace",
				  v->tid);
	case EEXIST:
		return err;
	default:
		return vperf_fail(v, err, "vperfctr.ko: %s", strerror(-err));
	}
}

static void module_release(struct vperf *v, bool mapped)
{
	struct module *m = v->backend;

	if (!m)
		return;
	v->head.view->state = NULL;
	if (mapped && m->page)
		munmap((void *)(uintptr_t)m->page, m->page_size);
	if (m->fd >= 0)
		close(m->fd);
	free(m);
	v->backend = NULL;
}

static void module_close(struct vperf *v)
{
	const struct module *m = v->backend;

	if (m && m->fd >= 0)
		/* UNLINK fails if the object counts another thread that is running: then the object
		 * exists until that thread exits */
		ioctl(m->fd, VPERFCTR_IOC_UNLINK, 0);
	module_release(v, true);
}

static void module_forget(struct vperf *v)
{
	module_release(v, false);
}

static int map_page(struct module *m)
{
	void *page = mmap(NULL, m->page_size, PROT_READ, MAP_SHARED, m->fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	m->page = page;
	/* A child of fork does not use the page, so do not copy the mapping to it. */
	return madvise(page, m->page_size, MADV_DONTFORK) ? -errno : 0;
}

static int module_open(struct vperf *v)
{
	struct vperfctr_info info = { .size = sizeof(info) };
	struct module *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	v->backend = m;
	m->page_size = (size_t)sysconf(_SC_PAGESIZE);
	m->fd = vperf_place(v, open_or_adopt(v));
	if (m->fd < 0)
		return fail_open(v, m->fd);
	m->control.size = sizeof(m->control);
	/* If the caller counts itself, counting ends at exec. If it counts another thread, counting
	 * continues after an exec of that thread. */
	m->control.flags = v->flags & VPERF_ON_EXEC ? 0 : VPERFCTR_CLOEXEC;
	err = clear(m);
	if (!err && !v->tid)
		err = map_page(m);
	if (!err && sys_vperfctr_info(&info))
		err = -errno;
	if (err)
		return vperf_fail(v, err, "vperfctr.ko: %s", strerror(-err));
	v->tsc_khz = info.tsc_khz;
	snprintf(v->source, sizeof(v->source), "vperfctr.ko %.*s", (int)sizeof(info.driver_version),
		 info.driver_version);
	return 0;
}

/* ---- Settings ---- */

static int fail_refused(struct vperf *v, int err)
{
	switch (-err) {
	case EACCES:
		return vperf_fail(v, err,
				  "vperfctr.ko does not permit counting this event: without root, "
				  "count software events or the CPU's events in user code only "
				  "(:u), with kernel.perf_event_paranoid at most 2 (or: modprobe "
				  "vperfctr software=Y); only root may count context-switches and "
				  "cpu-migrations, which happen in the kernel");
	case EBUSY:
		return vperf_fail(v, err, "another program has reserved the CPU's counters");
	case ENOSPC:
		return vperf_fail(v, err, "this CPU does not have that many counters");
	case EOPNOTSUPP:
	case ENOENT:
		return vperf_fail(v, err,
				  "this kernel or CPU cannot count this event; task-clock and "
				  "page-faults can always be counted");
	case EINVAL:
		return vperf_fail(
			v, err,
			"vperfctr.ko does not accept these settings, or no CPU can count them");
	default:
		return vperf_fail(v, err, "vperfctr.ko: %s", strerror(-err));
	}
}

/* Return whether the slot's event happens only in the kernel: its count in user mode would always
 * be 0. */
static bool is_kernels(const struct vperfctr_pmc *p)
{
	return p->type == PERF_TYPE_SOFTWARE && (p->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						 p->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* If a slot counts both modes and users may not count kernel mode, let the slot count only user
 * mode. Return whether any slot was changed. */
static bool drop_kernel(struct vperfctr_control *c)
{
	bool dropped = false;

	for (unsigned int i = 0; i < c->nrctrs; i++)
		if (is_kernels(&c->pmc[i]))
			return false;
	for (unsigned int i = 0; i < c->nrctrs; i++) {
		if (c->pmc[i].flags & VPERFCTR_USER && c->pmc[i].flags & VPERFCTR_KERNEL) {
			c->pmc[i].flags &= ~(uint32_t)VPERFCTR_KERNEL;
			dropped = true;
		}
	}
	return dropped;
}

static int module_set(struct vperf *v, const struct vperfctr_pmc *pmc, unsigned int nr, int signo)
{
	struct module *m = v->backend;
	struct vperfctr_control c = {
		.size = sizeof(c),
		.flags = m->control.flags,
		.si_signo = (uint32_t)signo,
		.tsc_on = 1,
		.nrctrs = nr,
	};
	int err;

	memcpy(c.pmc, pmc, nr * sizeof(*pmc));
	/* The kernel checks only at the start of counting whether the CPU has enough counters, so
	 * start counting for a moment. */
	err = control(m, &c);
	if (err == -EACCES && drop_kernel(&c)) {
		err = control(m, &c);
		if (!err && !strstr(v->source, "user code"))
			strncat(v->source, "; user code only: users may not count in the kernel",
				sizeof(v->source) - strlen(v->source) - 1);
	}
	if (err)
		return fail_refused(v, err);
	m->control = c;
	return clear(m);
}

/* ---- Reading ---- */

static int module_read_counts(const struct module *m, uint32_t want, struct vperfctr_read *read)
{
	const struct timespec moment = { .tv_nsec = 100000 };
	int err = -ESRCH;

	/* After pthread_join(), the kernel may not yet have released the counters of the thread, so
	 * retry. */
	for (int i = 0; i < 100 && err == -ESRCH; i++) {
		if (i)
			nanosleep(&moment, NULL);
		read->size = sizeof(*read);
		read->want = want;
		err = ioctl(m->fd, VPERFCTR_IOC_READ, read) ? -errno : 0;
	}
	return err;
}

static void copy_sums(struct vperf_counts *counts, const struct vperf *v,
		      const struct vperfctr_sum_ctrs *sum)
{
	_Static_assert(sizeof(counts->slot[0]) == sizeof(sum->pmc[0]), "memcpy() copies them");
	/* If a slot got its counter later than the other slots, the sign bit of `late` becomes
	 * 1. */
	uint64_t late = 0;

	counts->nr = v->nr;
	counts->nr_children = sum->nr_children;
	counts->nr_missed = sum->nr_missed;
	/* the upper half of cstatus is a mask of slots (VPERFCTR_CSTATUS_ERROR) that had no counter
	 * for part of the time */
	counts->incomplete = (uint32_t)(sum->cstatus >> 32) & ((1u << v->nr) - 1);
	memcpy(counts->slot, sum->pmc, v->nr * sizeof(counts->slot[0]));
	for (unsigned int i = 0; i < v->nr; i++)
		late |= sum->pmc[i].running - sum->pmc[i].enabled;
	for (unsigned int i = 0; i < v->nr && late >> 63; i++)
		counts->incomplete |= (uint32_t)(sum->pmc[i].running < sum->pmc[i].enabled) << i;
}

static int module_read(struct vperf *v, struct vperf_counts *counts)
{
	const struct module *m = v->backend;
	struct vperfctr_read read;
	int err = module_read_counts(m, VPERFCTR_READ_SUM, &read);

	if (err)
		return err;
	copy_sums(counts, v, &read.sum);
	counts->nr_children = counts->nr_missed = 0;
	counts->tsc = v->started ? read.sum.tsc - m->base : m->stopped_at;
	return 0;
}

static int module_read_tsc(struct vperf *v, uint64_t *tsc)
{
	const struct module *m = v->backend;
	struct vperfctr_read read;
	int err;

	if (!v->started) {
		*tsc = m->stopped_at;
		return 0;
	}
	err = module_read_counts(m, VPERFCTR_READ_SUM, &read);
	if (!err)
		*tsc = read.sum.tsc - m->base;
	return err;
}

static int module_read_children(struct vperf *v, struct vperf_counts *counts)
{
	struct vperfctr_read read;
	int err = module_read_counts(v->backend, VPERFCTR_READ_CHILDREN, &read);

	if (err)
		return err;
	copy_sums(counts, v, &read.children);
	counts->tsc = read.children.tsc;
	return 0;
}

/* ---- Starting and stopping ---- */

static int module_start(struct vperf *v)
{
	struct module *m = v->backend;
	struct vperfctr_read read = { 0 };
	int err = m->counted ? module_read_counts(m, VPERFCTR_READ_SUM, &read) : 0;

	if (err)
		return err;
	m->control.tsc_on = 1;
	m->control.preserve = m->counted ? ALL_SLOTS : 0;
	/* Set all state before the system call, because an overflow handler may run before it
	 * returns. */
	m->base = read.sum.tsc - m->stopped_at;
	v->head.view->clock_base = m->base;
	v->started = true;
	err = control(m, &m->control);
	if (err) {
		v->started = false;
		return fail_refused(v, err);
	}
	m->counted = true;
	v->head.view->state = m->page;
	return 0;
}

static int module_stop(struct vperf *v)
{
	struct module *m = v->backend;
	struct vperfctr_control c = {
		.size = sizeof(c), .flags = m->control.flags, .tsc_on = 1, .preserve = ALL_SLOTS,
	};
	uint64_t now;
	int err = control(m, &c);

	if (!err)
		err = module_read_tsc(v, &now);
	if (err)
		return err;
	m->stopped_at = now;
	v->head.view->state = NULL;
	return 0;
}

static int module_reset(struct vperf *v)
{
	int err = clear(v->backend);

	v->head.view->state = NULL;
	return err || !v->started ? err : module_start(v);
}

/* ---- Overflows ---- */

static uint32_t module_overflow(struct vperf *v, const siginfo_t *info)
{
	/* The kernel stores si_pmc_ovf_mask in the place of si_pid. */
	if (info->si_code != VPERFCTR_SI_PMC_OVF || info->si_signo != v->signo)
		return 0;
	return (uint32_t)info->si_pid;
}

static int module_resume(struct vperf *v)
{
	const struct module *m = v->backend;
	const int saved = errno;
	int err = ioctl(m->fd, VPERFCTR_IOC_IRESUME, 0) ? -errno : 0;

	errno = saved;
	return err;
}

static int module_fd(const struct vperf *v)
{
	const struct module *m = v->backend;

	return m->fd;
}

const struct vperf_ops vperf_module_ops = {
	.name = "vperfctr.ko",
	.open = module_open,
	.close = module_close,
	.forget = module_forget,
	.set = module_set,
	.start = module_start,
	.stop = module_stop,
	.reset = module_reset,
	.read = module_read,
	.read_tsc = module_read_tsc,
	.read_children = module_read_children,
	.overflow = module_overflow,
	.resume = module_resume,
	.fd = module_fd,
};
