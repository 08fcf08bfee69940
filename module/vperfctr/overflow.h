/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/overflow.h -- overflows of slots, which have counted the requested number of events.
 *
 * An interrupt or NMI queues an irq_work, which queues the owner's task_work. This stops all slots,
 * and the owner gets its signal before its next user instruction. The slots stay stopped until
 * IRESUME or another control.
 */
#ifndef VPERFCTR_OVERFLOW_H
#define VPERFCTR_OVERFLOW_H

#include <linux/types.h>

struct task_struct;
struct vperfctr;
struct vperfctr_control;
struct vperfctr_ring;
struct vperfctr_slots;

/* Make slots whose overflows overflow.c handles; see vperfctr_slots_create(). */
struct vperfctr_slots *vperfctr_make_slots(struct vperfctr *v,
					   const struct vperfctr_control *control,
					   struct vperfctr_ring *ring, struct task_struct *task,
					   bool copy);

/* Return whether slots are stopped until another control or an IRESUME. v->lock is held. */
bool vperfctr_slots_suspended(const struct vperfctr *v);
/* Handle overflows in the owner's task_work. */
void vperfctr_handle_overflow(struct vperfctr *v);
/* Resume the slots. Called by the owner with v->lock held. */
void vperfctr_resume_slots(struct vperfctr *v);

#endif
