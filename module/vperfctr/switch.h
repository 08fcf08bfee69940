/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/switch.h -- updates of an object at its thread's switches.
 */
#ifndef VPERFCTR_SWITCH_H
#define VPERFCTR_SWITCH_H

#include <linux/types.h>

struct task_struct;
struct vperfctr;

/* Begin or end to watch the switches of the owner, the caller. Preemption is off. */
void vperfctr_watch(struct vperfctr *v, bool on);
/* Begin to watch a thread that has never run. */
void vperfctr_watch_new(struct vperfctr *v, struct task_struct *task);

/* Check whether @cpu, to which the owner is switching, counts its slots; queue task_work if not.
 * Preemption is off. */
void vperfctr_check_cpu(struct vperfctr *v, int cpu);

void vperfctr_switch_init(void);
void vperfctr_switch_exit(void);

#endif
