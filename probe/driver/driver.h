/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- drivers: sources of the signals with which threads are sampled.
 *
 * Each driver is a table of functions. A sample has a weight: the number of sampling periods since
 * the thread's last sample. The perf driver sends a signal for each period. The CPU time drivers
 * send a signal only when the kernel checks the clock; the weight is the CPU time since the last
 * signal, so the sums are correct even if the kernel sends fewer signals. The wall-clock driver
 * counts the elapsed periods, whether the thread runs or waits.
 *
 * Drivers need not block samples while a thread's trees change: state.c does that for all drivers.
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

/* An event that is sampled by signals. */
struct driver_run {
	const struct driver *driver;
	const struct driver_set *set;	/* the set that contains this event */
	int signal;
	/* sampling period in units of the event; for TIMER in nanoseconds */
	uint64_t period;
	uint32_t metric;		/* index of the metric that counts the event's samples */
	/* parameters of perf_event_open(); only for the driver perf */
	struct raw_probe_perf perf;
	/* name of the event in libvperf; only for the driver vperf */
	const char *event;
};

/* All sampled events of the process, which share one signal. */
struct driver_set {
	struct driver_run runs[DRIVER_EVENTS];
	uint32_t nr;
};

/* The data of one event's driver for one thread. */
struct driver_thread {
	uint32_t tid;
	const struct driver_run *run;
	/* Members for the driver perf. */
	int fd;				/* descriptor of the counter; -1: not open */
	/* perf's id of the event, to detect that the descriptor's number was reused */
	uint64_t id;
	void *page;			/* mapped page of the counter; NULL: not mapped */
	bool is_off;			/* sampling is suspended; any thread may change this
					 * member; atomic */
	/* the counter has stopped after its last signal; it was not restarted, because sampling was
	 * suspended; atomic */
	bool is_spent;
	/* Members for the driver vperf. One sampler, in the data of the first event, samples all
	 * events. */
	struct vperf_sampler *sampler;
	/* a signal of the sampler has arrived, and .taken() was not called since */
	bool is_told;
	bool has_overflowed;		/* the counter of this event has overflowed */
	/* Members for the other drivers. */
	int timer;			/* id of the timer; -1: not created */
	/* CPU time of the thread, in ns, for which samples have been counted already */
	uint64_t charged_ns;
};

/* The data of one thread: an element for each event, in the order of the events in the set. */
struct driver_threads {
	uint32_t tid;
	struct driver_thread of[DRIVER_EVENTS];
};

/* A driver: a table of functions. Functions that return int return 0 or a negative errno. A
 * function that a driver does not need is NULL. */
struct driver {
	const char *name;
	/* the signal that the driver uses; 0: any free real-time signal */
	int signal;
	/* .thread_init calls malloc(), so it must not be called in a signal handler */
	bool allocates;
	/* Start and stop the driver in the process, or in a child of fork(). */
	int (*init)(const struct driver_run *run);
	void (*fini)(void);
	/* Start and stop sampling of the calling thread, whose data is @thread. */
	int (*thread_init)(const struct driver_run *run, struct driver_thread *thread);
	void (*thread_fini)(struct driver_thread *thread);
	/* In a child of fork(): close the inherited descriptors. The parent's thread must still be
	 * sampled. */
	void (*forget)(struct driver_thread *thread);
	/* Suspend or resume sampling of the thread with the data @thread. Any thread may call these
	 * functions. */
	void (*suspend)(struct driver_thread *thread);
	void (*resume)(struct driver_thread *thread);
	/* In the signal handler: return whether the signal is from an event of the calling
	 * thread. NULL: the caller compares the descriptor in the signal with .fd instead. */
	bool (*knows)(struct driver_thread *thread, const siginfo_t *info);
	/* In the signal handler: return the weight of the sample, or 0 if the signal is not from
	 * this event. Prepare the next sample. */
	uint64_t (*take)(struct driver_thread *thread, const siginfo_t *info);
	/* In the signal handler: called after all samples that the signal represents were
	 * counted. */
	void (*taken)(struct driver_thread *thread);
};

extern const struct driver driver_perf, driver_cputime, driver_itimer, driver_monotonic,
	driver_wall;

/* The driver in the library libopprobe_vperf.so; its address is NULL if the library is not
 * loaded. */
extern const struct driver opprobe_vperf_driver __attribute__((weak, visibility("default")));

/* Table of drivers, indexed by enum raw_probe_driver. The element RAW_PROBE_AUTO is NULL. */
extern const struct driver *const drivers[RAW_PROBE_NR_DRIVERS];

/* Return the driver for events of kind @by. For TIMER, return the default driver. Return NULL if
 * the driver's library is not loaded. */
const struct driver *driver_by(enum raw_probe_by by);

/* Return the highest real-time signal for which the program has no handler, or 0. */
int driver_free_signal(void);

/* Return whether the signal @info was sent by a driver of the set, and not by kill(), a descriptor
 * of the program, or another source. @threads: data of the calling thread, or NULL. */
bool driver_is_ours(const struct driver_set *set, struct driver_threads *threads,
		    const siginfo_t *info);

/* driver_threads_*(): call a function of the driver for each event of the set. driver_set_*(): call
 * a function only for the events with index @first and above. */
void driver_threads_init(struct driver_threads *threads, uint32_t tid);
int driver_set_init(const struct driver_set *set, uint32_t first);
void driver_set_fini(const struct driver_set *set, uint32_t first);
/* Start sampling the calling thread for the events of @set for which it is not sampled yet. On
 * failure, stop sampling for these events again. */
int driver_threads_begin(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_end(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_forget(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_suspend(const struct driver_set *set, struct driver_threads *threads);
void driver_threads_resume(const struct driver_set *set, struct driver_threads *threads);
/* The signal @info may represent samples of several events. Return the first of these events whose
 * index is at least *@i, and the weight of the event's sample, or NULL. Set *@i to the index after
 * the event. */
const struct driver_run *driver_threads_take(const struct driver_set *set,
					     struct driver_threads *threads, const siginfo_t *info,
					     uint32_t *i, uint64_t *weight);
/* Call the drivers' .taken functions after all samples of a signal were counted. */
void driver_threads_taken(const struct driver_set *set, struct driver_threads *threads);
/* Discard pending signals in @mask of the calling thread. Return the total weight of the discarded
 * samples. */
uint64_t driver_threads_drop(const struct driver_set *set, struct driver_threads *threads,
			     uint64_t mask);
/* Return whether a driver of the set calls malloc() when it starts to sample a thread. If so,
 * sampling must not start in a signal handler. */
bool driver_set_allocates(const struct driver_set *set);

/* Return the CPU time of the calling thread in ns, or 0 on failure. */
uint64_t driver_cpu_time(void);
/* Return the number of whole sampling periods in the thread's CPU time that no earlier call has
 * returned. */
uint64_t driver_charge(struct driver_thread *thread);

/* Called when sampling of a thread resumes: skip the CPU time that the thread has used while its
 * sampling was suspended. May be called in any thread. */
void driver_charge_resumes(struct driver_thread *thread);

#endif
