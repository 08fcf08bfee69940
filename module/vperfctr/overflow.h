/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/overflow.h -- a slot has counted as many events as were asked for.
 *
 * Interrupt or NMI -> irq_work -> the owner's task_work: there all slots are stopped, and the owner gets its signal before its
 * next user instruction. They stand until IRESUME, or another control.
 */
#ifndef VPERFCTR_OVERFLOW_H
#define VPERFCTR_OVERFLOW_H

#include <linux/types.h>

struct task_struct;
struct vperfctr;
struct vperfctr_control;
struct vperfctr_ring;
struct vperfctr_slots;

/* vperfctr_slots_create(), of slots whose overflows come here. */
struct vperfctr_slots *vperfctr_make_slots(struct vperfctr *v, const struct vperfctr_control *control,
					   struct vperfctr_ring *ring, struct task_struct *task, bool copy);

/* With v->lock: do slots stand, until another control or IRESUME? */
bool vperfctr_slots_stand(const struct vperfctr *v);
/* The owner's task_work. */
void vperfctr_overflowed(struct vperfctr *v);
/* By the owner, with v->lock. */
void vperfctr_resume_slots(struct vperfctr *v);

#endif
