/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/overflow.h -- overflows: a slot has counted the requested number of events.
 *
 * An interrupt or NMI queues an irq_work, which queues the owner's task_work. The task_work stops
 * all slots and sends the signal, which the owner gets before its next user instruction. The slots
 * stay stopped until IRESUME or the next CONTROL.
 */
#ifndef VPERFCTR_OVERFLOW_H
#define VPERFCTR_OVERFLOW_H

#include <linux/types.h>

struct task_struct;
struct vperfctr;
struct vperfctr_control;
struct vperfctr_ring;
struct vperfctr_slots;

/* Create slots whose overflow handler is in overflow.c; see vperfctr_slots_create(). */
struct vperfctr_slots *vperfctr_make_slots(struct vperfctr *v,
					   const struct vperfctr_control *control,
					   struct vperfctr_ring *ring, struct task_struct *task,
					   bool copy);

/* Return whether an overflow has stopped the slots until the next CONTROL or IRESUME. The caller
 * holds v->lock. */
bool vperfctr_slots_suspended(const struct vperfctr *v);
/* Handle overflows: stop the slots and send the signal. Called in the owner's task_work. */
void vperfctr_handle_overflow(struct vperfctr *v);
/* Resume the slots. Called by the owner with v->lock held. */
void vperfctr_resume_slots(struct vperfctr *v);

#endif
