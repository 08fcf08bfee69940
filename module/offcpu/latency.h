/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu/latency.h -- samples of the clock time of programs: the event LATENCY.
 *
 * While n threads of a program run on n CPUs, one of n of its samples of TIMER, chosen by chance,
 * is a sample of LATENCY, too. So the program has one sample for each period in which at least one
 * of its threads runs. The probe of sched_switch notes the program that each CPU runs. A program is
 * an mm: threads of the kernel, which have none, count as running alone.
 */
#ifndef OPROFILE_OFFCPU_LATENCY_H
#define OPROFILE_OFFCPU_LATENCY_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>

struct pt_regs;
struct oprofile_sampling;

struct oprofile_latency {
	/* number of the event; OPROFILE_OFFCPU_NO_EVENT: not sampled. A setting; protected by the
	 * sampling's lock, and unchanged while `buffer` is open */
	unsigned long event;
	/* whether the probe is attached and the event is sampled */
	bool on;
	/* The program that each CPU runs, which may be gone already: only compared. Each CPU writes
	 * its own with interrupts off; other CPUs read it. */
	const struct mm_struct *__percpu *running;
};

int oprofile_latency_init(struct oprofile_latency *l);
void oprofile_latency_exit(struct oprofile_latency *l);

/* Begin and end the event at the start and the stop of the probe, with the sampling's lock held. */
void oprofile_latency_start(struct oprofile_latency *l);
void oprofile_latency_stop(struct oprofile_latency *l);

/* The CPU switches to @next. Interrupts are off. */
static inline void oprofile_latency_switch(struct oprofile_latency *l,
					   const struct task_struct *next)
{
	if (unlikely(READ_ONCE(l->on)))
		this_cpu_write(*l->running, next->mm);
}

/* Add the timer's sample as a sample of LATENCY, if @random chooses it. All bits of @random are
 * random. Called in the timer's interrupt. */
void oprofile_latency_sample(const struct oprofile_latency *l, struct oprofile_sampling *s,
			     struct pt_regs *regs, u32 random);

#endif
