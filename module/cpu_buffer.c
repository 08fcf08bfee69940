// SPDX-License-Identifier: GPL-2.0
/*
 * cpu_buffer.c -- counting samples in the interrupt handler.
 */
#include "cpu_buffer.h"

#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>

#include "compat/compat.h"
#include "segment.h"
#include "session.h"
#include "uapi/oprofile.h"

enum { CTX_FREE, CTX_CLAIMED, CTX_READY };

#define SLOT_CLAIMED	(~0U)
#define NONE		(~0U)

static u32 slot_key(u32 context, u32 event)
{
	return (context + 1) << 8 | event;
}

static bool same_task(const struct oprofile_task_id *a, const struct oprofile_task_id *b)
{
	return a->task == b->task && a->start_time == b->start_time &&
	       a->exec_id == b->exec_id && a->generation == b->generation && a->domain == b->domain;
}

static u32 hash_context(const struct oprofile_table *t, const struct oprofile_task_id *id)
{
	return ((unsigned long)id->task + id->start_time + id->generation * 4 + id->domain) *
	       GOLDEN_RATIO_64 >> t->context_shift;
}

static u32 hash_slot(const struct oprofile_table *t, unsigned long pc, u32 key)
{
	return (pc ^ (u64)key << 40) * GOLDEN_RATIO_64 >> t->slot_shift;
}

static u32 find_context(struct oprofile_table *t, const struct oprofile_task_id *id)
{
	u32 at = hash_context(t, id), i;

	for (i = 0; i < OPROFILE_PROBES; i++, at = (at + 1) & t->context_mask) {
		const struct oprofile_context *c = &t->contexts[at];

		if (c->state == CTX_FREE)
			return NONE;
		if (c->state == CTX_READY && same_task(&c->id, id))
			return at;
	}
	return NONE;
}

/* Puts @index + 1 at the head of a list that an NMI may be adding to as well. */
static void push(u32 *head, u32 *next, u32 index)
{
	u32 old = READ_ONCE(*head);

	do {
		*next = old;
	} while (!try_cmpxchg(head, &old, index + 1));
}

static u32 new_context(struct cpu_buffer *cb, struct oprofile_table *t,
		       const struct oprofile_task_id *id, u64 app)
{
	u32 at = hash_context(t, id), i;

	for (i = 0; i < OPROFILE_PROBES; i++, at = (at + 1) & t->context_mask) {
		struct oprofile_context *c = &t->contexts[at];
		u32 used;

		if (c->state != CTX_FREE || cmpxchg(&c->state, CTX_FREE, CTX_CLAIMED) != CTX_FREE)
			continue;
		c->id = *id;
		c->app = app;
		c->tid = current->pid;
		c->tgid = current->tgid;
		c->slots = 0;
		c->app_asked = 0;
		barrier();	/* for an NMI on this CPU */
		WRITE_ONCE(c->state, CTX_READY);
		push(&t->used, &c->next, at);
		used = ++t->contexts_used;
		if (used == 1 || used == t->contexts_high)
			oprofile_sync_kick(&cb->s->sync, used != 1);
		return at;
	}
	return NONE;
}

static struct oprofile_slot *find_slot(struct oprofile_table *t, unsigned long pc, u32 key)
{
	u32 at = hash_slot(t, pc, key), i;

	for (i = 0; i < OPROFILE_PROBES; i++, at = (at + 1) & t->slot_mask) {
		struct oprofile_slot *slot = &t->slots[at];

		if (slot->pc == pc && slot->key == key)
			return slot;
		if (!slot->key)
			return NULL;
	}
	return NULL;
}

/* False: it cannot count any further. */
static bool count_hit(struct oprofile_slot *slot)
{
	if (likely(oprofile_inc_local(&slot->count)))
		return true;
	oprofile_dec_local(&slot->count);
	return false;
}

static bool same_place(const struct oprofile_place *a, const struct oprofile_place *b)
{
	return a->cookie == b->cookie && a->start == b->start &&
	       (a->cookie != OPROFILE_NO_COOKIE || (a->end == b->end && a->kind == b->kind));
}

/* Finds or makes the slot of a resolved address and counts a hit. False: no room. */
static bool count_place(struct cpu_buffer *cb, struct oprofile_table *t, u32 context,
			unsigned long pc, u32 event, const struct oprofile_place *place)
{
	u32 key = slot_key(context, event), at = hash_slot(t, pc, key), i;

	for (i = 0; i < OPROFILE_PROBES; i++, at = (at + 1) & t->slot_mask) {
		struct oprofile_slot *slot = &t->slots[at];
		u32 used;

		if (slot->pc == pc && slot->key == key && same_place(&t->cold[at].place, place))
			return count_hit(slot);
		if (slot->key || cmpxchg(&slot->key, 0, SLOT_CLAIMED))
			continue;
		slot->pc = pc;
		slot->count = 1;
		t->cold[at].place = *place;
		barrier();	/* for an NMI on this CPU */
		WRITE_ONCE(slot->key, key);
		push(&t->contexts[context].slots, &t->cold[at].next, at);
		used = ++t->slots_used;
		if (used == t->slots_high)
			oprofile_sync_kick(&cb->s->sync, true);
		return true;
	}
	return false;
}

/* An NMI in between is in the same task and finds a context of that task, or none. */
static void hit_last(struct oprofile_table *t, const struct oprofile_task_id *id, u32 context)
{
	WRITE_ONCE(t->last[id->domain].context, context);
	barrier();
	t->last[id->domain].id = *id;
}

/* The context of @id: the one hit last, or one in the table, or NONE. */
static u32 known_context(struct oprofile_table *t, const struct oprofile_task_id *id)
{
	u32 context;

	if (likely(same_task(&t->last[id->domain].id, id)))
		return t->last[id->domain].context;
	context = find_context(t, id);
	if (context != NONE)
		hit_last(t, id, context);
	return context;
}

static bool can_run_task_work(const struct task_struct *task)
{
	return task->mm && !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER | PF_EXITING));
}

/* The program of @id, the current task, which may have given up its mm on its way out: then what
 * its last user sample on this CPU said. */
static u64 find_app(struct oprofile_session *s, const struct oprofile_table *t,
		    const struct oprofile_task_id *id)
{
	const struct oprofile_task_id *last = &t->last[OPROFILE_IN_USER].id;

	if (current->flags & PF_KTHREAD)
		return OPROFILE_NO_COOKIE;
	if (current->mm)
		return oprofile_program_of(&s->programs, oprofile_program_id(current->mm));
	if (last->task == id->task && last->start_time == id->start_time &&
	    last->exec_id == id->exec_id)
		return t->contexts[t->last[OPROFILE_IN_USER].context].app;
	return OPROFILE_NO_COOKIE;
}

static void lost_overflow(struct cpu_buffer *cb)
{
	this_cpu_inc(cb->s->cpu->stats.sample_lost_overflow);
}

/*
 * A kernel sample of a program that has no cookie yet: ask the task for it, once. From an NMI only
 * when the task takes the interrupt that asks as soon as the NMI is over.
 */
static void want_app(struct cpu_buffer *cb, struct oprofile_context *c, const struct pt_regs *regs)
{
	if (c->app_asked || !can_run_task_work(current) || (in_nmi() && !oprofile_irqs_enabled(regs)))
		return;
	c->app_asked = 1;
	oprofile_resolve_app_later(cb);
}

static void add_kernel(struct cpu_buffer *cb, struct oprofile_table *t,
		       const struct oprofile_task_id *id, const struct pt_regs *regs,
		       unsigned long pc, u32 event)
{
	static const struct oprofile_place nowhere = { .cookie = OPROFILE_NO_COOKIE };
	u32 context = known_context(t, id);
	struct oprofile_slot *slot;

	if (likely(context != NONE)) {
		slot = find_slot(t, pc, slot_key(context, event));
		if (likely(slot)) {
			if (unlikely(!count_hit(slot)))
				lost_overflow(cb);
			return;
		}
	} else {
		context = new_context(cb, t, id, find_app(cb->s, t, id));
		if (context == NONE) {
			lost_overflow(cb);
			return;
		}
	}
	if (t->contexts[context].app == OPROFILE_NO_COOKIE)
		want_app(cb, &t->contexts[context], regs);
	if (!count_place(cb, t, context, pc, event, &nowhere))
		lost_overflow(cb);
}

static void add_user(struct cpu_buffer *cb, struct oprofile_table *t,
		     const struct oprofile_task_id *id, unsigned long pc, u32 event)
{
	u32 context = known_context(t, id);
	struct oprofile_slot *slot;

	if (likely(context != NONE && cb->s->watch.maps_watched)) {
		slot = find_slot(t, pc, slot_key(context, event));
		if (likely(slot)) {
			if (unlikely(!count_hit(slot)))
				lost_overflow(cb);
			return;
		}
	}
	oprofile_resolve_later(cb, pc, event, NULL);
}

/*
 * Is what this interrupt hit a virtual machine's? A CPU leaves the guest to take an interrupt, so @regs
 * are those of KVM, where it came to take it. KVM marks its task from before it enters until it has
 * taken what made it leave, NMIs as well: the mark by which the kernel accounts its ticks to the guest,
 * and as for those, it says nothing about what another interrupt or a soft one does meanwhile. The few
 * instructions of KVM on both sides of the guest that run with interrupts off, which only an NMI can
 * hit, are taken for the guest's.
 */
static bool in_guest(void)
{
	return unlikely(current->flags & PF_VCPU) && hardirq_count() == HARDIRQ_OFFSET && !softirq_count();
}

void oprofile_add_sample(struct oprofile_session *s, struct pt_regs *regs, u32 event)
{
	struct cpu_buffer *cb = this_cpu_ptr(s->cpu);
	struct oprofile_table *t = READ_ONCE(cb->active);
	struct task_struct *task = current;
	unsigned long pc = instruction_pointer(regs);
	struct oprofile_task_id id = {
		.task = task,
		.start_time = task->start_time,
		.exec_id = task->self_exec_id,
	};

	this_cpu_inc(s->cpu->stats.sample_received);
	if (unlikely(!t || pc == OPROFILE_ESCAPE)) {
		this_cpu_inc(s->cpu->stats.sample_invalid_eip);
		return;
	}
	if (!user_mode(regs)) {
		if (in_guest()) {
			id.domain = OPROFILE_IN_GUEST;
			pc = 0;
		}
		add_kernel(cb, t, &id, regs, pc, event);
		return;
	}
	if (unlikely(!task->mm)) {
		this_cpu_inc(s->cpu->stats.sample_lost_no_mm);
		return;
	}
	id.domain = OPROFILE_IN_USER;
	id.generation = oprofile_generation(&s->watch, task->mm);
	add_user(cb, t, &id, oprofile_user_pc(regs), event);
}

static bool keep_record(struct cpu_buffer *cb, struct oprofile_table *t, u32 context,
			unsigned long pc, const struct oprofile_data *data,
			const struct oprofile_place *place)
{
	u32 at = READ_ONCE(t->records_used);

	do {
		if (at >= t->records_max)
			return false;
	} while (!try_cmpxchg(&t->records_used, &at, at + 1));
	t->records[at] = (struct oprofile_record){
		.pc = pc, .context = context, .place = *place, .data = *data,
	};
	if (at == t->records_high)
		oprofile_sync_kick(&cb->s->sync, true);
	return true;
}

/* The context of a sample without a user address, known or new, or NONE. */
static u32 kernel_context(struct cpu_buffer *cb, struct oprofile_table *t,
			  const struct oprofile_task_id *id)
{
	u32 context = known_context(t, id);

	return context != NONE ? context : new_context(cb, t, id, find_app(cb->s, t, id));
}

void oprofile_add_record(struct oprofile_session *s, struct pt_regs *regs, unsigned long pc,
			 bool user, u32 code, const u32 *words, unsigned int nr)
{
	static const struct oprofile_place nowhere = { .cookie = OPROFILE_NO_COOKIE };
	struct cpu_buffer *cb = this_cpu_ptr(s->cpu);
	struct oprofile_table *t = READ_ONCE(cb->active);
	struct oprofile_data data = { .code = code, .nr = min_t(u32, nr, OPROFILE_MAX_DATA) };
	struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
	};
	u32 context;

	memcpy(data.words, words, data.nr * sizeof(*words));
	this_cpu_inc(s->cpu->stats.sample_received);
	if (unlikely(!t || pc == OPROFILE_ESCAPE)) {
		this_cpu_inc(s->cpu->stats.sample_invalid_eip);
		return;
	}
	if (!user_mode(regs) && in_guest()) {
		id.domain = OPROFILE_IN_GUEST;
		user = false;
		pc = 0;
	}
	if (user && !can_run_task_work(current)) {
		this_cpu_inc(s->cpu->stats.sample_lost_no_mm);
		return;
	}
	if (user) {
		oprofile_resolve_later(cb, pc, 0, &data);
		return;
	}
	context = kernel_context(cb, t, &id);
	if (context == NONE) {
		lost_overflow(cb);
		return;
	}
	if (t->contexts[context].app == OPROFILE_NO_COOKIE)
		want_app(cb, &t->contexts[context], regs);
	if (!keep_record(cb, t, context, pc, &data, &nowhere))
		lost_overflow(cb);
}

/* The context of a resolved user sample, known or new, or NONE. */
static u32 user_context(struct cpu_buffer *cb, struct oprofile_table *t,
			const struct oprofile_task_id *id, u64 app)
{
	u32 context;

	lockdep_assert_irqs_disabled();
	context = known_context(t, id);
	if (context != NONE)
		return context;
	context = new_context(cb, t, id, app);
	if (context != NONE)
		hit_last(t, id, context);
	return context;
}

bool oprofile_cpu_buffer_add_user(struct cpu_buffer *cb, const struct oprofile_task_id *id,
				  u64 app, unsigned long pc, u32 event,
				  const struct oprofile_place *place)
{
	struct oprofile_table *t = READ_ONCE(cb->active);
	u32 context = user_context(cb, t, id, app);

	return context != NONE && count_place(cb, t, context, pc, event, place);
}

bool oprofile_cpu_buffer_add_user_record(struct cpu_buffer *cb, const struct oprofile_task_id *id,
					 u64 app, unsigned long pc,
					 const struct oprofile_data *data,
					 const struct oprofile_place *place)
{
	struct oprofile_table *t = READ_ONCE(cb->active);
	u32 context = user_context(cb, t, id, app);

	return context != NONE && keep_record(cb, t, context, pc, data, place);
}

void oprofile_cpu_buffer_set_app(struct cpu_buffer *cb, u64 app)
{
	struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
	};
	struct oprofile_table *t = READ_ONCE(cb->active);
	u32 context;

	lockdep_assert_irqs_disabled();
	for (; id.domain < OPROFILE_NR_DOMAINS; id.domain++) {
		if (id.domain == OPROFILE_IN_USER)
			continue;	/* begins with it */
		context = find_context(t, &id);
		if (context != NONE)
			t->contexts[context].app = app;
	}
}

void oprofile_table_clear_slot(struct oprofile_table *t, u32 slot)
{
	t->slots[slot].key = 0;
	t->slots[slot].pc = 0;
}

void oprofile_table_clear_context(struct oprofile_table *t, u32 context)
{
	t->contexts[context].state = CTX_FREE;
}

void oprofile_table_clear(struct oprofile_table *t)
{
	memset(t->last, 0, sizeof(t->last));
	t->slots_used = t->contexts_used = 0;
	t->used = 0;
	t->records_used = t->records_drained = 0;
}
