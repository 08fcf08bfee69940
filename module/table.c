// SPDX-License-Identifier: GPL-2.0
/* table.c -- tables of samples: finds, adds and empties contexts, slots and entries. */
#include "table.h"

#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "uapi/oprofile.h"
#include "waker.h"

enum { CTX_FREE, CTX_CLAIMED, CTX_READY };

#define SLOT_CLAIMED	(~0U)

void oprofile_table_release(struct oprofile_table *t)
{
	vfree(t->slots);
	vfree(t->places);
	vfree(t->contexts);
	vfree(t->entries);
	memset(t, 0, sizeof(*t));
}

/* Return the length of an entry in 64-bit words. @nr: number of the entry's 32-bit words of
 * data. */
static u32 entry_length(u32 nr)
{
	return DIV_ROUND_UP(struct_size_t(struct oprofile_entry, words, nr), sizeof(u64));
}

int oprofile_table_alloc(struct oprofile_table *t, unsigned long slots, bool entries, int node,
			 struct oprofile_waker *waker)
{
	unsigned int bits = order_base_2(slots);
	unsigned int context_bits = bits - 2;

	t->slots = vzalloc_node(sizeof(*t->slots) << bits, node);
	t->places = vzalloc_node(sizeof(*t->places) << bits, node);
	t->contexts = vzalloc_node(sizeof(*t->contexts) << context_bits, node);
	if (entries) {
		t->entries_max = entry_length(OPROFILE_MAX_DATA) << (bits - 1);
		t->entries_high = t->entries_max / 2;
		t->entries = vzalloc_node(array_size(sizeof(*t->entries), t->entries_max), node);
	}
	if (!t->slots || !t->places || !t->contexts || (entries && !t->entries)) {
		oprofile_table_release(t);
		return -ENOMEM;
	}
	t->slot_shift = 64 - bits;
	t->slot_mask = (1U << bits) - 1;
	t->slots_high = 1U << (bits - 1);
	t->context_shift = 64 - context_bits;
	t->context_mask = (1U << context_bits) - 1;
	t->contexts_high = 1U << (context_bits - 1);
	t->waker = waker;
	return 0;
}

static u32 hash_context(const struct oprofile_table *t, const struct oprofile_task_id *id)
{
	u64 sum = (unsigned long)id->task + id->start_time + id->generation * 4 + id->domain +
		  id->woken * 64ULL;

	return (sum ^ id->group << 32) * GOLDEN_RATIO_64 >> t->context_shift;
}

static u32 find_context(struct oprofile_table *t, const struct oprofile_task_id *id)
{
	u32 at = hash_context(t, id), i;

	for (i = 0; i < OPROFILE_PROBES; i++, at = (at + 1) & t->context_mask) {
		const struct oprofile_context *c = &t->contexts[at];

		if (c->state == CTX_FREE)
			return OPROFILE_NO_CONTEXT;
		if (c->state == CTX_READY && oprofile_same_task(&c->id, id) &&
		    c->id.domain == id->domain && c->id.woken == id->woken)
			return at;
	}
	return OPROFILE_NO_CONTEXT;
}

/* Store @context as the context of the domain's last hit. An NMI may interrupt this function. Its
 * handler uses the stored context only if .task is set, which is cleared first and set last. */
static void hit_last(struct oprofile_table *t, const struct oprofile_task_id *id, u32 context)
{
	const u32 i = oprofile_last_index(id);
	struct oprofile_task_id *last = &t->last[i].id;
	const void *task = id->task;

	WRITE_ONCE(last->task, NULL);
	barrier();
	t->last[i].context = context;
	last->start_time = id->start_time;
	last->exec_id = id->exec_id;
	last->generation = id->generation;
	last->group = id->group;
	last->woken = id->woken;
	barrier();
	WRITE_ONCE(last->task, task);
}

u32 oprofile_table_find_context(struct oprofile_table *t, const struct oprofile_task_id *id)
{
	u32 context = find_context(t, id);

	if (context != OPROFILE_NO_CONTEXT)
		hit_last(t, id, context);
	return context;
}

/* Insert @index + 1 at the head of the list *@head. An NMI on this CPU may insert into the same
 * list at any instruction. */
static void push(u32 *head, u32 *next, u32 index)
{
	u32 old = READ_ONCE(*head);

	do {
		*next = old;
	} while (!try_cmpxchg(head, &old, index + 1));
}

/* Add a context for @id with the attribution @who. Return its number, or NO_CONTEXT if the table is
 * full. */
static u32 add_context(struct oprofile_table *t, const struct oprofile_task_id *id,
		       const struct oprofile_attribution *who)
{
	u32 at = hash_context(t, id), i;

	for (i = 0; i < OPROFILE_PROBES; i++, at = (at + 1) & t->context_mask) {
		struct oprofile_context *c = &t->contexts[at];
		u32 used;

		if (c->state != CTX_FREE || cmpxchg(&c->state, CTX_FREE, CTX_CLAIMED) != CTX_FREE)
			continue;
		c->id = *id;
		c->who = *who;
		c->slots = 0;
		c->app_requested = 0;
		barrier();	/* an NMI on this CPU must see the stores in this order */
		WRITE_ONCE(c->state, CTX_READY);
		push(&t->used, &c->next, at);
		used = ++t->contexts_used;
		if (used == 1 || used == t->contexts_high)
			oprofile_wake(t->waker, used != 1);
		return at;
	}
	return OPROFILE_NO_CONTEXT;
}

u32 oprofile_table_new_context(struct oprofile_table *t, const struct oprofile_task_id *id, u64 app)
{
	struct oprofile_attribution who = { .app = OPROFILE_NO_COOKIE };

	if (id->task)
		who = oprofile_attribute(app, id->group);
	who.woken = id->woken;
	return add_context(t, id, &who);
}

static bool count(struct oprofile_table *t, u32 context, const struct oprofile_hit *hit,
		  const struct oprofile_place *place)
{
	u32 key = oprofile_slot_key(context, hit->event),
	    at = oprofile_slot_hash(t, hit->where, key), i;

	for (i = 0; i < OPROFILE_PROBES; i++, at = (at + 1) & t->slot_mask) {
		struct oprofile_slot *slot = &t->slots[at];
		u32 used;

		if (slot->where == hit->where && slot->key == key &&
		    oprofile_same_place(&t->places[at], place)) {
			oprofile_add_local(&slot->n, hit->n);
			return true;
		}
		if (slot->key || cmpxchg(&slot->key, 0, SLOT_CLAIMED))
			continue;
		slot->where = hit->where;
		slot->n = hit->n;
		t->places[at] = *place;
		barrier();	/* an NMI on this CPU must see the stores in this order */
		WRITE_ONCE(slot->key, key);
		push(&t->contexts[context].slots, &slot->next, at);
		used = ++t->slots_used;
		if (used == t->slots_high)
			oprofile_wake(t->waker, true);
		return true;
	}
	return false;
}

static bool add_entry(struct oprofile_table *t, u32 context, const struct oprofile_hit *hit,
		      const struct oprofile_place *place)
{
	const struct oprofile_data *data = hit->data;
	u32 at = READ_ONCE(t->entries_used), nr = min_t(u32, data->nr, OPROFILE_MAX_DATA);
	u32 length = entry_length(nr);
	struct oprofile_entry *e;

	do {
		if (length > t->entries_max - at)
			return false;
	} while (!try_cmpxchg(&t->entries_used, &at, at + length));
	e = (struct oprofile_entry *)(t->entries + at);
	*e = (struct oprofile_entry){
		.place = *place, .where = hit->where, .n = hit->n, .event = hit->event,
		.context = context, .code = data->code, .nr = nr,
	};
	memcpy(e->words, data->words, nr * sizeof(*e->words));
	if (at < t->entries_high && at + length >= t->entries_high)
		oprofile_wake(t->waker, true);
	return true;
}

const struct oprofile_entry *oprofile_table_entry(const struct oprofile_table *t, u32 *at)
{
	const struct oprofile_entry *e = (const struct oprofile_entry *)(t->entries + *at);

	if (*at >= t->entries_used)
		return NULL;
	*at += entry_length(e->nr);
	return e;
}

bool oprofile_table_add(struct oprofile_table *t, u32 context, const struct oprofile_hit *hit,
			const struct oprofile_place *place)
{
	if (unlikely(hit->data))
		return add_entry(t, context, hit, place);
	return count(t, context, hit, place);
}

/* Return the context of a resolved user sample; add the context if it is missing. Return NO_CONTEXT
 * if the table is full. */
static u32 user_context(struct oprofile_table *t, const struct oprofile_task_id *id, u64 app)
{
	u32 context;

	lockdep_assert_irqs_disabled();
	context = oprofile_table_context(t, id);
	if (context != OPROFILE_NO_CONTEXT) {
		/* Store the task's current name, because a new thread sets its name only after a
		 * few instructions. */
		oprofile_attribute_name(&t->contexts[context].who, current);
		return context;
	}
	context = oprofile_table_new_context(t, id, app);
	if (context != OPROFILE_NO_CONTEXT)
		hit_last(t, id, context);
	return context;
}

bool oprofile_table_add_user(struct oprofile_table *t, const struct oprofile_task_id *id, u64 app,
			     const struct oprofile_hit *hit, const struct oprofile_place *place)
{
	u32 context = user_context(t, id, app);

	return context != OPROFILE_NO_CONTEXT && oprofile_table_add(t, context, hit, place);
}

bool oprofile_table_add_for(struct oprofile_table *t, const struct oprofile_task_id *id,
			    const struct oprofile_attribution *who, const struct oprofile_hit *hit,
			    const struct oprofile_place *place)
{
	u32 context;

	lockdep_assert_irqs_disabled();
	context = find_context(t, id);
	if (context == OPROFILE_NO_CONTEXT)
		context = add_context(t, id, who);
	return context != OPROFILE_NO_CONTEXT && oprofile_table_add(t, context, hit, place);
}

bool oprofile_table_has_room(const struct oprofile_table *t)
{
	return t->contexts_used < t->contexts_high && t->slots_used < t->slots_high;
}

bool oprofile_table_recount(struct oprofile_table *t, const struct oprofile_task_id *id,
			    const struct oprofile_hit *hit, u64 where)
{
	static const struct oprofile_place nowhere = { .cookie = OPROFILE_NO_COOKIE };
	u32 context = find_context(t, id);
	struct oprofile_hit to = *hit;
	struct oprofile_slot *from;

	lockdep_assert_irqs_disabled();
	if (context == OPROFILE_NO_CONTEXT)
		return false;
	from = oprofile_table_slot(t, context, hit->where, hit->event);
	to.where = where;
	/* An NMI between this comparison and the subtraction below can only increase the count, so
	 * the comparison stays true. */
	if (!from || READ_ONCE(from->n) < hit->n || !oprofile_table_add(t, context, &to, &nowhere))
		return false;
	oprofile_add_local(&from->n, -hit->n);
	return true;
}

void oprofile_table_set_app(struct oprofile_table *t, u64 app, u64 group)
{
	struct oprofile_task_id id = {
		.task = current,
		.start_time = current->start_time,
		.exec_id = current->self_exec_id,
		.group = group,
	};
	u32 context;

	lockdep_assert_irqs_disabled();
	for (; id.domain < OPROFILE_NR_DOMAINS; id.domain++) {
		if (id.domain == OPROFILE_IN_USER)
			/* skip contexts of user samples: their program was known when they were
			 * created */
			continue;
		context = find_context(t, &id);
		if (context != OPROFILE_NO_CONTEXT)
			t->contexts[context].who.app = app;
	}
}

void oprofile_table_clear_slot(struct oprofile_table *t, u32 slot)
{
	t->slots[slot].key = 0;
	t->slots[slot].where = 0;
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
	t->entries_used = t->entries_drained = 0;
}
