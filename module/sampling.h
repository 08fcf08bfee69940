/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampling.h -- what is sampled, and how: all that backends and what they call know of a session.
 *
 * Who owns a session (session.h) fills this in. Below are the structs that it is made of, which know
 * nothing of it; above, the functions that are passed it.
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
	unsigned long backtrace_depth;		/* no unwinder yet: stays 0 */
	unsigned long task_names;		/* 1: tasks are told with their names */
	unsigned long time_slice;		/* ms */
	unsigned long jitter;			/* random low bits of a counter's period */
};

struct oprofile_sampling {
	struct mutex lock;			/* the session's */
	bool is_setup;				/* lock */
	bool started;				/* lock and cpus_read_lock() */
	struct cpumask cpus;			/* lock; unchanged while is_setup: to be sampled, if they are there */
	struct oprofile_settings settings;	/* lock; unchanged while started */

	struct oprofile_event event[OPROFILE_MAX_EVENTS];	/* lock; unchanged while is_setup */

	const struct oprofile_backend *backend;	/* in use, or used last */
	const struct oprofile_backend *chosen;	/* lock: the next to be used, if there are events */
	bool automatic;				/* lock: chosen by us */
	bool wants_entries;			/* the backend calls oprofile_add_entry() */
	bool outside_guests;			/* its samples never are of virtual machines */
	spinlock_t why_lock;
	char why[256];				/* why_lock: one line */
	struct timer_backend *timer;		/* the backends' own, from init() to exit() */
	struct perf_backend *perf;
	struct native_backend *native;
	enum cpuhp_state hotplug_state, dead_state;
	struct hlist_node hotplug_node, dead_node;	/* instances of these, while is_setup */

	struct oprofile_cpu __percpu *cpu;
	struct oprofile_budget budget;		/* lock; unchanged while started, but for what it tells */
	struct oprofile_hooks hooks;		/* here for the handler's sake: a session is one user of many */
	struct oprofile_identity identity;	/* as well */
	struct oprofile_paths *paths;
	struct oprofile_resolver *resolver;
	struct oprofile_waker *waker;		/* of who drains */
};

#endif
