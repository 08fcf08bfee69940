// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * vperf.c -- the public functions of handles: they choose the backend, check the order of calls,
 * and detect a child of fork.
 */
#include "config.h"
#include "libvperf/vperf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libvperf/private.h"

static bool is_wiped(const struct vperf *v)
{
	return !v->head.view->alive;
}

/* Return 0 if the handle @v can be used, otherwise a negative errno. */
static int check(struct vperf *v)
{
	if (!v->ops)
		return -EBADF;	/* .error already says why no backend works */
	if (is_wiped(v))
		return vperf_fail(
			v, -ECHILD,
			"these counters belong to the parent process: open new ones in this child");
	return 0;
}

/* Set an error message if the backend has set none. Return @err. */
static int explain(struct vperf *v, int err)
{
	if (err < 0 && !*v->error)
		vperf_fail(v, err, "%s", strerror(-err));
	return err;
}

static struct vperf *make(pid_t tid, unsigned int flags)
{
	struct vperf *v = calloc(1, sizeof(*v));
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page;

	if (!v)
		return NULL;
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED) {
		free(v);
		return NULL;
	}
	v->head.view = page;
	v->tid = tid;
	v->flags = flags;
	/* Kernels before 4.14 cannot wipe the page at fork: a child would then access pages that
	 * are not mapped. In this case .alive is 0, and vperf_attach() will fail. */
	v->head.view->alive = madvise(page, size, MADV_WIPEONFORK) == 0;
	return v;
}

static int open_backend(struct vperf *v, const struct vperf_ops *ops)
{
	int err;

	v->ops = ops;
	err = ops->open(v);
	if (err) {
		explain(v, err);
		ops->close(v);
		v->backend = NULL;
		v->ops = NULL;
	}
	return err;
}

int vperf_attach(struct vperf **ret, pid_t tid, unsigned int flags)
{
	struct vperf *v = make(tid, flags);
	int err;

	*ret = v;
	if (!v)
		return -ENOMEM;
	if (!v->head.view->alive)
		return vperf_fail(v, -EOPNOTSUPP,
				  "this kernel cannot keep a page from children (MADV_WIPEONFORK, "
				  "Linux 4.14)");
	if (flags & ~(VPERF_MODULE | VPERF_PERF | VPERF_CHILDREN | VPERF_ON_EXEC | VPERF_HIGH))
		return vperf_fail(v, -EINVAL, "0x%x has flags that this library does not know",
				  flags);
	if ((flags & VPERF_MODULE) && (flags & VPERF_PERF))
		return vperf_fail(v, -EINVAL, "VPERF_MODULE and VPERF_PERF exclude each other");
	if (flags & VPERF_PERF)
		return open_backend(v, &vperf_perf_ops);
	err = open_backend(v, &vperf_module_ops);
	if (!err || flags & VPERF_MODULE)
		return err;
	memcpy(v->not_module, v->error, sizeof(v->not_module));
	*v->error = '\0';
	return open_backend(v, &vperf_perf_ops);
}

int vperf_open(struct vperf **ret, unsigned int flags)
{
	return vperf_attach(ret, 0, flags);
}

void vperf_close(struct vperf *v)
{
	bool wiped;

	if (!v)
		return;
	/* Clear .alive first: an overflow handler may interrupt this function, and must not use the
	 * handle. */
	wiped = is_wiped(v);
	v->head.view->alive = 0;
	VPERF_BARRIER();
	if (v->ops && wiped)
		v->ops->forget(v);
	else if (v->ops)
		v->ops->close(v);
	munmap(v->head.view, (size_t)sysconf(_SC_PAGESIZE));
	free(v);
}

/* Replace all slots of the handle. On failure, change none. */
static int set(struct vperf *v, const struct vperfctr_pmc *pmc, unsigned int nr, int signo)
{
	int err;

	*v->error = '\0';
	err = explain(v, v->ops->set(v, pmc, nr, signo));
	if (err)
		return err;
	memcpy(v->pmc, pmc, nr * sizeof(*pmc));
	v->nr = v->head.view->nr = nr;
	v->signo = signo;
	return 0;
}

static int check_stopped(struct vperf *v)
{
	int err = check(v);

	return err || !v->started ? err :
				    vperf_fail(v, -EBUSY, "counters are running: stop them first");
}

int vperf_add_pmc(struct vperf *v, const struct vperfctr_pmc *pmc)
{
	struct vperfctr_pmc all[VPERF_MAX];
	int err = check_stopped(v);

	if (err)
		return err;
	if (v->nr == VPERF_MAX)
		return vperf_fail(v, -ENOSPC, "a thread has %d slots, and all are in use",
				  VPERF_MAX);
	if (!(pmc->flags & (VPERFCTR_USER | VPERFCTR_KERNEL)) ||
	    (pmc->flags & ~(uint32_t)(VPERFCTR_USER | VPERFCTR_KERNEL | VPERFCTR_SHARE)) ||
	    pmc->ireset)
		return vperf_fail(
			v, -EINVAL,
			"a slot must count in user mode, in the kernel, or in both; request its "
			"overflows with vperf_on_overflow()");
	memcpy(all, v->pmc, sizeof(all));
	all[v->nr] = *pmc;
	err = set(v, all, v->nr + 1, v->signo);
	return err ? err : (int)v->nr - 1;
}

int vperf_add(struct vperf *v, const char *event)
{
	struct vperfctr_pmc pmc;
	int err = check_stopped(v);

	if (!err)
		err = vperf_parse_event(v, &pmc, event);
	return err ? err : vperf_add_pmc(v, &pmc);
}

int vperf_on_overflow(struct vperf *v, unsigned int slot, uint64_t period, int signo)
{
	struct vperfctr_pmc all[VPERF_MAX];
	unsigned int nr = 0;
	int err = check_stopped(v);

	if (err)
		return err;
	if (slot >= v->nr)
		return vperf_fail(v, -EINVAL, "slot %u does not exist", slot);
	if (period && (signo < 1 || signo > SIGRTMAX || (signo > SIGSYS && signo < SIGRTMIN) ||
		       signo == SIGKILL || signo == SIGSTOP))
		return vperf_fail(v, -EINVAL, "signal %d cannot be handled", signo);
	memcpy(all, v->pmc, sizeof(all));
	all[slot].ireset = period;
	for (unsigned int i = 0; i < v->nr; i++)
		nr += all[i].ireset != 0;
	if (nr > 1 && period && signo < SIGRTMIN)
		return vperf_fail(
			v, -EINVAL,
			"signal %d is not queued: several slots need a signal from SIGRTMIN on",
			signo);
	if (nr > 1 && period && v->signo && v->signo != signo)
		return vperf_fail(v, -EINVAL,
				  "overflows already send signal %d: all slots use the same signal",
				  v->signo);
	return set(v, all, v->nr, !nr ? 0 : period ? signo : v->signo);
}

int vperf_start(struct vperf *v)
{
	int err = check(v);

	if (err || v->started)
		return err;
	*v->error = '\0';
	err = explain(v, v->ops->start(v));
	v->started = !err;
	return err;
}

int vperf_stop(struct vperf *v)
{
	int err = check(v);

	if (err || !v->started)
		return err;
	*v->error = '\0';
	err = explain(v, v->ops->stop(v));
	if (!err)
		v->started = false;
	return err;
}

int vperf_reset(struct vperf *v)
{
	int err = check(v);

	if (err)
		return err;
	*v->error = '\0';
	return explain(v, v->ops->reset(v));
}

/* Signal handlers may call the functions from here to vperf_resume(). So these functions format no
 * message, and change no state that an interrupted call uses. */

int vperf_read_by_call(struct vperf *v, struct vperf_counts *counts)
{
	return !v->ops ? -EBADF : is_wiped(v) ? -ECHILD : v->ops->read(v, counts);
}

int vperf_read_one_by_call(struct vperf *v, unsigned int slot, uint64_t *count)
{
	struct vperf_counts counts;
	int err = slot < v->nr ? vperf_read_by_call(v, &counts) : -EINVAL;

	if (!err)
		*count = counts.slot[slot].count;
	return err;
}

int vperf_read_tsc_by_call(struct vperf *v, uint64_t *tsc)
{
	return !v->ops ? -EBADF : is_wiped(v) ? -ECHILD : v->ops->read_tsc(v, tsc);
}

uint32_t vperf_overflow(struct vperf *v, const siginfo_t *info)
{
	return v->ops && !is_wiped(v) ? v->ops->overflow(v, info) : 0;
}

int vperf_resume(struct vperf *v)
{
	return !v->ops ? -EBADF : is_wiped(v) ? -ECHILD : v->ops->resume(v);
}

int vperf_read_children(struct vperf *v, struct vperf_counts *counts)
{
	int err = check(v);

	if (err)
		return err;
	*v->error = '\0';
	if (!(v->flags & VPERF_CHILDREN))
		return vperf_fail(v, -EINVAL,
				  "to count children, open the handle with VPERF_CHILDREN");
	return explain(v, v->ops->read_children(v, counts));
}

uint64_t vperf_tsc_khz(const struct vperf *v)
{
	return v->tsc_khz;
}

int vperf_fd(const struct vperf *v)
{
	return v->ops && !is_wiped(v) ? v->ops->fd(v) : -EBADF;
}

const char *vperf_source(const struct vperf *v)
{
	return v->source;
}

const char *vperf_error(const struct vperf *v)
{
	return v ? v->error : "out of memory";
}
