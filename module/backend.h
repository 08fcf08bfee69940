/* SPDX-License-Identifier: GPL-2.0 */
/*
 * backend.h -- the interface of backends, which are the sources of samples.
 *
 * A backend interrupts each CPU repeatedly and passes the registers to oprofile_add_sample(), in
 * hard interrupt or NMI context. One backend is in use at a time; it is chosen when `buffer` is
 * opened.
 *
 * Order of the calls; calls in brackets may be repeated:
 *	init				module load; allocates the backend's data
 *	[ probe ]			check whether this machine can be sampled now
 *	[ setup				`buffer` is opened; checks the events
 *	  [ cpu_online			on each CPU that is online or comes online
 *	    [ start_cpu			sampling begins
 *	      [ switch_group ]		a time slice ends
 *	      stop_cpu ]		sampling ends
 *	    cpu_offline ]		on each CPU that goes offline, or at shutdown
 *	  shutdown ]			`buffer` is closed
 *	exit				module unload
 *
 * A CPU that comes online while sampling gets cpu_online, then start_cpu; one that goes offline
 * gets stop_cpu, then cpu_offline. All functions except start_cpu, switch_group and stop_cpu may
 * sleep and are never called concurrently.
 */
#ifndef OPROFILE_BACKEND_H
#define OPROFILE_BACKEND_H

#include <linux/types.h>

#include "events.h"

struct dentry;
struct oprofile_sampling;
struct pt_regs;

struct oprofile_backend {
	const char *name;	/* name of the backend in the file `backend` */

	/* Allocate the backend's data; a member of struct oprofile_sampling points to them. */
	int (*init)(struct oprofile_sampling *s);
	void (*exit)(struct oprofile_sampling *s);

	/* Create files for the backend's settings in the root of oprofilefs. May be NULL. */
	int (*create_files)(struct oprofile_sampling *s, struct dentry *root);

	/*
	 * Return 0 if this backend can probably sample this machine; otherwise call
	 * oprofile_refuse() with a text that gives the cause and the remedy. Do not keep any
	 * counter reserved. Called only while `buffer` is not open.
	 */
	int (*probe)(struct oprofile_sampling *s);

	/* Return the text of the files `cpu_type` and `counters`, respectively. Called after a
	 * successful probe(). */
	const char *(*cpu_type)(struct oprofile_sampling *s);
	unsigned int (*nr_counters)(struct oprofile_sampling *s);

	/*
	 * Check the events and prepare sampling. The function may call oprofile_refuse(): opening
	 * `buffer` then fails with the error passed to oprofile_refuse(). s->event[] does not
	 * change before shutdown(). If needs_events is set, the core has already made the checks
	 * that are common to all backends (oprofile_events_check()).
	 */
	int (*setup)(struct oprofile_sampling *s);
	void (*shutdown)(struct oprofile_sampling *s);
	bool needs_events;

	/* Return whether the backend currently samples by another source, such as IBS, in addition
	 * to events. Called only if needs_events is set. NULL: the backend samples only events. */
	bool (*counts_more)(struct oprofile_sampling *s);

	/*
	 * Called on the CPU that comes online, in its hotplug thread, in process context; may
	 * sleep. A failure during the opening of `buffer` makes the opening fail; a later failure
	 * only excludes this CPU from sampling. If only this CPU cannot count an event, call
	 * oprofile_note() and return 0. .cpu_online and .cpu_offline may be NULL.
	 */
	int (*cpu_online)(struct oprofile_sampling *s, unsigned int cpu);
	void (*cpu_offline)(struct oprofile_sampling *s, unsigned int cpu);
	/*
	 * Called instead of stop_cpu and cpu_offline if the CPU went offline without a call of the
	 * offline callback, because it was between two hotplug states. The CPU's registers are
	 * lost. Called on another CPU; may sleep.
	 */
	void (*cpu_dead)(struct oprofile_sampling *s, unsigned int cpu);

	/*
	 * Called on the CPU itself with interrupts off. start_cpu() counts the events of group
	 * pcpu->group. After stop_cpu() has returned, the CPU must not produce samples. stop_cpu()
	 * without start_cpu() must do nothing.
	 */
	void (*start_cpu)(struct oprofile_sampling *s);
	void (*stop_cpu)(struct oprofile_sampling *s);

	/*
	 * A backend that must sleep implements these functions instead of start_cpu and stop_cpu.
	 * Called on another CPU in process context, with the sampling's lock or the CPU hotplug
	 * lock held.
	 */
	void (*start_cpu_slowly)(struct oprofile_sampling *s, unsigned int cpu);
	void (*stop_cpu_slowly)(struct oprofile_sampling *s, unsigned int cpu);

	/*
	 * Switch to another group of events; used if there are more events than counters. After
	 * each time_slice the core sets pcpu->group to the next group with events, and calls this
	 * function on the CPU itself in hard interrupt context. The backend keeps the old group's
	 * partial counts for the group's next slice. The core accounts the time. NULL: the backend
	 * ignores groups and multiplexes the events itself.
	 */
	void (*switch_group)(struct oprofile_sampling *s);

	/*
	 * Set *@time to the times in ns for which @event was enabled and counted on @cpu since the
	 * last start. Called in process context with the sampling's lock held. NULL: the core
	 * measures for how long each group was counted.
	 */
	void (*event_time)(struct oprofile_sampling *s, int cpu, unsigned int event,
			   struct oprofile_event_time *time);

	/* Return the current period on @cpu, as a number of events or ns, for a file below
	 * stats/. May be NULL. */
	u64 (*period)(struct oprofile_sampling *s, int cpu);

	/* Return for how many ns @cpu has been idle since the counter stats/idle_ns was last
	 * updated for @cpu. May be NULL. */
	u64 (*idle_now)(struct oprofile_sampling *s, int cpu);
};

extern const struct oprofile_backend oprofile_backend_timer;
extern const struct oprofile_backend oprofile_backend_perf;
extern const struct oprofile_backend oprofile_backend_offcpu;
/* defined in x86/, or in none/ for other architectures */
extern const struct oprofile_backend oprofile_backend_native;

#endif
