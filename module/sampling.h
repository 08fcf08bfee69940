/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampling.h -- state of sampling: the part of a session that backends and the core share.
 *
 * The session (session.h) owns and initializes struct oprofile_sampling. Its member structs do not
 * point back to it, so functions receive a pointer to it as an argument.
 */
#ifndef OPROFILE_SAMPLING_H
#define OPROFILE_SAMPLING_H

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "cookie.h"
#include "cpu.h"
#include "events.h"
#include "governor.h"
#include "hooks.h"
#include "programs.h"

struct native_backend;
struct oprofile_backend;
struct oprofile_offcpu;
struct oprofile_paths;
struct oprofile_resolver;
struct oprofile_waker;
struct perf_backend;
struct timer_backend;

struct oprofile_settings {
	unsigned long buffer_size;		/* size of the stream's ring buffer in words */
	/* the reader is woken when at most this many words of the ring buffer are free */
	unsigned long buffer_watershed;
	unsigned long cpu_buffer_size;		/* number of slots of a table of samples */
	unsigned long task_names;		/* 1: write the names of tasks to the stream */
	unsigned long groups;			/* 1: samples have control groups (group.h) */
	unsigned long time_slice;		/* length of a time slice in ms */
	/* number of random low bits in a counter's period */
	unsigned long jitter;
};

/* The tables of cookies and of programs, which all users share. The first user sets them up, and
 * the last user frees them. */
struct oprofile_identity {
	struct oprofile_cookies cookies;
	struct oprofile_programs programs;
	struct mutex lock;
	u32 users;		/* number of users; protected by .lock */
};

struct oprofile_sampling {
	/* the session's lock; comments below call it "the lock" */
	struct mutex lock;
	/* true between the setup and the shutdown of a session; protected by the lock */
	bool is_setup;
	/* true between the start and the stop of sampling; changes only with both the lock and
	 * cpus_read_lock() held */
	bool started;
	/* CPUs to sample when they are online; protected by the lock, and unchanged while
	 * .is_setup */
	struct cpumask cpus;
	/* settings; protected by the lock, and unchanged while .started */
	struct oprofile_settings settings;

	/* events; protected by the lock, and unchanged while .is_setup */
	struct oprofile_event event[OPROFILE_MAX_EVENTS];

	/* the backend that is used now, or that was used last */
	const struct oprofile_backend *backend;
	/* the backend for the next session if events are enabled; protected by the lock */
	const struct oprofile_backend *chosen;
	/* whether the module, not the user, has chosen .chosen; protected by the lock */
	bool automatic;
	bool wants_entries;			/* whether the backend calls oprofile_add_entry() */
	/* whether the backend never samples virtual machines */
	bool outside_guests;
	spinlock_t why_lock;
	/* one line of text: why the backend was chosen or cannot be used; protected by why_lock */
	char why[256];
	/* private data of each backend; valid from the backend's init() to its exit() */
	struct timer_backend *timer;
	struct perf_backend *perf;
	struct native_backend *native;
	enum cpuhp_state hotplug_state, dead_state;
	/* nodes of the callbacks of CPU hotplug; valid while .is_setup */
	struct hlist_node hotplug_node, dead_node;

	struct oprofile_cpu __percpu *cpu;
	/* limit of the cost of sampling; protected by the lock, and unchanged while .started */
	struct oprofile_budget budget;
	/* detection of changed mappings, shared with other users of the module; embedded here for
	 * fast access by the handler */
	struct oprofile_hooks hooks;
	/* tables of cookies and programs, shared with other users of the module */
	struct oprofile_identity identity;
	struct oprofile_paths *paths;
	struct oprofile_offcpu *offcpu;
	struct oprofile_resolver *resolver;
	struct oprofile_waker *waker;		/* wakes the drain thread */
};

#endif
