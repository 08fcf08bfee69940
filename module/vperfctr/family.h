/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/family.h -- a thread's copies: how they begin to count, and what their sums become.
 */
#ifndef VPERFCTR_FAMILY_H
#define VPERFCTR_FAMILY_H

struct vperfctr;
struct vperfctr_control;
struct vperfctr_sum;

/* Sets to zero what new settings do not preserve. */
void vperfctr_reset(struct vperfctr_sum *sum, const struct vperfctr_control *c);
/* @v has got other settings than what it is copied from, and what is copied from it. */
void vperfctr_new_family(struct vperfctr *v, const struct vperfctr_control *c);
/* In the copy's task_work: its slots are made. */
void vperfctr_begin_copy(struct vperfctr *v);
/* To the object that @v was copied from; if that has ended, also to what that was copied from, and so on. */
void vperfctr_give_to_parents(struct vperfctr *v);

#endif
