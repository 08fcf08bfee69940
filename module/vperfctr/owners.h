/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/owners.h -- which thread has which object.
 */
#ifndef VPERFCTR_OWNERS_H
#define VPERFCTR_OWNERS_H

#include <linux/types.h>

struct task_struct;
struct vperfctr;

/*
 * Attach @v to @task, with a reference. Return -EEXIST if @task has an object, -EAGAIN if it still has to detach 16
 * objects that tracers have unlinked. @task is the caller, stopped by it, or has never run.
 */
int vperfctr_attach(struct vperfctr *v, struct task_struct *task);
/* By the owner; and without the reference of being attached. */
void vperfctr_detach(struct vperfctr *v);

/* The caller's own, or NULL; it stays while the caller is its owner, so at least until the caller does something. */
struct vperfctr *vperfctr_own(void);
/* As above, but return an object that a tracer has unlinked and the owner has not detached yet. */
struct vperfctr *vperfctr_own_leaving(void);
/* With a reference, or NULL. */
struct vperfctr *vperfctr_of(struct task_struct *task);
/* With a reference to the task, or NULL: there is no owner any more. */
struct task_struct *vperfctr_owner_get(const struct vperfctr *v);

/*
 * Calls @fn for objects with owners, from @cursor on (0: all), until it returns false: that object comes again next
 * time. Returns where to go on, or 0 if that was all. @fn is called under RCU. Objects that come or go may be missed.
 */
u64 vperfctr_for_each(u64 cursor, bool (*fn)(struct vperfctr *v, struct task_struct *owner, void *data), void *data);

#endif
