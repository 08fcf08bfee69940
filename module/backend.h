/* SPDX-License-Identifier: GPL-2.0 */
/*
 * backend.h -- what every sampler implements, and what it calls.
 *
 * A backend interrupts each CPU now and then and hands the registers to oprofile_add_sample(),
 * from hard interrupt or NMI context. One backend is in use at a time, chosen when `buffer` is
 * opened.
 *
 * Life of a backend, in this order; what is in brackets may come several times:
 *   init						module load; allocates its data
 *   [ probe ]						can this machine do it, right now?
 *   [ setup						`buffer` is opened; validates the events
 *     [ cpu_online					on each CPU that is there or comes
 *       [ start_cpu (switch_group..)  stop_cpu ]	sampling
 *       cpu_offline ]					on each CPU that is there or goes
 *     shutdown ]					`buffer` is closed
 *   exit						module unload
 *
 * A CPU that comes while sampling gets cpu_online, start_cpu; one that goes, stop_cpu,
 * cpu_offline. All but start_cpu, switch_group and stop_cpu may sleep and are called one at a time.
 */
#ifndef OPROFILE_BACKEND_H
#define OPROFILE_BACKEND_H

#include <linux/types.h>

#include "events.h"

struct dentry;
struct oprofile_sampling;
struct pt_regs;

struct oprofile_backend {
	const char *name;	/* as in the file `backend` */

	/* Data for init() to allocate goes into a pointer of its own in struct oprofile_sampling. */
	int (*init)(struct oprofile_sampling *s);
	void (*exit)(struct oprofile_sampling *s);

	/* Files for the backend's settings, in the root of oprofilefs. May be NULL. */
	int (*create_files)(struct oprofile_sampling *s, struct dentry *root);

	/*
	 * 0 when this machine can be sampled this way, as far as can be told without doing it;
	 * else oprofile_refuse() with what is in the way and how to get it out. Nothing stays
	 * reserved. May be called while nobody has `buffer` open only.
	 */
	int (*probe)(struct oprofile_sampling *s);

	/* For the files `cpu_type` and `counters`. After a probe() that gave 0. */
	const char *(*cpu_type)(struct oprofile_sampling *s);
	unsigned int (*nr_counters)(struct oprofile_sampling *s);

	/*
	 * setup() may refuse with oprofile_refuse(): opening `buffer` then fails with that error.
	 * s->event[] does not change before shutdown(). The core has checked what holds for all
	 * backends (oprofile_events_check()), when needs_events is set.
	 */
	int (*setup)(struct oprofile_sampling *s);
	void (*shutdown)(struct oprofile_sampling *s);
	bool needs_events;

	/* Is anything to be counted besides events? For needs_events; NULL: no. */
	bool (*counts_more)(struct oprofile_sampling *s);

	/*
	 * On the CPU itself, in its hotplug thread: process context, may sleep. An error while
	 * `buffer` is being opened refuses that; later on it keeps this CPU from being sampled.
	 * What only this CPU cannot count is told by oprofile_note(), and 0. Both may be NULL.
	 */
	int (*cpu_online)(struct oprofile_sampling *s, unsigned int cpu);
	void (*cpu_offline)(struct oprofile_sampling *s, unsigned int cpu);
	/*
	 * Instead of stop_cpu, cpu_offline: @cpu went down without a word to us, as one does that was left
	 * half way up; its registers are no more. On another CPU; may sleep.
	 */
	void (*cpu_gone)(struct oprofile_sampling *s, unsigned int cpu);

	/*
	 * On the CPU itself, interrupts off. Counts the events whose group is pcpu->group. No sample
	 * comes after stop_cpu() returns; stop_cpu() without start_cpu() does nothing.
	 */
	void (*start_cpu)(struct oprofile_sampling *s);
	void (*stop_cpu)(struct oprofile_sampling *s);

	/*
	 * The same for a backend that has to sleep for it: from another CPU, in process context,
	 * with the sampling's lock or the CPU hotplug lock held. Instead of the former two.
	 */
	void (*start_cpu_slowly)(struct oprofile_sampling *s, unsigned int cpu);
	void (*stop_cpu_slowly)(struct oprofile_sampling *s, unsigned int cpu);

	/*
	 * More events than counters: every time_slice the core changes pcpu->group to the next group
	 * that has events, and calls this on the CPU itself, from hard interrupt, interrupts off.
	 * Counts towards the next sample of what leaves are kept for when it comes back. The core
	 * keeps the time. NULL: groups are ignored, the backend takes turns by itself.
	 */
	void (*switch_group)(struct oprofile_sampling *s);

	/*
	 * For how long @event was wanted and was really counted on @cpu since the last start, in ns;
	 * process context, sampling's lock held. NULL: the core's own account, by groups.
	 */
	void (*event_time)(struct oprofile_sampling *s, int cpu, unsigned int event,
			   struct oprofile_event_time *time);

	/* The period in force on @cpu, in units of the event; for stats/. May be NULL. */
	u64 (*period)(struct oprofile_sampling *s, int cpu);

	/* Time @cpu has been idle so far and has not yet added to its counter. May be NULL. */
	u64 (*idle_now)(struct oprofile_sampling *s, int cpu);
};

extern const struct oprofile_backend oprofile_backend_timer;
extern const struct oprofile_backend oprofile_backend_perf;
extern const struct oprofile_backend oprofile_backend_native;	/* x86/ or none/ */

#endif
