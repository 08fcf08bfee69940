// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/tasks.c -- handling of forks, execs and exits of threads with objects.
 *
 * Probes of tracepoints run with preemption off (Linux 7.x: under SRCU with preemption on), so they
 * cannot create or free counters. Instead they queue task_work, which runs before the thread's next
 * user instruction. In an exiting thread, the task_work runs when the sums are final, but before
 * the parent is notified of the exit.
 */
#include "vperfctr/tasks.h"

#include <linux/binfmts.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat/compat.h"
#include "vperfctr/allowed.h"
#include "vperfctr/control.h"
#include "vperfctr/family.h"
#include "vperfctr/object.h"
#include "vperfctr/overflow.h"
#include "vperfctr/owners.h"
#include "vperfctr/page.h"
#include "vperfctr/slots.h"
#include "vperfctr/state.h"
#include "vperfctr/switch.h"
#include "vperfctr/users.h"

/* Do the queued work of the owner, in its task_work. If the work was queued late, this function
 * runs during the owner's exit. */
static void do_work(struct callback_head *work)
{
	struct vperfctr *v = container_of(work, struct vperfctr, work);
	unsigned long todo = xchg(&v->todo, 0);

	vperfctr_end_unlinked();
	if (todo & VPERFCTR_TODO_UNLINK) {
		vperfctr_end(v, false);
	} else if (current->flags & PF_EXITING) {
		vperfctr_end(v, true);
	} else {
		if (todo & VPERFCTR_TODO_PAGE)
			vperfctr_apply_page(v);
		if (todo & VPERFCTR_TODO_CHILD)
			vperfctr_begin_copy(v);
		if (todo & VPERFCTR_TODO_CONTROL)
			vperfctr_apply_pending(v);
		if (todo & VPERFCTR_TODO_RESUME)
			vperfctr_handle_resume(v);
		if (todo & VPERFCTR_TODO_EXEC)
			vperfctr_handle_exec(v);
		if (todo & VPERFCTR_TODO_FORBIDDEN)
			vperfctr_handle_forbidden(v);
		if (todo & VPERFCTR_TODO_OVERFLOW)
			vperfctr_handle_overflow(v);
	}
	vperfctr_put(v);
}

static void do_exit_work(struct callback_head *work)
{
	struct vperfctr *v = container_of(work, struct vperfctr, exit_work);

	vperfctr_end(v, true);
	vperfctr_put(v);
}

/* Detach the object of an exiting thread, unless the thread's last task_work has already detached
 * it. */
static void detach_exiting(struct vperfctr *v)
{
	bool attached;

	mutex_lock(&v->lock);
	attached = v->owner;
	if (attached)
		vperfctr_detach(v);
	mutex_unlock(&v->lock);
	if (attached)
		vperfctr_put(v);
}

struct vperfctr *vperfctr_new(struct task_struct *task)
{
	struct vperfctr_user *user = vperfctr_user_get();
	struct vperfctr *v;

	if (!user)
		return ERR_PTR(-ENOMEM);
	if (task == current)
		vperfctr_end_unlinked();
	v = vperfctr_create(user, do_work, true, GFP_KERNEL);
	vperfctr_user_put(user);
	if (!v)
		return ERR_PTR(-ENOMEM);
	if (IS_ERR(v))
		return v;
	v->control_id = vperfctr_new_control_id();
	v->state->features = VPERFCTR_FEATURE_RDTSC;
	return v;
}

int vperfctr_install(struct vperfctr *v, struct task_struct *task)
{
	int err = vperfctr_attach(v, task);

	if (err)
		return err;
	/* An exiting thread does not run task_work any more, so detach its object now. */
	if (task != current && !vperfctr_queue(v, task, 0)) {
		detach_exiting(v);
		return -ESRCH;
	}
	return 0;
}

/*
 * Make @child a copy of @v, with the same control and zero sums. Other code cannot find the copy
 * yet.
 *
 * The child's parent is the nearest ancestor that has not ended or has a file: skip the others.
 * Otherwise a chain of threads, each of which creates the next one and exits, would keep all their
 * objects. Skip several ancestors at a time, because a parent may exit after its child has created
 * the next thread. Limit the number, because this function runs in a probe.
 */
#define LEFT_OUT_AT_ONCE	8

static void adopt(struct vperfctr *child, struct vperfctr *v)
{
	struct vperfctr *gone[LEFT_OUT_AT_ONCE];
	u32 nr = 0;

	spin_lock(&v->children_lock);
	child->control_id = v->control_id;
	while (nr < LEFT_OUT_AT_ONCE && v->parent && READ_ONCE(v->parent->flushed) &&
	       !atomic_read(&v->parent->files)) {
		struct vperfctr *parent = v->parent, *next;

		spin_lock_nested(&parent->children_lock, SINGLE_DEPTH_NESTING);
		next = parent->control_id == v->control_id ? parent->parent : NULL;
		if (next)
			vperfctr_get(next);
		spin_unlock(&parent->children_lock);
		v->parent = next;
		gone[nr++] = parent;
	}
	spin_unlock(&v->children_lock);
	while (nr)
		vperfctr_put(gone[--nr]);
	vperfctr_get(v);
	child->parent = v;
}

static void missed(struct vperfctr *v)
{
	spin_lock(&v->children_lock);
	v->children.nr_missed++;
	spin_unlock(&v->children_lock);
}

/*
 * Probe of the tracepoint for forks. The child has never run, so this function may write data that
 * only the child may write later. The parent's control does not change during this function: only
 * the parent changes it, and the parent is running this function.
 */
static void on_fork(void *data, struct task_struct *parent, struct task_struct *task)
{
	struct vperfctr *v = vperfctr_own(), *child;
	bool on;

	if (!v || (task->flags & (PF_KTHREAD | PF_USER_WORKER)))
		return;
	child = vperfctr_create(v->user, do_work, v->control.ring_pages, GFP_NOWAIT | __GFP_NOWARN);
	if (IS_ERR_OR_NULL(child)) {
		missed(v);
		return;
	}
	memcpy(&child->control, &v->control,
	       offsetof(struct vperfctr_control, pmc[v->control.nrctrs]));
	on = vperfctr_counts_anything(&child->control);
	adopt(child, v);
	vperfctr_show_copy(child);
	if (vperfctr_attach(child, task))
		goto put;
	if (on)
		vperfctr_watch_new(child, task);
	if (child->control.nrctrs)
		/* this call cannot fail, because the child has not run yet */
		vperfctr_queue(child, task, VPERFCTR_TODO_CHILD);
put:
	vperfctr_put(child);
}

/* Return whether counting must end at this exec, because the user may not read the program, or
 * the program gains privileges. */
static bool gains_rights(const struct linux_binprm *bprm)
{
	return bprm->secureexec || (bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP);
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
	struct vperfctr *v = vperfctr_own();

	if (v && ((v->control.flags & VPERFCTR_CLOEXEC) || gains_rights(bprm)))
		vperfctr_queue(v, current, VPERFCTR_TODO_UNLINK);
	else if (v && v->slots && v->slots->mm)
		vperfctr_queue(v, current, VPERFCTR_TODO_EXEC);
}

static void on_exit(void *data, struct task_struct *task OPROFILE_GROUP_DEAD)
{
	struct vperfctr *v = vperfctr_own();

	if (!v)
		return;
	vperfctr_get(v);
	init_task_work(&v->exit_work, do_exit_work);
	if (task_work_add(current, &v->exit_work, TWA_NONE))
		vperfctr_put(v);
}

/* The module's probes of tracepoints. Module load sets .at and .registered. */
static struct hook {
	const char *name;
	void *probe;
	struct tracepoint *at;
	bool registered;
} hooks[] = {
	/* the exit probe must be registered first, so that an exiting thread's object is always
	 * detached */
	{ .name = "sched_process_exit", .probe = on_exit },
	{ .name = "sched_process_exec", .probe = on_exec },
	{ .name = "sched_process_fork", .probe = on_fork },
};

static void find_tracepoint(struct tracepoint *at, void *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!strcmp(at->name, hooks[i].name))
			hooks[i].at = at;
	}
}

int vperfctr_tasks_init(void)
{
	int i, err = 0;

	for_each_kernel_tracepoint(find_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks) && !err; i++) {
		err = hooks[i].at ? tracepoint_probe_register(hooks[i].at, hooks[i].probe, NULL) :
				    -ENOENT;
		hooks[i].registered = !err;
	}
	if (err)
		vperfctr_tasks_exit();
	return err;
}

void vperfctr_tasks_exit(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (hooks[i].registered)
			tracepoint_probe_unregister(hooks[i].at, hooks[i].probe, NULL);
		hooks[i].registered = false;
	}
	tracepoint_synchronize_unregister();
}
