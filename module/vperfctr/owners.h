/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/owners.h -- the table of threads and their objects.
 */
#ifndef VPERFCTR_OWNERS_H
#define VPERFCTR_OWNERS_H

#include <linux/types.h>

struct task_struct;
struct vperfctr;

/*
 * Attach @v to @task, and take a reference to @v for the attachment. Return 0; -EEXIST: @task
 * already has an object; -EAGAIN: @task has too many objects that tracers have unlinked and that it
 * has not detached yet. @task is the caller, is stopped by the caller, or has never run.
 */
int vperfctr_attach(struct vperfctr *v, struct task_struct *task);
/* Detach the object from its owner, which is the caller. The caller must drop the reference that
 * the object had while it was attached. */
void vperfctr_detach(struct vperfctr *v);

/* Return the caller's object, or NULL. The result is valid until the caller itself detaches the
 * object. */
struct vperfctr *vperfctr_own(void);
/* Return an object of the caller that a tracer has unlinked and that the caller has not detached
 * yet, or NULL. */
struct vperfctr *vperfctr_own_unlinked(void);
/* Return the object of @task, or NULL. The caller must release the reference. */
struct vperfctr *vperfctr_of(struct task_struct *task);
/* Return the object's owner, or NULL if the object has no owner any more. The caller must
 * release the reference. */
struct task_struct *vperfctr_owner_get(const struct vperfctr *v);

/*
 * Call @fn for each object with an owner, from @cursor (0: the first object) on, until @fn returns
 * false. Return the cursor for the next call, which begins with the object that @fn has refused;
 * return 0 at the end of the table. @fn is called under RCU. Objects that are attached or detached
 * during the call may be missed.
 */
u64 vperfctr_for_each(u64 cursor,
		      bool (*fn)(struct vperfctr *v, struct task_struct *owner, void *data),
		      void *data);

#endif
