// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/family.c -- objects of child threads.
 */
#include "vperfctr/family.h"

#include <linux/err.h>
#include <linux/sched.h>

#include "vperfctr/object.h"
#include "vperfctr/overflow.h"
#include "vperfctr/ring.h"
#include "vperfctr/slots.h"
#include "vperfctr/state.h"
#include "vperfctr/switch.h"

void vperfctr_reset(struct vperfctr_sum *sum, const struct vperfctr_control *c)
{
	u32 i;

	for (i = 0; i < VPERFCTR_MAX_PMCS; i++) {
		if (!(c->preserve & BIT(i)))
			sum[i] = (struct vperfctr_sum){ };
	}
}

void vperfctr_new_family(struct vperfctr *v, const struct vperfctr_control *c)
{
	spin_lock(&v->children_lock);
	v->control_id = vperfctr_new_control_id();
	vperfctr_reset(v->children.pmc, c);
	if (!c->tsc_on)
		v->children.tsc = 0;
	v->children.cstatus &= (u64)c->preserve * VPERFCTR_CSTATUS_ERROR(0);
	if (!c->preserve && !v->children.tsc)
		v->children.nr_children = v->children.nr_missed = 0;
	spin_unlock(&v->children_lock);
}

static bool make_ring(struct vperfctr *v)
{
	struct vperfctr_ring *ring = vperfctr_ring_create(v->user, v->control.ring_pages);

	if (IS_ERR(ring))
		return false;
	if (ring)
		vperfctr_swap_ring(v, ring);
	return true;
}

void vperfctr_begin_copy(struct vperfctr *v)
{
	struct vperfctr_slots *s = ERR_PTR(-ENOMEM);

	mutex_lock(&v->lock);
	if (v->owner != current || v->slots)
		goto unlock;
	if (make_ring(v))
		s = vperfctr_make_slots(v, &v->control, v->ring, current, true);
	if (IS_ERR(s)) {
		preempt_disable();
		vperfctr_show_status(
			v, (BIT_ULL(v->control.nrctrs) - 1) * VPERFCTR_CSTATUS_ERROR(0), 0);
		preempt_enable();
		goto unlock;
	}
	vperfctr_slots_allow_user_reads(s);
	if (s && s->interrupts)
		vperfctr_slots_start(s);
	preempt_disable();
	v->slots = s;
	v->state->features |= s && s->maps ? VPERFCTR_FEATURE_RDPMC : 0;
	vperfctr_update(v, v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_RUNNING, true);
	vperfctr_check_cpu(v, smp_processor_id());
	preempt_enable();
unlock:
	mutex_unlock(&v->lock);
}

void vperfctr_add_to_parents(struct vperfctr *v)
{
	struct vperfctr_sum_ctrs sum;
	struct vperfctr *to;
	u64 id;
	/* equal control_ids mean equal settings, so the slots are the same */
	u32 i, nr = v->control.nrctrs;

	spin_lock(&v->children_lock);
	memcpy(&sum, &v->children, offsetof(struct vperfctr_sum_ctrs, pmc[nr]));
	sum.nr_children++;
	id = v->control_id;
	v->flushed = true;
	to = v->parent;
	if (to)
		vperfctr_get(to);
	spin_unlock(&v->children_lock);

	sum.tsc += v->state->cpu_state.tsc_sum;
	sum.cstatus |= v->state->cpu_state.cstatus & VPERFCTR_CSTATUS_ERRORS;
	for (i = 0; i < nr; i++) {
		sum.pmc[i].count += v->kept[i].count;
		sum.pmc[i].enabled += v->kept[i].enabled;
		sum.pmc[i].running += v->kept[i].running;
	}
	while (to) {
		struct vperfctr *next = NULL;

		spin_lock(&to->children_lock);
		if (to->control_id == id) {
			to->children.tsc += sum.tsc;
			to->children.cstatus |= sum.cstatus;
			to->children.nr_children += sum.nr_children;
			to->children.nr_missed += sum.nr_missed;
			for (i = 0; i < nr; i++) {
				to->children.pmc[i].count += sum.pmc[i].count;
				to->children.pmc[i].enabled += sum.pmc[i].enabled;
				to->children.pmc[i].running += sum.pmc[i].running;
			}
			if (to->flushed)
				next = to->parent;
		}
		if (next)
			vperfctr_get(next);
		spin_unlock(&to->children_lock);
		vperfctr_put(to);
		to = next;
		cond_resched();
	}
}

