/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vperf.h -- virtual counters of a thread, which are switched with the thread like its registers.
 * See vperf(3).
 *
 * 	struct vperf *v;
 * 	struct vperf_counts c;
 *
 * 	if (vperf_open(&v, 0) || vperf_add(v, "page-faults") < 0 || vperf_start(v))
 * 		... vperf_error(v) ...
 * 	vperf_read(v, &c);	c.slot[0].count page faults in c.tsc ticks
 * 	vperf_close(v);
 *
 * Functions return 0, or a negative errno and a message in vperf_error(). vperf_read(),
 * _read_one(), _read_tsc(), _overflow() and _resume() do not set a message, because signal handlers
 * call them.
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
#define VPERF_CHILDREN	4u	/* enable vperf_read_children() */
/* Begin to count at the thread's next exec. vperfctr.ko begins at once, and continues through
 * exec. */
#define VPERF_ON_EXEC	8u
/* use high descriptor numbers, for libraries inside other programs */
#define VPERF_HIGH	16u

struct vperf_count {
	uint64_t count;
	/* time in ns in which the slot was enabled, and in which it had a counter; equal unless
	 * multiplexed */
	uint64_t enabled, running;
};

struct vperf_counts {
	/* TSC ticks while the thread ran; there are vperf_tsc_khz() ticks in a millisecond */
	uint64_t tsc;
	/* set by vperf_read_children(): number of threads in the sums; 0 if unknown */
	uint64_t nr_children;
	/* set by vperf_read_children(): number of threads missing in the sums */
	uint64_t nr_missed;
	uint32_t nr;			/* number of slots that are in use */
	/* mask of slots without a counter for part of the time, so that their counts are too low */
	uint32_t incomplete;
	struct vperf_count slot[VPERF_MAX];
};

/*
 * Open a handle. *@ret is a handle even after a failure, unless memory is short: use it for
 * vperf_error(), and free it with vperf_close(). vperf_attach() counts another thread of the same
 * user; with the module, the caller must have stopped the thread by ptrace.
 */
int vperf_open(struct vperf **ret, unsigned int flags);
int vperf_attach(struct vperf **ret, pid_t tid, unsigned int flags);
void vperf_close(struct vperf *v);	/* @v may be NULL */

/*
 * Add a slot and return its number, counting from 0, or a negative errno. @event is one of perf's
 * generic names or rNNNN (the CPU's own code in hexadecimal), optionally followed by :u, :k or :uk.
 * The counters must be stopped; all counts start at zero again.
 */
int vperf_add(struct vperf *v, const char *event);
int vperf_add_pmc(struct vperf *v, const struct vperfctr_pmc *pmc);

/* vperf_start() after vperf_stop() continues the counts. vperf_reset() sets the counts to zero,
 * whether counting is started or stopped. */
int vperf_start(struct vperf *v);
int vperf_stop(struct vperf *v);
int vperf_reset(struct vperf *v);

/* Read by a system call, for reads that the mapped pages do not allow. Programs call vperf_read()
 * and the functions below instead. */
int vperf_read_by_call(struct vperf *v, struct vperf_counts *counts);
int vperf_read_one_by_call(struct vperf *v, unsigned int slot, uint64_t *count);
int vperf_read_tsc_by_call(struct vperf *v, uint64_t *tsc);

/* Read the counts of the threads and processes that this thread has started since vperf_start(). */
int vperf_read_children(struct vperf *v, struct vperf_counts *counts);

/*
 * Send @signo to the thread after each @period events of @slot. All counters except the TSC then
 * stop. The handler gets a mask of the slots from vperf_overflow() and calls vperf_resume() to
 * continue. @period 0 ends it. All slots of a handle use the same signal; several slots need a
 * real-time signal. The counters must be stopped; counts start at zero.
 */
int vperf_on_overflow(struct vperf *v, unsigned int slot, uint64_t period, int signo);
uint32_t vperf_overflow(struct vperf *v, const siginfo_t *info);
int vperf_resume(struct vperf *v);

uint64_t vperf_tsc_khz(const struct vperf *v);
/* Return the descriptor of the module's object or of perf's clock; negative: not open. */
int vperf_fd(const struct vperf *v);
/* Return the name of the backend, and the reason why the other backend is not used. */
const char *vperf_source(const struct vperf *v);
/* Return the message of the last failed call. For @v NULL, return "out of memory". */
const char *vperf_error(const struct vperf *v);

/* The part of a handle that reads need. It has a page of its own, which fork wipes in the child. */
struct vperf_view {
	/* the module's page while counting; otherwise NULL */
	const volatile struct vperfctr_state *state;
	/* perf's page while counting, if it contains the time; otherwise NULL */
	const volatile struct perf_event_mmap_page *clock;
	/* pages of the slots that can be read in user mode */
	const volatile struct perf_event_mmap_page *pages[VPERF_MAX];
	/* value of the clock at which the counts began */
	uint64_t clock_base;
	uint32_t nr;
	/* 0: the memory was wiped, as in a child of fork() */
	uint32_t alive;
};

struct vperf_head {
	struct vperf_view *view;
};

static inline const struct vperf_view *vperf_view_of(const struct vperf *v)
{
	return ((const struct vperf_head *)(const void *)v)->view;
}

/* Read the thread's virtual time. */
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

/* Read all counts at one moment. */
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
