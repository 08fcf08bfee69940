/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h -- the owner of everything: settings, buffers, state.
 *
 * Life of a session, each step under `lock`:
 *   setup	`buffer` is opened: memory, hooks, hotplug callbacks
 *   start	1 is written to `enable`: counters reset, CPUs sample
 *   stop	0 is written: no CPU samples, tables are drained
 *   shutdown	`buffer` is released: everything setup made goes, in reverse
 *
 * Lock order: lock -> cpus_read_lock() -> drain.lock. The hotplug callback runs under
 * cpus_write_lock() and takes none of ours: `started` changes only under lock and
 * cpus_read_lock() together, so the callback may read it.
 */
#ifndef OPROFILE_SESSION_H
#define OPROFILE_SESSION_H

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/types.h>

#include "backend.h"
#include "cookie.h"
#include "cpu.h"
#include "drain.h"
#include "hooks.h"
#include "programs.h"
#include "resolve.h"
#include "ring.h"
#include "stats.h"

struct oprofile_settings {
	unsigned long buffer_size;		/* words */
	unsigned long buffer_watershed;		/* words */
	unsigned long cpu_buffer_size;		/* slots of a table */
	unsigned long backtrace_depth;		/* no unwinder yet: stays 0 */
	unsigned long governor_percent;		/* 0: no governor */
	unsigned long time_slice;		/* ms */
	unsigned long jitter;			/* random low bits of a counter's period */
};

struct timer_backend;
struct perf_backend;
struct native_backend;

struct oprofile_session {
	struct mutex lock;
	bool is_setup;				/* lock */
	bool started;				/* lock and cpus_read_lock() */
	bool governor_told;			/* the log says that the rate was halved */
	struct pid *reader;			/* lock: who opened `buffer` */
	struct cpumask cpus;			/* lock; unchanged while is_setup: to be sampled, if they are there */
	struct oprofile_settings settings;	/* lock; unchanged while started */

	struct oprofile_event event[OPROFILE_MAX_EVENTS];	/* lock; unchanged while is_setup */

	const struct oprofile_backend *backend;	/* in use, or used last */
	const struct oprofile_backend *chosen;	/* lock: the next to be used, if there are events */
	bool automatic;				/* lock: chosen by us */
	bool wants_entries;			/* the backend calls oprofile_add_entry() */
	spinlock_t why_lock;
	char why[256];				/* why_lock: one line */
	struct timer_backend *timer;		/* the backends' own, from init() to exit() */
	struct perf_backend *perf;
	struct native_backend *native;
	enum cpuhp_state hotplug_state;
	struct hlist_node hotplug_node;

	struct oprofile_cpu __percpu *cpu;
	struct oprofile_resolver resolver;
	struct oprofile_cookies cookies;
	struct oprofile_programs programs;
	struct oprofile_hooks hooks;
	struct oprofile_ring ring;
	struct oprofile_drain drain;
};

/* Module load and unload. */
int oprofile_session_init(struct oprofile_session *s);
void oprofile_session_exit(struct oprofile_session *s);

/* EBUSY: somebody else has `buffer` open. */
int oprofile_session_setup(struct oprofile_session *s);
void oprofile_session_shutdown(struct oprofile_session *s);

/* EINVAL: `buffer` is not open. Starting what runs and stopping what does not is fine. */
int oprofile_session_start(struct oprofile_session *s);
int oprofile_session_stop(struct oprofile_session *s);

/*
 * Everything sampled before the call is in the event buffer when it returns 0. When that is full:
 * EAGAIN if the caller is the process that opened `buffer` (read, then repeat), else waits for
 * room. EINTR on a signal, EINVAL when `buffer` is not open.
 */
int oprofile_session_dump(struct oprofile_session *s);

/* Changes a setting. EBUSY while started, or while set up if @fixed; EINVAL out of range. */
int oprofile_session_set(struct oprofile_session *s, unsigned long *setting, unsigned long value,
			 unsigned long min, unsigned long max, bool fixed);

/*
 * The CPUs to sample: a list as in sysfs, or "all", or "auto" for all but those that shall not be
 * disturbed, isolated and nohz_full ones. EINVAL: no such list, or none of them is in this machine; EBUSY: set up.
 */
int oprofile_session_set_cpus(struct oprofile_session *s, const char *list);
/* As a list with newline. Returns its length. */
int oprofile_session_get_cpus(struct oprofile_session *s, char *text, size_t size);

/* backend.c: what the session does with all backends, or with the one in use. */
int oprofile_backends_init(struct oprofile_session *s);
void oprofile_backends_exit(struct oprofile_session *s);
int oprofile_backends_create_files(struct oprofile_session *s, struct dentry *root);
/* auto, or a backend's name. EINVAL: no such name; EBUSY while set up; else what probe() says. */
int oprofile_backend_wish(struct oprofile_session *s, const char *name);
/* The one that samples now, or would if there were events. */
const struct oprofile_backend *oprofile_backend_current(struct oprofile_session *s);
void oprofile_backend_why(struct oprofile_session *s, char *text, size_t size);
/* Chooses the backend in use, and its setup(). lock. */
int oprofile_backend_setup(struct oprofile_session *s);

#endif
