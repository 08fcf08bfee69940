/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampling.h -- the state of sampling: the part of a session that backends, and the functions they
 * call, use.
 *
 * The session (session.h) owns and fills it. The structs of its members do not refer to it;
 * functions receive a pointer.
 */
#ifndef OPROFILE_SAMPLING_H
#define OPROFILE_SAMPLING_H

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "cpu.h"
#include "events.h"
#include "governor.h"
#include "hooks.h"
#include "identity.h"

struct native_backend;
struct oprofile_backend;
struct oprofile_paths;
struct oprofile_resolver;
struct oprofile_waker;
struct perf_backend;
struct timer_backend;

struct oprofile_settings {
	unsigned long buffer_size;		/* words */
	unsigned long buffer_watershed;		/* words */
	unsigned long cpu_buffer_size;		/* slots of a table */
	unsigned long task_names;		/* 1: write the names of tasks to the stream */
	unsigned long time_slice;		/* ms */
	unsigned long jitter;			/* random low bits of a counter's period */
};

struct oprofile_sampling {
	struct mutex lock;			/* the session's */
	bool is_setup;				/* lock */
	bool started;				/* lock and cpus_read_lock() */
	/* lock; unchanged while is_setup: CPUs to sample when they are online */
	struct cpumask cpus;
	struct oprofile_settings settings;	/* lock; unchanged while started */

	struct oprofile_event event[OPROFILE_MAX_EVENTS];	/* lock; unchanged while is_setup */

	const struct oprofile_backend *backend;	/* in use, or the last one used */
	/* lock: the next one to use, if events are enabled */
	const struct oprofile_backend *chosen;
	bool automatic;				/* lock: the module chose `chosen`, not the user */
	bool wants_entries;			/* the backend calls oprofile_add_entry() */
	bool outside_guests;			/* the backend never samples virtual machines */
	spinlock_t why_lock;
	char why[256];				/* why_lock: one line */
	struct timer_backend *timer;		/* data of the backends, from init() to exit() */
	struct perf_backend *perf;
	struct native_backend *native;
	enum cpuhp_state hotplug_state, dead_state;
	/* instances of the hotplug states, while is_setup */
	struct hlist_node hotplug_node, dead_node;

	struct oprofile_cpu __percpu *cpu;
	/* lock; unchanged while started, except for its results */
	struct oprofile_budget budget;
	/* shared with other users, but here for fast access by the handler */
	struct oprofile_hooks hooks;
	struct oprofile_identity identity;	/* shared with other users */
	struct oprofile_paths *paths;
	struct oprofile_resolver *resolver;
	struct oprofile_waker *waker;		/* wakes the drain */
};

#endif
