// SPDX-License-Identifier: GPL-2.0
/* offcpu/latency.c -- samples of the clock time of programs. */
#include "offcpu/latency.h"

#include <linux/cpumask.h>
#include <linux/errno.h>

#include "handler.h"
#include "uapi/offcpu.h"

int oprofile_latency_init(struct oprofile_latency *l)
{
	l->event = OPROFILE_OFFCPU_NO_EVENT;
	l->running = alloc_percpu(const struct mm_struct *);
	return l->running ? 0 : -ENOMEM;
}

void oprofile_latency_exit(struct oprofile_latency *l)
{
	free_percpu(l->running);
}

void oprofile_latency_start(struct oprofile_latency *l)
{
	int cpu;

	for_each_possible_cpu(cpu)
		*per_cpu_ptr(l->running, cpu) = NULL;
	WRITE_ONCE(l->on, l->event != OPROFILE_OFFCPU_NO_EVENT);
}

void oprofile_latency_stop(struct oprofile_latency *l)
{
	WRITE_ONCE(l->on, false);
}

/* Return the number of CPUs that run the program @mm, which this CPU runs. */
static u32 count_running(const struct oprofile_latency *l, const struct mm_struct *mm)
{
	u32 nr = 0;
	int cpu;

	/* The program may run here since before the probe was attached. */
	this_cpu_write(*l->running, mm);
	for_each_online_cpu(cpu)
		nr += READ_ONCE(*per_cpu_ptr(l->running, cpu)) == mm;
	return nr;
}

void oprofile_latency_sample(const struct oprofile_latency *l, struct oprofile_sampling *s,
			     struct pt_regs *regs, u32 random)
{
	const struct mm_struct *mm = current->mm;

	/* The high bits of the product are a number from 0 to n - 1, all equally likely. */
	if (mm && (u64)random * count_running(l, mm) >> 32)
		return;
	oprofile_add_sample(s, regs, l->event, 1);
}
