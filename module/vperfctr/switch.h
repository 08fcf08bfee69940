/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/switch.h -- counters leave a CPU with their thread, and come back with it.
 */
#ifndef VPERFCTR_SWITCH_H
#define VPERFCTR_SWITCH_H

#include <linux/types.h>

struct task_struct;
struct vperfctr;

/* Watches the switches of the owner, who is the caller, or does not any more. Preemption off. */
void vperfctr_watch(struct vperfctr *v, bool on);
/* The same of a thread that has never run. */
void vperfctr_watch_new(struct vperfctr *v, struct task_struct *task);

/* The owner is here, or comes here: does this CPU count its slots? If not, its task_work is to see to it. Preemption off. */
void vperfctr_check_cpu(struct vperfctr *v, int cpu);

void vperfctr_switch_init(void);
void vperfctr_switch_exit(void);

#endif
