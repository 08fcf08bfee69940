/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vperf.h -- counters of a thread: virtual, switched with it as its registers are. vperf(3) is the manual.
 *
 *	struct vperf *v;
 *	struct vperf_counts c;
 *
 *	if (vperf_open(&v, 0) || vperf_add(v, "page-faults") < 0 || vperf_start(v))
 *		... vperf_error(v) ...
 *	vperf_read(v, &c);	c.slot[0].count page faults in c.tsc ticks
 *	vperf_close(v);
 *
 * Functions return 0 or a negative errno, and then vperf_error() says why in a sentence; but vperf_read(), _read_one(), _read_tsc(),
 * _overflow() and _resume(), which signal handlers call, leave that alone.
 *
 * A handle belongs to the thread that made it: it alone may call, and its signal handlers may read, while they
 * interrupt anything but open, add, start, stop, reset and close of the same handle. In a child that fork made, a handle counts
 * nothing: calls fail with -ECHILD, vperf_close() frees its memory there. exec closes its descriptors.
 */
#ifndef VPERF_H
#define VPERF_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "libvperf/read.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VPERF_MAX	VPERFCTR_MAX_PMCS

struct vperf;

/* flags of vperf_open() and vperf_attach() */
#define VPERF_MODULE	1u	/* by vperfctr.ko, or not at all */
#define VPERF_PERF	2u	/* by perf_events, or not at all */
#define VPERF_CHILDREN	4u	/* vperf_read_children() will be called */
#define VPERF_ON_EXEC	8u	/* counting begins at the thread's next exec; by the module at once, and goes on through that */
#define VPERF_HIGH	16u	/* descriptors are high ones, for who is a guest in a program that counts on its own */

struct vperf_count {
	uint64_t count;
	uint64_t enabled, running;	/* ns that it should have been counted, and was; equal if never left out */
};

struct vperf_counts {
	uint64_t tsc;			/* while the thread ran; vperf_tsc_khz() ticks a millisecond */
	uint64_t nr_children;		/* vperf_read_children(): threads in these sums; 0 also if nobody knows */
	uint64_t nr_missed;		/* and that are missing in them */
	uint32_t nr;			/* slots in use */
	uint32_t incomplete;		/* mask of slots that had no counter for a part of the time: counts are low */
	struct vperf_count slot[VPERF_MAX];
};

/*
 * *@ret is a handle also on failure, as long as there is memory: vperf_error() tells of it, vperf_close() frees it.
 * vperf_attach() counts another thread, of our user: with the module one that we have stopped by ptrace.
 */
int vperf_open(struct vperf **ret, unsigned int flags);
int vperf_attach(struct vperf **ret, pid_t tid, unsigned int flags);
void vperf_close(struct vperf *v);	/* or NULL */

/*
 * The slot's number, from 0 on in their order, or negative. @event: perf's generic names or rNNNN (hexadecimal; the
 * CPU's own code), with :u, :k or :uk behind it. While stopped; all counts begin at zero again.
 */
int vperf_add(struct vperf *v, const char *event);
int vperf_add_pmc(struct vperf *v, const struct vperfctr_pmc *pmc);

/* Counts go on where they were stopped; vperf_reset() makes them zero, started or not. */
int vperf_start(struct vperf *v);
int vperf_stop(struct vperf *v);
int vperf_reset(struct vperf *v);

/* Through the kernel where the pages do not tell; vperf_read() and its like, below, are what programs call. */
int vperf_read_by_call(struct vperf *v, struct vperf_counts *counts);
int vperf_read_one_by_call(struct vperf *v, unsigned int slot, uint64_t *count);
int vperf_read_tsc_by_call(struct vperf *v, uint64_t *tsc);

/* What threads and processes have counted that this thread has started since vperf_start(). */
int vperf_read_children(struct vperf *v, struct vperf_counts *counts);

/*
 * Each @period events of @slot, counters stop but for the TSC, and the thread gets signal @signo. Its handler asks
 * vperf_overflow() for the slots, a mask, and calls vperf_resume() for counting to go on. @period 0: no more. One
 * signal serves all slots of a handle; several slots need a real-time signal. While stopped; counts begin at zero.
 */
int vperf_on_overflow(struct vperf *v, unsigned int slot, uint64_t period, int signo);
uint32_t vperf_overflow(struct vperf *v, const siginfo_t *info);
int vperf_resume(struct vperf *v);

uint64_t vperf_tsc_khz(const struct vperf *v);
int vperf_fd(const struct vperf *v);		/* of the module's object, of perf's clock; negative: none */
const char *vperf_source(const struct vperf *v);	/* who counts, and why not somebody else */
const char *vperf_error(const struct vperf *v);	/* of the last call that failed; of NULL: out of memory */

/* What reads need, first in a handle. In a page of its own that fork wipes; so a child's copy knows of no page. */
struct vperf_view {
	const volatile struct vperfctr_state *state;		/* the module's page, while counting; or NULL */
	const volatile struct perf_event_mmap_page *clock;	/* perf's, likewise, if it tells the time */
	const volatile struct perf_event_mmap_page *pages[VPERF_MAX];	/* of slots that user mode may be able to read */
	uint64_t clock_base;					/* of either clock: the counts' time begins there */
	uint32_t nr;
	uint32_t alive;						/* 0: wiped */
};

struct vperf_head {
	struct vperf_view *view;
};

static inline const struct vperf_view *vperf_view_of(const struct vperf *v)
{
	return ((const struct vperf_head *)(const void *)v)->view;
}

/* The thread's virtual time. */
static inline int vperf_read_tsc(struct vperf *v, uint64_t *tsc)
{
	const struct vperf_view *view = vperf_view_of(v);
	uint64_t value;

	if (view->state) {
		*tsc = vperf_state_tsc(view->state) - view->clock_base;
		return 0;
	}
	if (view->clock && vperf_perf_time(view->clock, &value)) {
		*tsc = value - view->clock_base;
		return 0;
	}
	return vperf_read_tsc_by_call(v, tsc);
}

static inline int vperf_read_one(struct vperf *v, unsigned int slot, uint64_t *count)
{
	const struct vperf_view *view = vperf_view_of(v);
	uint64_t value;

	if (slot < view->nr) {
		if (view->state && vperf_state_pmc(view->state, slot, count))
			return 0;
		if (view->pages[slot] && vperf_perf_count(view->pages[slot], &value)) {
			*count = value;
			return 0;
		}
	}
	return vperf_read_one_by_call(v, slot, count);
}

/* All of one moment. */
static inline int vperf_read(struct vperf *v, struct vperf_counts *counts)
{
	const struct vperf_view *view = vperf_view_of(v);
	uint64_t values[VPERF_MAX];

	if (!view->state || !vperf_state_all(view->state, view->nr, &counts->tsc, values))
		return vperf_read_by_call(v, counts);
	counts->tsc -= view->clock_base;
	counts->nr_children = counts->nr_missed = 0;
	counts->nr = view->nr;
	counts->incomplete = 0;
	for (uint32_t i = 0; i < view->nr; i++) {
		counts->slot[i].count = values[i];
		counts->slot[i].enabled = counts->slot[i].running = 0;
	}
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
