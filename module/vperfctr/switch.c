// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/switch.c -- updates of an object at its thread's context switches.
 *
 * perf adds its counts to the sums before sched_out notifiers run, and loads its counters before
 * sched_in notifiers run. So the notifiers see final sums, and need not read counters.
 */
#include "vperfctr/switch.h"

#include <linux/preempt.h>
#include <linux/sched.h>

#include "vperfctr/object.h"
#include "vperfctr/slots.h"
#include "vperfctr/state.h"

void vperfctr_check_cpu(struct vperfctr *v, int cpu)
{
	lockdep_assert_preemption_disabled();
	if (likely(!v->slots || !v->slots->bound || cpumask_test_cpu(cpu, v->slots->cpus)) ||
	    (v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_FORBIDDEN))
		return;
	vperfctr_show_status(v, VPERFCTR_CSTATUS_FORBIDDEN, 0);
	vperfctr_queue(v, current, VPERFCTR_TODO_FORBIDDEN);
}

static void on_sched_in(struct preempt_notifier *n, int cpu)
{
	struct vperfctr *v = container_of(n, struct vperfctr, notifier);

	if (!v->slots) {
		vperfctr_sched_in(v);
		return;
	}
	vperfctr_update(v, true, false);
	vperfctr_check_cpu(v, cpu);
}

/* Notifier of a context switch away from the owner. Called with the run queue locked and interrupts
 * off. */
static void on_sched_out(struct preempt_notifier *n, struct task_struct *next)
{
	struct vperfctr *v = container_of(n, struct vperfctr, notifier);

	if (!v->slots)
		vperfctr_sched_out(v);
	else
		vperfctr_update(v, false, false);
}

/* not const, because preempt_notifier_init() takes a pointer to a mutable struct */
static struct preempt_ops switch_ops = {
	.sched_in = on_sched_in,
	.sched_out = on_sched_out,
};

void vperfctr_watch(struct vperfctr *v, bool on)
{
	lockdep_assert_preemption_disabled();
	if (v->watched == on)
		return;
	v->watched = on;
	if (on) {
		preempt_notifier_init(&v->notifier, &switch_ops);
		preempt_notifier_register(&v->notifier);
	} else {
		preempt_notifier_unregister(&v->notifier);
	}
}

void vperfctr_watch_new(struct vperfctr *v, struct task_struct *task)
{
	v->watched = true;
	preempt_notifier_init(&v->notifier, &switch_ops);
	hlist_add_head(&v->notifier.link, &task->preempt_notifiers);
}

void vperfctr_switch_init(void)
{
	preempt_notifier_inc();
}

void vperfctr_switch_exit(void)
{
	preempt_notifier_dec();
}
