/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- what makes samples of threads.
 *
 * One table for each way. A sample has a weight: the periods that have gone by since the thread's last one. The perf
 * driver has a signal for each period. The others have their signals when the kernel looks at the clock, and so charge
 * the thread's CPU time since the last signal: the sums are right, whatever the rate is that the kernel reaches. That of the
 * time of day counts the periods that have gone by, whether the thread computes or waits.
 *
 * There is no function to hold a thread's samples off while its trees are changed: state.h has one, for all drivers.
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

/* One event that a signal takes samples of. */
struct driver_run {
	const struct driver *driver;
	const struct driver_set *set;	/* that it is of */
	int signal;
	uint64_t period;		/* TIMER's in nanoseconds */
	uint32_t metric;		/* that counts the samples */
	struct raw_probe_perf perf;	/* what counts, of perf_events */
	const char *event;		/* of libvperf */
};

/* All of the process', with one signal. */
struct driver_set {
	struct driver_run runs[DRIVER_EVENTS];
	uint32_t nr;
};

/* What a driver keeps of a thread. */
struct driver_thread {
	uint32_t tid;
	const struct driver_run *run;
	/* Of perf. */
	int fd;				/* -1: none */
	uint64_t id;			/* by which @fd is known to be ours */
	void *page;			/* mapped of @fd; NULL: none */
	int is_off;			/* atomic: suspended, by any thread */
	int is_spent;			/* atomic: it has stopped by itself meanwhile */
	/* Of vperf: its first event's has the sampler of all. */
	struct vperf_sampler *sampler;
	bool is_told;			/* by an overflow that is not dealt with */
	bool has_overflowed;		/* and whether it is this event's */
	/* Of the others. */
	int timer;			/* -1: none */
	uint64_t charged_ns;		/* CPU time of the thread that samples have been charged with */
};

/* The same of each event, in the set's order. */
struct driver_threads {
	uint32_t tid;
	struct driver_thread of[DRIVER_EVENTS];
};

/* All return 0 or negative errno. Those without a need in a driver are NULL. */
struct driver {
	const char *name;
	int signal;			/* 0: a real-time signal that is free */
	bool allocates;			/* by malloc() when a thread begins, which is then not done in a handler */
	/* The process' samples may begin: in a child of fork() too. */
	int (*init)(const struct driver_run *run);
	void (*fini)(void);
	/* The calling thread, @thread, is sampled from now on, and no more. */
	int (*thread_init)(const struct driver_run *run, struct driver_thread *thread);
	void (*thread_fini)(struct driver_thread *thread);
	/* In a child of fork(): closes what it has got of its parent's thread, which goes on there. */
	void (*forget)(struct driver_thread *thread);
	/* Any thread's samples cease for a while. */
	void (*suspend)(struct driver_thread *thread);
	void (*resume)(struct driver_thread *thread);
	/* In the handler: whether the signal tells of this thread's events. NULL: one that tells of .fd does. */
	bool (*knows)(struct driver_thread *thread, const siginfo_t *info);
	/* In the handler: the weight of the thread's sample; 0: the signal is none. What has to be done so that there are
	 * more is done. */
	uint64_t (*take)(struct driver_thread *thread, const siginfo_t *info);
	/* In the handler, when the sample is dealt with. */
	void (*taken)(struct driver_thread *thread);
};

extern const struct driver driver_perf, driver_cputime, driver_itimer, driver_monotonic, driver_wall;

/* That of libopprobe_vperf.so; NULL: the program has not got it. */
extern const struct driver opprobe_vperf_driver __attribute__((weak, visibility("default")));

/* By the word of $OPPROBE; not for RAW_PROBE_AUTO. */
extern const struct driver *const drivers[RAW_PROBE_NR_DRIVERS];

/* The one of events that are counted so, but for TIMER's; NULL: there is none in the program. */
const struct driver *driver_by(enum raw_probe_by by);

/* A real-time signal that nobody uses, from the highest one down. 0: there is none. */
int driver_free_signal(void);

/* Whether the signal comes from a driver, and not from kill(), a descriptor of the program's and their like. @threads is of
 * this thread, or NULL. */
bool driver_is_ours(const struct driver_set *set, struct driver_threads *threads, const siginfo_t *info);

/* Call the driver's function for all events of the set, or for the events from @first on. */
void driver_threads_init(struct driver_threads *threads, uint32_t tid);
int driver_set_init(const struct driver_set *set, uint32_t first);
void driver_set_fini(const struct driver_set *set, uint32_t first);
/* Begin the events that the calling thread does not have yet. On errors it has the same events as before. */
int driver_threads_begin(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_end(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_forget(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_suspend(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_resume(const struct driver_set *set, struct driver_threads *threads);
/* The event from *@i on whose sample it is; NULL: none's. *@i is behind it: one signal may be several events'. */
const struct driver_run *driver_threads_take(const struct driver_set *set, struct driver_threads *threads,
					     const siginfo_t *info, uint32_t *i, uint64_t *weight);
/* All of them are dealt with. */
void driver_threads_taken(const struct driver_set *set, struct driver_threads *threads);
/* The calling thread's signals of @mask that have come and wait go; the weight of the samples that they were. */
uint64_t driver_threads_drop(const struct driver_set *set, struct driver_threads *threads, uint64_t mask);
/* Whether threads may begin in a handler. */
bool driver_set_allocates(const struct driver_set *set);

/* The CPU time of the calling thread, or 0. */
uint64_t driver_cpu_time(void);
/* The whole periods of it that no sample was charged with, which are from now on. */
uint64_t driver_charge(struct driver_thread *thread);

/* Charge no sample with the time that @thread, which may be any thread, has used while its samples were suspended. */
void driver_charge_resumes(struct driver_thread *thread);

#endif
