// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/control.c -- starting, changing and ending an object's counting, and reading its sums.
 */
#include "vperfctr/control.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "vperfctr/allowed.h"
#include "vperfctr/family.h"
#include "vperfctr/object.h"
#include "vperfctr/overflow.h"
#include "vperfctr/owners.h"
#include "vperfctr/rights.h"
#include "vperfctr/ring.h"
#include "vperfctr/slots.h"
#include "vperfctr/state.h"
#include "vperfctr/switch.h"

static bool is_running(const struct vperfctr *v)
{
	return v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_RUNNING;
}

/* Read the sums of the slots: the counts of the current slots, plus the sums that earlier slots
 * have left in v->kept. */
static void read_slots(struct vperfctr *v, struct vperfctr_sum *sum)
{
	u32 i;

	lockdep_assert_held(&v->lock);
	memcpy(sum, v->kept, sizeof(v->kept));
	for (i = 0; v->slots && i < v->slots->nr; i++) {
		struct vperfctr_sum now;

		vperfctr_slot_read(&v->slots->slot[i], &now);
		sum[i].count += now.count;
		sum[i].enabled += now.enabled;
		sum[i].running += now.running;
	}
}

/*
 * Apply the settings @new, and start their slots. Called by the owner. If the new slots cannot
 * count at the same time, restart the old slots and return an error; the virtual TSC continues.
 * @force: do not fail, but mark slots that cannot count.
 */
static int apply(struct vperfctr *v, struct vperfctr_settings *new, bool force)
{
	bool on = vperfctr_counts_anything(&new->control);
	struct vperfctr_slots *old = v->slots;
	struct vperfctr_sum kept[VPERFCTR_MAX_PMCS];
	int err;

	lockdep_assert_held(&v->lock);
	vperfctr_slots_stop(old);
	read_slots(v, kept);
	vperfctr_reset(kept, &new->control);
	vperfctr_slots_set_periods(new->slots, kept);
	err = vperfctr_slots_bind(new->slots);
	if (err && !force)
		goto err_old;
	vperfctr_slots_allow_user_reads(new->slots);
	err = vperfctr_slots_start(new->slots);
	if (err && !force)
		goto err_new;
	vperfctr_slots_narrow(new->slots);

	preempt_disable();
	vperfctr_update(v, false, false);
	v->control = new->control;
	v->slots = new->slots;
	v->suspended = false;
	memcpy(v->kept, kept, sizeof(kept));
	vperfctr_show_control(v, v->control.tsc_on ? v->state->cpu_state.tsc_sum : 0, on);
	vperfctr_watch(v, on);
	vperfctr_check_cpu(v, smp_processor_id());
	preempt_enable();

	new->slots = NULL;
	if (new->ring != v->ring)
		/* mappings of the old ring in programs still show the old ring */
		new->ring = vperfctr_swap_ring(v, new->ring);
	vperfctr_new_family(v, &v->control);
	vperfctr_slots_free(old);
	return 0;

err_new:
	vperfctr_slots_stop(new->slots);
	vperfctr_slots_unbind(new->slots);
err_old:
	if (!vperfctr_slots_suspended(v))
		vperfctr_slots_start(old);
	return err;
}

/* Return the ring for the settings @control: the current ring if its size is right, otherwise a
 * new ring. The caller must release the reference to the returned ring. */
static struct vperfctr_ring *ring_for(struct vperfctr *v, const struct vperfctr_control *control)
{
	if (!v->ring || v->ring->nr_pages != control->ring_pages)
		return vperfctr_ring_create(v->user, control->ring_pages);
	vperfctr_ring_get(v->ring);
	return v->ring;
}

static void free_settings(struct vperfctr_settings *s)
{
	if (s) {
		vperfctr_slots_free(s->slots);
		vperfctr_ring_put(s->ring);
	}
	kfree(s);
}

static struct vperfctr_settings *
make_settings(struct vperfctr *v, const struct vperfctr_control *control, struct task_struct *owner)
{
	struct vperfctr_settings *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int err;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->control = *control;
	s->ring = ring_for(v, control);
	err = PTR_ERR_OR_ZERO(s->ring);
	if (err)
		goto err_free;
	s->slots = vperfctr_make_slots(v, control, s->ring, owner, false);
	err = PTR_ERR_OR_ZERO(s->slots);
	if (err)
		goto err_put_ring;
	s->control.cpus =
		s->slots && s->slots->cpus ? cpumask_weight(s->slots->cpus) : num_possible_cpus();
	return s;

err_put_ring:
	vperfctr_ring_put(s->ring);
err_free:
	kfree(s);
	return ERR_PTR(err);
}

/* Lock the object and return its owner, or an ERR_PTR. If the owner is another thread, the
 * caller must release the reference to it by unlock_owner(). */
static struct task_struct *lock_owner(struct vperfctr *v)
{
	struct task_struct *owner;
	int err;

	if (mutex_lock_killable(&v->lock))
		return ERR_PTR(-EINTR);
	if (!vperfctr_is_unlinked(v) && READ_ONCE(v->owner) == current)
		return current;
	owner = vperfctr_is_unlinked(v) ? NULL : vperfctr_owner_get(v);
	err = owner ? vperfctr_check_stopped(owner) : -ESRCH;
	if (!err)
		return owner;
	mutex_unlock(&v->lock);
	if (owner)
		put_task_struct(owner);
	return ERR_PTR(err);
}

/* Unlock the object and release @owner, which may be NULL. */
static void unlock_owner(struct vperfctr *v, struct task_struct *owner)
{
	mutex_unlock(&v->lock);
	if (owner && owner != current)
		put_task_struct(owner);
}

static int set_pending(struct vperfctr *v, struct task_struct *owner, struct vperfctr_settings *s)
{
	struct vperfctr_settings *old = v->pending;

	lockdep_assert_held(&v->lock);
	v->pending = s;
	if (!vperfctr_queue(v, owner, VPERFCTR_TODO_CONTROL)) {
		v->pending = old;
		return -ESRCH;
	}
	free_settings(old);
	return 0;
}

int vperfctr_control(struct vperfctr *v, const struct cred *opener,
		     const struct vperfctr_control *control)
{
	struct vperfctr_settings *s;
	struct task_struct *owner;
	int err = vperfctr_check_control(control);

	if (err)
		return err;
	owner = lock_owner(v);
	if (IS_ERR(owner))
		return PTR_ERR(owner);
	err = vperfctr_check_others(v, owner, opener, control);
	if (err)
		goto unlock;
	s = make_settings(v, control, owner);
	err = PTR_ERR_OR_ZERO(s);
	if (err)
		goto unlock;
	if (owner == current) {
		err = apply(v, s, false);
		free_settings(s);
	} else {
		err = set_pending(v, owner, s);
		if (err)
			free_settings(s);
	}
unlock:
	unlock_owner(v, owner);
	return err;
}

/* Set *@sum to the sums that would result if the owner had already applied the pending settings. */
static void read_pending(const struct vperfctr *v, struct vperfctr_sum_ctrs *sum)
{
	const struct vperfctr_control *c = &v->pending->control;

	vperfctr_reset(sum->pmc, c);
	if (!c->tsc_on)
		sum->tsc = 0;
}

/* Update the page of the caller's own object, and copy a consistent snapshot of the sums.
 * Preemption is enabled. */
static void sample_own(struct vperfctr *v, struct vperfctr_sum_ctrs *sum)
{
	const struct vperfctr_cpu_state *c = &v->state->cpu_state;
	bool turns = v->slots && v->slots->turns;
	u32 i;

	if (turns)
		read_slots(v, sum->pmc);
	preempt_disable();
	vperfctr_update(v, is_running(v), true);
	sum->tsc = c->tsc_sum;
	sum->cstatus = c->cstatus;
	for (i = 0; i < VPERFCTR_MAX_PMCS && !turns; i++)
		sum->pmc[i] = (struct vperfctr_sum){ .count = c->pmc[i].sum };
	preempt_enable();
}

int vperfctr_read_own(struct vperfctr *v, struct vperfctr_sum_ctrs __user *to)
{
	int err = -EFAULT;

	if (READ_ONCE(v->owner) != current)
		return err;
	if (mutex_lock_killable(&v->lock))
		return -EINTR;
	if (v->slots && !vperfctr_is_unlinked(v) && !v->slots->turns && !v->slots->maps &&
	    !v->pending)
		err = vperfctr_report(v, to);
	mutex_unlock(&v->lock);
	return err;
}

static void read_sum(struct vperfctr *v, struct vperfctr_sum_ctrs *sum)
{
	if (v->final_sums) {
		*sum = *v->final_sums;
	} else if (v->owner == current) {
		sample_own(v, sum);
	} else {
		read_slots(v, sum->pmc);
		vperfctr_read_last(v, &sum->tsc, &sum->cstatus);
	}
	sum->nr_children = sum->nr_missed = 0;
	if (v->pending)
		read_pending(v, sum);
}

static void read_children(struct vperfctr *v, struct vperfctr_sum_ctrs *children)
{
	spin_lock(&v->children_lock);
	*children = v->children;
	spin_unlock(&v->children_lock);
	if (v->pending)
		read_pending(v, children);
}

int vperfctr_read(struct vperfctr *v, u32 want, struct vperfctr_read *out)
{
	struct task_struct *owner = lock_owner(v);

	if (IS_ERR(owner)) {
		if (PTR_ERR(owner) != -ESRCH)
			return PTR_ERR(owner);
		/* After the object has lost its owner, every process with a file of the object
		 * may read the sums. */
		if (mutex_lock_killable(&v->lock))
			return -EINTR;
		if (READ_ONCE(v->owner) && !vperfctr_is_unlinked(v)) {
			mutex_unlock(&v->lock);
			return -ESRCH;
		}
		owner = NULL;
	}
	if (want & VPERFCTR_READ_SUM)
		read_sum(v, &out->sum);
	if (want & VPERFCTR_READ_CHILDREN)
		read_children(v, &out->children);
	if (want & VPERFCTR_READ_CONTROL)
		out->control = v->pending ? v->pending->control : v->control;
	unlock_owner(v, owner);
	return 0;
}

/*
 * Detach the object of a stopped owner, on behalf of a tracer. From now on all calls see the object
 * as detached: pending settings are discarded, and sums do not change any more. The owner completes
 * the detachment when it continues, because only the owner may access its page and its list of
 * notifiers.
 */
static int unlink_stopped(struct vperfctr *v, struct task_struct *owner)
{
	struct vperfctr_sum_ctrs *sum = kmalloc(sizeof(*sum), GFP_KERNEL_ACCOUNT);

	lockdep_assert_held(&v->lock);
	if (!sum)
		return -ENOMEM;
	if (!vperfctr_queue(v, owner, VPERFCTR_TODO_UNLINK)) {
		kfree(sum);
		return -ESRCH;
	}
	free_settings(v->pending);
	v->pending = NULL;
	read_sum(v, sum);
	sum->cstatus |= VPERFCTR_CSTATUS_DETACHED;
	WRITE_ONCE(v->final_sums, sum);
	return 0;
}

static bool has_no_owner(struct vperfctr *v)
{
	bool none;

	mutex_lock(&v->lock);
	none = !v->owner || vperfctr_is_unlinked(v);
	mutex_unlock(&v->lock);
	return none;
}

int vperfctr_unlink(struct vperfctr *v)
{
	struct task_struct *owner = lock_owner(v);
	bool self;
	int err = 0;

	if (IS_ERR(owner))
		return PTR_ERR(owner) == -ESRCH && has_no_owner(v) ? 0 : PTR_ERR(owner);
	self = owner == current;
	if (!self)
		err = unlink_stopped(v, owner);
	unlock_owner(v, owner);
	if (self)
		vperfctr_end(v, false);
	return err;
}

int vperfctr_iresume(struct vperfctr *v)
{
	struct task_struct *owner = lock_owner(v);
	int err = 0;

	if (IS_ERR(owner))
		return PTR_ERR(owner);
	if (!v->suspended)
		err = -EPERM;
	else if (owner == current)
		vperfctr_resume_slots(v);
	else if (!vperfctr_queue(v, owner, VPERFCTR_TODO_RESUME))
		err = -ESRCH;
	unlock_owner(v, owner);
	return err;
}

void vperfctr_apply_pending(struct vperfctr *v)
{
	struct vperfctr_settings *s;

	mutex_lock(&v->lock);
	s = v->pending;
	v->pending = NULL;
	/* Only the owner can return this error, because only the owner can find out whether all
	 * slots can count at the same time. */
	if (s && v->owner == current)
		apply(v, s, true);
	free_settings(s);
	mutex_unlock(&v->lock);
}

void vperfctr_handle_resume(struct vperfctr *v)
{
	mutex_lock(&v->lock);
	if (v->owner == current)
		vperfctr_resume_slots(v);
	mutex_unlock(&v->lock);
}

/* Send SIGILL although the thread may have been moved back to a CPU that counts its slots: some
 * of its time was not counted. */
void vperfctr_handle_forbidden(struct vperfctr *v)
{
	bool stopped = false;

	mutex_lock(&v->lock);
	if (v->owner == current && v->slots &&
	    (v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_FORBIDDEN)) {
		vperfctr_slots_stop(v->slots);
		preempt_disable();
		vperfctr_update(v, is_running(v), false);
		preempt_enable();
		stopped = true;
	}
	mutex_unlock(&v->lock);
	if (stopped)
		send_sig(SIGILL, current, 1);
}

void vperfctr_handle_exec(struct vperfctr *v)
{
	mutex_lock(&v->lock);
	if (v->owner == current)
		vperfctr_slots_allow_user_reads(v->slots);
	mutex_unlock(&v->lock);
}

/*
 * Store the final sums of the slots. @stopped: sums of the slots, which are stopped. NULL: the
 * slots are still running, have neither overflows nor multiplexing, and use the sums in the page;
 * later events are discarded.
 */
static void save_sums(struct vperfctr *v, const struct vperfctr_sum *stopped)
{
	u32 i;

	for (i = 0; i < v->slots->nr; i++) {
		if (stopped)
			v->kept[i] = stopped[i];
		else
			v->kept[i].count = v->state->cpu_state.pmc[i].sum;
	}
}

void vperfctr_end(struct vperfctr *v, bool dead)
{
	struct vperfctr_sum stopped[VPERFCTR_MAX_PMCS];
	struct vperfctr_slots *old;
	bool stop;

	mutex_lock(&v->lock);
	if (v->owner != current) {
		mutex_unlock(&v->lock);
		return;
	}
	free_settings(v->pending);
	v->pending = NULL;
	vperfctr_switch_page(v);
	old = v->slots;
	stop = old && (old->turns || old->interrupts);
	if (stop) {
		vperfctr_slots_stop(old);
		read_slots(v, stopped);
	}
	preempt_disable();
	vperfctr_update(v, false, true);
	if (old)
		save_sums(v, stop ? stopped : NULL);
	v->slots = NULL;
	vperfctr_watch(v, false);
	vperfctr_show_status(v, dead ? VPERFCTR_CSTATUS_DEAD : VPERFCTR_CSTATUS_DETACHED, 0);
	preempt_enable();
	v->dead = dead;
	/* Free the slots before clearing .owner, because the slots' interrupts use .owner. */
	vperfctr_slots_free(old);
	if (dead)
		vperfctr_add_to_parents(v);
	vperfctr_detach(v);
	mutex_unlock(&v->lock);
	vperfctr_put(v);	/* drop the reference that belongs to the attachment */
}

void vperfctr_end_unlinked(void)
{
	struct vperfctr *v;

	while ((v = vperfctr_own_unlinked()) != NULL)
		vperfctr_end(v, false);
}
