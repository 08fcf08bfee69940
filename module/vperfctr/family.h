/* SPDX-License-Identifier: GPL-2.0 */
/* vperfctr/family.h -- objects of child threads, which are copies of their parents' objects: how
 * children start to count, and how their sums are added to the parents' sums. */
#ifndef VPERFCTR_FAMILY_H
#define VPERFCTR_FAMILY_H

struct vperfctr;
struct vperfctr_control;
struct vperfctr_sum;

/* Reset the sums of the slots that are not in the `preserve` mask of the new settings. */
void vperfctr_reset(struct vperfctr_sum *sum, const struct vperfctr_control *c);
/* Assign a new control_id to @v, because its settings now differ from those of its parent and of
 * its children. */
void vperfctr_new_family(struct vperfctr *v, const struct vperfctr_control *c);
/* Create the slots of a child's object. Called in the child's task_work. */
void vperfctr_begin_copy(struct vperfctr *v);
/* Add the sums of @v to the children's sums of its parent. If the parent's object has ended, also
 * add the sums of @v to the children's sums of the parent's parent, and so on. */
void vperfctr_add_to_parents(struct vperfctr *v);

#endif
