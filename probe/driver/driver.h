/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- drivers, which take samples of threads.
 *
 * One table for each driver. A sample has a weight: the number of periods since the thread's last
 * sample. The perf driver has a signal for each period. The others have a signal only when the
 * kernel checks the clock, and charge the thread's CPU time since the last signal: the sums are
 * right at any rate that the kernel reaches. The driver for wall-clock time counts the periods that
 * have passed, whether the thread computes or waits.
 *
 * Drivers have no function to defer a thread's samples while its trees change: state.h has one, for
 * all drivers.
 */
#ifndef PROBE_DRIVER_DRIVER_H
#define PROBE_DRIVER_DRIVER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/probe_words.h"

#define DRIVER_EVENTS	8

struct driver;

struct driver_set;
struct vperf_sampler;

/* One event that is sampled by a signal. */
struct driver_run {
	const struct driver *driver;
	const struct driver_set *set;	/* the set with this event */
	int signal;
	uint64_t period;		/* nanoseconds for TIMER */
	uint32_t metric;		/* the metric of the samples */
	struct raw_probe_perf perf;	/* the event of perf_events */
	const char *event;		/* the event of libvperf */
};

/* All sampled events of the process, which share one signal. */
struct driver_set {
	struct driver_run runs[DRIVER_EVENTS];
	uint32_t nr;
};

/* A driver's data for one thread. */
struct driver_thread {
	uint32_t tid;
	const struct driver_run *run;
	/* Of perf. */
	int fd;				/* -1: not open */
	uint64_t id;			/* identifies @fd as ours */
	void *page;			/* mapping of @fd; NULL: not mapped */
	int is_off;			/* atomic: suspended, by any thread */
	int is_spent;			/* atomic: the counter stopped by itself while suspended */
	/* For vperf: the first event's entry has the sampler of all events. */
	struct vperf_sampler *sampler;
	bool is_told;			/* signalled by an overflow that is not handled yet */
	bool has_overflowed;		/* whether the overflow was this event's */
	/* Of the others. */
	int timer;			/* -1: not created */
	uint64_t charged_ns;		/* CPU time of the thread already charged to samples */
};

/* The data of each event, in the set's order. */
struct driver_threads {
	uint32_t tid;
	struct driver_thread of[DRIVER_EVENTS];
};

/* All functions return 0 or a negative errno. Functions that a driver does not need are NULL. */
struct driver {
	const char *name;
	int signal;			/* 0: use a free real-time signal */
	/* calls malloc() when a thread begins, so threads cannot begin in a handler */
	bool allocates;
	/* Prepare the process, or a child of fork(), for samples. */
	int (*init)(const struct driver_run *run);
	void (*fini)(void);
	/* Begin and end sampling of the calling thread, @thread. */
	int (*thread_init)(const struct driver_run *run, struct driver_thread *thread);
	void (*thread_fini)(struct driver_thread *thread);
	/* In a child of fork(): close the descriptors inherited from the parent's thread, which is
	 * still sampled there. */
	void (*forget)(struct driver_thread *thread);
	/* Suspend the samples of any thread, and resume them. */
	void (*suspend)(struct driver_thread *thread);
	void (*resume)(struct driver_thread *thread);
	/* In the handler: return whether the signal is of this thread's events. NULL: compare its
	 * descriptor with .fd. */
	bool (*knows)(struct driver_thread *thread, const siginfo_t *info);
	/* In the handler: return the weight of the thread's sample, or 0 if the signal is not a
	 * sample. Prepare for the next sample. */
	uint64_t (*take)(struct driver_thread *thread, const siginfo_t *info);
	/* In the handler: called after the sample was handled. */
	void (*taken)(struct driver_thread *thread);
};

extern const struct driver driver_perf, driver_cputime, driver_itimer, driver_monotonic,
	driver_wall;

/* The driver of libopprobe_vperf.so; NULL: not loaded. */
extern const struct driver opprobe_vperf_driver __attribute__((weak, visibility("default")));

/* By the word in $OPPROBE; no entry for RAW_PROBE_AUTO. */
extern const struct driver *const drivers[RAW_PROBE_NR_DRIVERS];

/* Return the driver of events that are counted by @by, other than TIMER; NULL: not in the
 * program. */
const struct driver *driver_by(enum raw_probe_by by);

/* Return the highest unused real-time signal, or 0. */
int driver_free_signal(void);

/* Return whether the signal is from a driver, and not from kill(), a descriptor of the program's or
 * another source. @threads is of this thread, or NULL. */
bool driver_is_ours(const struct driver_set *set, struct driver_threads *threads,
		    const siginfo_t *info);

/* Call the driver's function for all events of the set, or for the events from @first on. */
void driver_threads_init(struct driver_threads *threads, uint32_t tid);
int driver_set_init(const struct driver_set *set, uint32_t first);
void driver_set_fini(const struct driver_set *set, uint32_t first);
/* Begin the events that the calling thread does not have yet. On errors it has the same events
 * as before. */
int driver_threads_begin(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_end(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_forget(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_suspend(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_resume(const struct driver_set *set, struct driver_threads *threads);
/* Return the next event, from *@i on, that the signal is a sample of, or NULL. Advance *@i past it:
 * one signal may be a sample of several events. */
const struct driver_run *driver_threads_take(const struct driver_set *set,
					     struct driver_threads *threads, const siginfo_t *info,
					     uint32_t *i, uint64_t *weight);
/* Call the drivers' taken() after all samples of a signal were handled. */
void driver_threads_taken(const struct driver_set *set, struct driver_threads *threads);
/* Discard the pending signals of @mask of the calling thread. Return the weight of the samples
 * among them. */
uint64_t driver_threads_drop(const struct driver_set *set, struct driver_threads *threads,
			     uint64_t mask);
/* Return whether threads of this set cannot begin in a handler, because a driver allocates. */
bool driver_set_allocates(const struct driver_set *set);

/* The CPU time of the calling thread, or 0. */
uint64_t driver_cpu_time(void);
/* Return the whole periods of CPU time not charged to a sample yet, and charge them. */
uint64_t driver_charge(struct driver_thread *thread);

/* Skip the CPU time that @thread, which may be any thread, has used while its samples were
 * suspended: it is charged to no sample. */
void driver_charge_resumes(struct driver_thread *thread);

#endif
