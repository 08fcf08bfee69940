// SPDX-License-Identifier: GPL-2.0
/* vperfctr/slots.c -- slots of an object: each slot is a perf event. */
#include "vperfctr/slots.h"

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "vperfctr/cpus.h"
#include "vperfctr/held.h"
#include "vperfctr/object.h"
#include "vperfctr/pmu.h"
#include "vperfctr/ring.h"
#include "vperfctr/users.h"

/* Store the pc of an overflow in the slot. The irq_work writes the record later, because an NMI
 * cannot write to the ring. */
static void note_place(struct vperfctr_slot *slot, struct pt_regs *regs)
{
	struct vperfctr_slots *s = slot->slots;

	if (test_bit(slot - s->slot, &s->unwritten)) {
		atomic_inc(&slot->lost);
		return;
	}
	/* Do not reveal kernel addresses to users who may count only user mode. */
	if (!user_mode(regs) && slot->event->attr.exclude_kernel)
		regs = task_pt_regs(current);
	slot->pc = instruction_pointer(regs);
	smp_mb__before_atomic();	/* store the pc before setting the slot's bit */
	set_bit(slot - s->slot, &s->unwritten);
}

/* The overflow handler of slots with an ireset. perf has already stopped the slot. Called in the
 * owner's context: in an interrupt, an NMI, a page fault, or a context switch. */
static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct vperfctr_slot *slot = event->overflow_handler_context;
	struct vperfctr_slots *s = slot->slots;

	WRITE_ONCE(slot->armed, false);
	if (s->ring)
		note_place(slot, regs);
	if (s->stop)
		set_bit(slot - s->slot, &s->overflowed);
	irq_work_queue(&s->irq_work);
}

static bool is_clock(const struct perf_event *event)
{
	return event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
	       event->attr.config == PERF_COUNT_SW_TASK_CLOCK;
}

static struct perf_event *create_event(const struct vperfctr_control *control, u32 i,
				       struct task_struct *task, bool disabled, void *context)
{
	const struct vperfctr_pmc *p = &control->pmc[i];
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = p->type,
		.config = p->config,
		.config1 = p->config1,
		.config2 = p->config2,
		.sample_period = p->ireset,
		.disabled = disabled,
		.pinned = !(p->flags & VPERFCTR_SHARE) && !(control->flags & VPERFCTR_ANY_CPU),
		.exclude_user = !(p->flags & VPERFCTR_USER),
		.exclude_kernel = !(p->flags & VPERFCTR_KERNEL),
		.exclude_hv = 1,
		.exclude_guest = p->type != PERF_TYPE_SOFTWARE,
	};

	bool asked = vperfctr_request_user_reads(&attr);
	struct perf_event *event =
		perf_event_create_kernel_counter(&attr, -1, task, on_overflow, context);

	/* some PMUs refuse an event if user mode may not read its counter: try again without
	 * requesting such reads */
	if (IS_ERR(event) && asked) {
		attr.config1 = p->config1;
		event = perf_event_create_kernel_counter(&attr, -1, task, on_overflow, context);
	}
	if (IS_ERR(event))
		/* -ENOENT means that no PMU counts this event */
		return PTR_ERR(event) == -ENOENT ? ERR_PTR(-EOPNOTSUPP) : event;
	if (p->ireset && (event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT)) {
		perf_event_release_kernel(event);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return event;
}

static bool any_hardware(const struct vperfctr_control *control)
{
	u32 i;

	for (i = 0; i < control->nrctrs; i++) {
		if (control->pmc[i].type != PERF_TYPE_SOFTWARE)
			return true;
	}
	return false;
}

static bool make_masks(struct vperfctr_slots *s)
{
	void *masks = kcalloc(3, cpumask_size(), GFP_KERNEL_ACCOUNT);

	if (!masks)
		return false;
	s->cpus = masks;
	s->before = masks + cpumask_size();
	s->narrowed = masks + 2 * cpumask_size();
	cpumask_copy(s->cpus, cpu_possible_mask);
	return true;
}

/* Allocate the struct of the slots, charge the slots to the object's user, and keep the static
 * keys of their events enabled (held.h). */
static struct vperfctr_slots *alloc_slots(struct vperfctr *v,
					  const struct vperfctr_control *control,
					  void (*handler)(struct irq_work *work))
{
	struct vperfctr_slots *s;
	int err = -EAGAIN;

	if (!vperfctr_charge(v->user, VPERFCTR_SLOTS, control->nrctrs))
		return ERR_PTR(err);
	err = vperfctr_hold(control);
	if (err)
		goto err_uncharge;
	err = -ENOMEM;
	s = kzalloc(struct_size(s, slot, control->nrctrs), GFP_KERNEL_ACCOUNT);
	if (!s)
		goto err_let_go;
	if (any_hardware(control) && !make_masks(s))
		goto err_free;
	s->v = v;
	s->nr = control->nrctrs;
	init_irq_work(&s->irq_work, handler);
	return s;

err_free:
	kfree(s);
err_let_go:
	vperfctr_unhold();
err_uncharge:
	vperfctr_uncharge(v->user, VPERFCTR_SLOTS, control->nrctrs);
	return ERR_PTR(err);
}

static void bind(struct vperfctr_slots *s)
{
	u32 i;

	if (!s->cpus)
		return;
	for (i = 0; i < s->nr; i++) {
		if (s->slot[i].event)
			vperfctr_only_cpus_of(s->slot[i].event, s->cpus);
	}
	s->bound = !cpumask_equal(s->cpus, cpu_possible_mask);
}

/* If the caller's CPU can count all slots, disable migration and return true. */
static bool bind_to_cpu(struct vperfctr_slots *s)
{
	migrate_disable();
	s->stays = cpumask_test_cpu(raw_smp_processor_id(), s->cpus);
	if (!s->stays)
		migrate_enable();
	return s->stays;
}

/* sched_setaffinity() and cpusets also change the caller's CPU mask. So change the mask only to
 * move the caller to a suitable CPU, and restore the mask as soon as the caller is there. */
int vperfctr_slots_bind(struct vperfctr_slots *s)
{
	int err;

	if (!s || !s->bound || bind_to_cpu(s))
		return 0;
	cpumask_copy(s->before, &current->cpus_mask);
	if (!cpumask_and(s->narrowed, s->before, s->cpus))
		return -EINVAL;
	err = set_cpus_allowed_ptr(current, s->narrowed);
	if (err)
		return err;
	/* the caller may be on a wrong CPU, if another task has moved it since
	 * set_cpus_allowed_ptr() */
	err = bind_to_cpu(s) ? 0 : -EINVAL;
	if (cpumask_equal(&current->cpus_mask, s->narrowed))
		set_cpus_allowed_ptr(current, s->before);
	return err;
}

void vperfctr_slots_unbind(struct vperfctr_slots *s)
{
	if (!s || !s->stays)
		return;
	s->stays = false;
	migrate_enable();
}

void vperfctr_slots_narrow(struct vperfctr_slots *s)
{
	if (!s || !s->bound)
		return;
	/* If the mask contains no CPU that can count the slots, another task has changed it:
	 * leave the mask unchanged. vperfctr_check_cpu() will detect this case. */
	if (!cpumask_and(s->narrowed, &current->cpus_mask, s->cpus))
		goto leave;
	if (!cpumask_test_cpu(raw_smp_processor_id(), s->narrowed))
		vperfctr_slots_unbind(s);
	set_cpus_allowed_ptr(current, s->narrowed);
leave:
	vperfctr_slots_unbind(s);
}

static bool wants_maps(const struct vperfctr_slots *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++) {
		if (s->slot[i].event && vperfctr_user_reads(s->slot[i].event))
			return true;
	}
	return false;
}

struct vperfctr_slots *vperfctr_slots_create(struct vperfctr *v,
					     const struct vperfctr_control *control,
					     struct vperfctr_ring *ring, struct task_struct *task,
					     bool copy, void (*handler)(struct irq_work *work))
{
	struct vperfctr_slots *s;
	u32 i;

	if (!control->nrctrs)
		return NULL;
	s = alloc_slots(v, control, handler);
	if (IS_ERR(s))
		return s;
	for (i = 0; i < control->nrctrs; i++) {
		s->slot[i].slots = s;
		s->slot[i].interrupts = control->pmc[i].ireset;
		s->interrupts |= s->slot[i].interrupts;
	}
	for (i = 0; i < control->nrctrs; i++) {
		struct perf_event *event =
			create_event(control, i, task, !copy || s->interrupts, &s->slot[i]);

		if (!IS_ERR(event)) {
			s->slot[i].event = event;
			s->slot[i].is_read =
				event->attr.type != PERF_TYPE_SOFTWARE || is_clock(event);
			s->reads |= s->slot[i].is_read;
			s->turns |= !event->attr.pinned;
		} else if (!copy) {
			vperfctr_slots_free(s);
			return ERR_CAST(event);
		}
	}
	if (ring)
		vperfctr_ring_get(ring);
	s->ring = ring;
	s->stop = control->si_signo;
	s->maps = wants_maps(s) && vperfctr_hold_probe();
	if (!(control->flags & VPERFCTR_ANY_CPU)) {
		bind(s);
		if (!copy && s->cpus && !cpumask_intersects(s->cpus, task->cpus_ptr)) {
			vperfctr_slots_free(s);
			return ERR_PTR(-EINVAL);
		}
	}
	return s;
}

struct vperfctr_slot *vperfctr_slot_of(struct perf_event *event)
{
	return event->overflow_handler == on_overflow ? event->overflow_handler_context : NULL;
}

/* Notify the PMU that programs with the memory map @mm begin or cease to read counters in user
 * mode. Some PMUs count such memory maps. */
static void notify_pmu(struct vperfctr_slots *s, struct mm_struct *mm, bool mapped)
{
	u32 i;

	mmap_write_lock(mm);
	for (i = 0; i < s->nr; i++) {
		struct perf_event *event = s->slot[i].event;
		void (*notify)(struct perf_event *, struct mm_struct *);

		if (!event || !(event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT))
			continue;
		notify = mapped ? event->pmu->event_mapped : event->pmu->event_unmapped;
		if (notify)
			notify(event, mm);
	}
	mmap_write_unlock(mm);
}

static void withdraw_user_reads(struct vperfctr_slots *s)
{
	if (!s->mm)
		return;
	notify_pmu(s, s->mm, false);
	mmdrop(s->mm);
	s->mm = NULL;
}

void vperfctr_slots_allow_user_reads(struct vperfctr_slots *s)
{
	if (!s || !s->maps || s->mm == current->mm)
		return;
	withdraw_user_reads(s);
	if (!current->mm)
		return;
	mmgrab(current->mm);
	s->mm = current->mm;
	notify_pmu(s, s->mm, true);
}

void vperfctr_slots_free(struct vperfctr_slots *s)
{
	u32 i;

	if (!s)
		return;
	withdraw_user_reads(s);
	for (i = 0; i < s->nr; i++) {
		if (s->slot[i].event)
			perf_event_release_kernel(s->slot[i].event);
	}
	irq_work_sync(&s->irq_work);
	vperfctr_unhold();
	vperfctr_uncharge(s->v->user, VPERFCTR_SLOTS, s->nr);
	vperfctr_ring_put(s->ring);
	kfree(s->cpus);
	kfree(s);
}

void vperfctr_slots_set_periods(struct vperfctr_slots *s, const struct vperfctr_sum *kept)
{
	u32 i;

	for (i = 0; s && i < s->nr; i++) {
		struct perf_event *event = s->slot[i].event;
		u64 passed;

		if (!event || !s->slot[i].interrupts)
			continue;
		div64_u64_rem(kept[i].count, event->attr.sample_period, &passed);
		/*
		 * If the event counts in a PMU, period_left is the remaining part of the period.
		 * For software events that perf counts in software, period_left is the part that
		 * has passed.
		 */
		if (s->slot[i].is_read)
			passed = event->attr.sample_period - passed;
		local64_set(&event->hw.period_left, passed);
	}
}

/* Start a slot. If the slot has an ireset, arrange that it stops after one overflow, and discard
 * any earlier overflow that was not handled. */
static void start(struct vperfctr_slot *slot)
{
	if (!slot->event)
		return;
	if (!slot->interrupts || !slot->slots->stop || slot->armed) {
		perf_event_enable(slot->event);
	} else {
		WRITE_ONCE(slot->armed, true);
		perf_event_refresh(slot->event, 1);
	}
}

int vperfctr_slots_start(struct vperfctr_slots *s)
{
	int err = 0;
	u32 i;

	for (i = 0; s && i < s->nr; i++)
		start(&s->slot[i]);
	/* Check the slots only after all are enabled, because a later slot may have taken the
	 * counter of an earlier one. */
	for (i = 0; s && i < s->nr; i++) {
		if (vperfctr_slot_failed(&s->slot[i]))
			err = -ENOSPC;
	}
	return err;
}

void vperfctr_slots_stop(struct vperfctr_slots *s)
{
	u32 i;

	for (i = 0; s && i < s->nr; i++) {
		if (s->slot[i].event)
			perf_event_disable(s->slot[i].event);
	}
	if (s)
		irq_work_sync(&s->irq_work);
}

static void show_counter(const struct perf_event *event, struct vperfctr_pmc_state *pmc, u64 kept,
			 u64 map)
{
	u64 width = vperfctr_width_of(event), start, count;

	/* An NMI may move counts from `prev_count` to `count` between the two reads: then repeat
	 * both reads. */
	do {
		start = local64_read(&event->hw.prev_count);
		count = local64_read(&event->count);
		barrier();
	} while (start != local64_read(&event->hw.prev_count));
	WRITE_ONCE(pmc->map, map);
	WRITE_ONCE(pmc->width, width);
	WRITE_ONCE(pmc->start, width < 64 ? start & (BIT_ULL(width) - 1) : start);
	WRITE_ONCE(pmc->sum, kept + count);
}

static void show_mapped(struct perf_event *event, struct vperfctr_pmc_state *pmc, u64 kept,
			bool running)
{
	u64 map = running ? vperfctr_map_of(event) : 0;

	if (map) {
		show_counter(event, pmc, kept, map);
		return;
	}
	WRITE_ONCE(pmc->map, 0);
	WRITE_ONCE(pmc->width, 64);
	WRITE_ONCE(pmc->start, 0);
	WRITE_ONCE(pmc->sum, kept + local64_read(&event->count));
}

void vperfctr_slots_refresh(const struct vperfctr_slots *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		vperfctr_slot_refresh(&s->slot[i]);
}

u64 vperfctr_slots_show(const struct vperfctr_slots *s, struct vperfctr_pmc_state *pmc,
			const struct vperfctr_sum *kept, bool running, bool fresh)
{
	u64 failed = 0;
	u32 i;

	for (i = 0; i < s->nr; i++) {
		const struct vperfctr_slot *slot = &s->slot[i];
		struct perf_event *event = slot->event;

		if (unlikely(vperfctr_slot_failed(slot)))
			failed |= BIT_ULL(i);
		if (unlikely(!event))
			continue;
		if (fresh)
			vperfctr_slot_refresh(slot);
		if (s->maps)
			show_mapped(event, &pmc[i], kept[i].count, running);
		else
			WRITE_ONCE(pmc[i].sum, kept[i].count + local64_read(&event->count));
	}
	return failed;
}

void vperfctr_slot_read(const struct vperfctr_slot *slot, struct vperfctr_sum *sum)
{
	*sum = (struct vperfctr_sum){ };
	if (!slot->event)
		return;
	sum->count = perf_event_read_value(slot->event, &sum->enabled, &sum->running);
	if (slot->event->attr.pinned)
		sum->enabled = sum->running = 0;
}
