/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/switch.h -- updates of an object at its thread's context switches.
 */
#ifndef VPERFCTR_SWITCH_H
#define VPERFCTR_SWITCH_H

#include <linux/types.h>

struct task_struct;
struct vperfctr;

/* Start or stop watching the context switches of the owner, which is the caller. Preemption is
 * off. */
void vperfctr_watch(struct vperfctr *v, bool on);
/* Start watching the context switches of a thread that has never run. */
void vperfctr_watch_new(struct vperfctr *v, struct task_struct *task);

/* Check whether @cpu, to which the owner migrates, can count the owner's slots. If not, queue
 * task_work. Preemption is off. */
void vperfctr_check_cpu(struct vperfctr *v, int cpu);

void vperfctr_switch_init(void);
void vperfctr_switch_exit(void);

#endif
