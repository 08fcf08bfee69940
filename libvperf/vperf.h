/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vperf.h -- virtual counters of a thread, which the kernel switches with the thread, as it does
 * with registers. See vperf(3).
 *
 * 	struct vperf *v;
 * 	struct vperf_counts c;
 *
 * 	if (vperf_open(&v, 0) || vperf_add(v, "page-faults") < 0 || vperf_start(v))
 * 		... vperf_error(v) ...
 * 	vperf_read(v, &c);	c.slot[0].count page faults in c.tsc ticks
 * 	vperf_close(v);
 *
 * Functions return 0; or a negative errno, with a message in vperf_error(). vperf_read(),
 * _read_one(), _read_tsc(), _overflow() and _resume() do not set a message, because signal handlers
 * may call them.
 *
 * Only the thread that created a handle may use it. Its signal handlers may read it, unless they
 * interrupt open, add, start, stop, reset or close of the same handle. In a child of fork a handle
 * does not count: calls fail with -ECHILD, and vperf_close() frees its memory. exec closes its
 * descriptors.
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
#define VPERF_MODULE	1u	/* use only vperfctr.ko */
#define VPERF_PERF	2u	/* use only perf_events */
#define VPERF_CHILDREN	4u	/* flag: allow calls of vperf_read_children() */
/* Start counting at the thread's next exec. Exception: with vperfctr.ko, counting starts at once
 * and continues across exec. */
#define VPERF_ON_EXEC	8u
/* flag: use high descriptor numbers, for libraries inside other programs */
#define VPERF_HIGH	16u

struct vperf_count {
	uint64_t count;
	/* time in ns during which the slot was enabled, and time in ns during which it had a
	 * counter; equal unless the slot is multiplexed */
	uint64_t enabled, running;
};

struct vperf_counts {
	/* TSC ticks while the thread ran; there are vperf_tsc_khz() ticks in a millisecond */
	uint64_t tsc;
	/* set only by vperf_read_children(): number of threads whose counts are included; 0:
	 * unknown */
	uint64_t nr_children;
	/* set only by vperf_read_children(): number of threads whose counts are missing */
	uint64_t nr_missed;
	uint32_t nr;			/* number of slots that are in use */
	/* mask of slots that had no counter for part of the time, so that their counts are too
	 * low */
	uint32_t incomplete;
	struct vperf_count slot[VPERF_MAX];
};

/*
 * Open a handle. Even on failure *@ret is a handle, for vperf_error(), which must be freed with
 * vperf_close(); *@ret is NULL only if memory is short. vperf_attach() counts another thread of the
 * same user; with vperfctr.ko, that thread must be stopped by the caller's ptrace.
 */
int vperf_open(struct vperf **ret, unsigned int flags);
int vperf_attach(struct vperf **ret, pid_t tid, unsigned int flags);
void vperf_close(struct vperf *v);	/* Close and free @v, which may be NULL. */

/*
 * Add a slot. Return its number, from 0 on, or a negative errno. @event is one of perf's generic
 * names or rNNNN (this CPU's event code in hexadecimal), optionally followed by :u, :k or :uk. The
 * counters must be stopped; all counts are set to zero.
 */
int vperf_add(struct vperf *v, const char *event);
int vperf_add_pmc(struct vperf *v, const struct vperfctr_pmc *pmc);

/* vperf_start() starts counting; after a stop it continues the counts. vperf_stop() stops counting.
 * vperf_reset() sets the counts to zero, also while counting. */
int vperf_start(struct vperf *v);
int vperf_stop(struct vperf *v);
int vperf_reset(struct vperf *v);

/* Read the counts by a system call. Programs should call vperf_read(), vperf_read_one() or
 * vperf_read_tsc() instead: these use the functions below only if the mapped pages do not contain
 * the counts. */
int vperf_read_by_call(struct vperf *v, struct vperf_counts *counts);
int vperf_read_one_by_call(struct vperf *v, unsigned int slot, uint64_t *count);
int vperf_read_tsc_by_call(struct vperf *v, uint64_t *tsc);

/* Read the sums of the counts of all threads and processes that this thread has created since
 * vperf_start(). */
int vperf_read_children(struct vperf *v, struct vperf_counts *counts);

/*
 * Send @signo to the thread after each @period events of @slot, and stop all counters except the
 * TSC. The handler calls vperf_overflow(), which returns the mask of the slots that overflowed, and
 * vperf_resume() to continue. @period 0: send no more signals. All slots of a handle use the same
 * signal; with several slots it must be a real-time signal. The counters must be stopped; counts
 * are set to zero.
 */
int vperf_on_overflow(struct vperf *v, unsigned int slot, uint64_t period, int signo);
uint32_t vperf_overflow(struct vperf *v, const siginfo_t *info);
int vperf_resume(struct vperf *v);

uint64_t vperf_tsc_khz(const struct vperf *v);
/* Return the descriptor of vperfctr.ko's counter object, or of perf's clock event; negative: not
 * open. */
int vperf_fd(const struct vperf *v);
/* Return the name of the backend, with the reason why the other backend is not used. */
const char *vperf_source(const struct vperf *v);
/* Return the message of the last failed call. For @v NULL, return "out of memory". */
const char *vperf_error(const struct vperf *v);

/* The members of a handle that reads need. They are in a page of their own, which the kernel wipes
 * in a child of fork. */
struct vperf_view {
	/* page of vperfctr.ko while counting; otherwise NULL */
	const volatile struct vperfctr_state *state;
	/* page of perf's clock event while counting, if it contains the time; otherwise NULL */
	const volatile struct perf_event_mmap_page *clock;
	/* pages of the slots that can be read in user mode */
	const volatile struct perf_event_mmap_page *pages[VPERF_MAX];
	/* value of the clock when the counts were last reset */
	uint64_t clock_base;
	uint32_t nr;
	/* 0: the memory was wiped, because this process is a child of fork */
	uint32_t alive;
};

struct vperf_head {
	struct vperf_view *view;
};

static inline const struct vperf_view *vperf_view_of(const struct vperf *v)
{
	return ((const struct vperf_head *)(const void *)v)->view;
}

/* Read the thread's virtual time in TSC ticks. */
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

/* Read the counts of all slots and the TSC, without a context switch in between. */
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
