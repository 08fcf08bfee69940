// SPDX-License-Identifier: GPL-2.0
/*
 * buffer_sync.c -- tables become records.
 */
#include "buffer_sync.h"

#include <linux/cpumask.h>
#include <linux/llist.h>

#include "compat/compat.h"
#include "session.h"
#include "uapi/oprofile.h"

/*
 * Data is no older than this when the reader gets it. Longer is cheaper, since samples are counted
 * where they are: emptying the tables and waking the daemon costs some 280,000 instructions.
 */
#define PERIOD		(4 * HZ)

/* A sample with every context record it may need. */
#define MAX_RECORD	(3 + 7 + 2 + 3 + 5 + 2 + 1 + OPROFILE_MAX_DATA)

/* What the reader of the stream knows, so that only changes are written. */
struct stream_state {
	bool cpu_known, task_known, cookie_known, range_known;
	pid_t tid, tgid;
	u64 app;
	int domain;		/* -1: not known */
	u64 cookie;
	struct oprofile_place range;
};

struct sample {
	pid_t tid, tgid;
	u64 app;
	u32 domain;
	unsigned long pc;
	u32 event, count;
	const struct oprofile_place *place;	/* user only */
	const struct oprofile_data *data;	/* or NULL */
};

struct record {
	unsigned long words[MAX_RECORD];
	size_t nr;
	bool impossible;	/* must not be written */
};

/* Users choose some of these: none may be taken for the beginning of a code. */
static void word(struct record *r, unsigned long value)
{
	r->impossible |= value == OPROFILE_ESCAPE;
	r->words[r->nr++] = value;
}

static void code(struct record *r, unsigned long value)
{
	r->words[r->nr++] = OPROFILE_ESCAPE;
	r->words[r->nr++] = value;
}

static void enter_cpu(struct stream_state *st, struct record *r, int cpu)
{
	if (st->cpu_known)
		return;
	code(r, OPROFILE_CPU_SWITCH);
	word(r, cpu);
	*st = (struct stream_state){ .cpu_known = true, .domain = -1 };
}

static void enter_task(struct stream_state *st, struct record *r, const struct sample *sample)
{
	if (st->task_known && st->tid == sample->tid && st->tgid == sample->tgid &&
	    st->app == sample->app)
		return;
	code(r, OPROFILE_CTX_SWITCH);
	word(r, sample->tid);
	word(r, sample->app);
	code(r, OPROFILE_CTX_TGID);
	word(r, sample->tgid);
	st->task_known = true;
	st->tid = sample->tid;
	st->tgid = sample->tgid;
	st->app = sample->app;
	st->cookie_known = st->range_known = false;
}

static void enter_domain(struct stream_state *st, struct record *r, u32 domain)
{
	static const unsigned long codes[] = {
		[OPROFILE_IN_KERNEL] = OPROFILE_KERNEL_ENTER,
		[OPROFILE_IN_USER] = OPROFILE_KERNEL_EXIT,
		[OPROFILE_IN_GUEST] = OPROFILE_GUEST_ENTER,
	};

	if (st->domain == domain)
		return;
	code(r, codes[domain]);
	st->domain = domain;
}

static void enter_place(struct stream_state *st, struct record *r,
			const struct oprofile_place *place)
{
	if (!st->cookie_known || st->cookie != place->cookie) {
		code(r, OPROFILE_COOKIE_SWITCH);
		word(r, place->cookie);
		st->cookie = place->cookie;
		st->cookie_known = true;
	}
	if (place->cookie != OPROFILE_NO_COOKIE ||
	    (st->range_known && st->range.start == place->start &&
	     st->range.end == place->end && st->range.kind == place->kind))
		return;
	code(r, OPROFILE_ANON_RANGE);
	word(r, place->start);
	word(r, place->end);
	word(r, place->kind);
	st->range = *place;
	st->range_known = true;
}

static void put_data(struct record *r, unsigned long offset, const struct oprofile_data *data)
{
	u32 i;

	r->impossible |= oprofile_operands(data->code) != 1 + (int)data->nr;
	code(r, data->code);
	word(r, offset);
	for (i = 0; i < data->nr; i++)
		word(r, data->words[i]);
}

static void put_sample(struct record *r, unsigned long offset, const struct sample *sample)
{
	if (sample->data) {
		put_data(r, offset, sample->data);
		return;
	}
	if (sample->count != 1) {
		code(r, OPROFILE_COUNT);
		word(r, sample->count);
	}
	word(r, offset);
	word(r, sample->event);
}

typedef int (*sample_fn)(struct oprofile_session *s, struct stream_state *st, struct cpu_buffer *cb,
			 const struct sample *sample);

/* 0, or ENOSPC and nothing is written. */
static int write_sample(struct oprofile_session *s, struct stream_state *st, struct cpu_buffer *cb,
			const struct sample *sample)
{
	struct stream_state next = *st;
	struct record r = { };
	unsigned long offset = sample->pc;
	int err;

	enter_cpu(&next, &r, cb->cpu);
	enter_task(&next, &r, sample);
	enter_domain(&next, &r, sample->domain);
	if (sample->domain == OPROFILE_IN_USER) {
		enter_place(&next, &r, sample->place);
		if (sample->place->cookie != OPROFILE_NO_COOKIE) {
			offset = sample->place->offset;
			r.impossible |= offset > OPROFILE_MAX_OFFSET;
		}
	}
	put_sample(&r, offset, sample);
	if (unlikely(r.impossible)) {
		cb->stats.sample_lost_impossible += sample->count;
		return 0;
	}
	err = oprofile_event_buffer_put(&s->events, r.words, r.nr);
	if (!err)
		*st = next;
	return err;
}

static int lose_sample(struct oprofile_session *s, struct stream_state *st, struct cpu_buffer *cb,
		       const struct sample *sample)
{
	cb->stats.event_lost_overflow += sample->count;
	return 0;
}

/* The records of a table, which stay claimed until all of it is empty. */
static int drain_records(struct oprofile_session *s, struct cpu_buffer *cb,
			 struct stream_state *st, sample_fn fn)
{
	struct oprofile_table *t = cb->draining;
	int err;

	for (; t->records_drained < t->records_used; t->records_drained++) {
		const struct oprofile_record *r = &t->records[t->records_drained];
		const struct oprofile_context *c = &t->contexts[r->context];
		const struct sample sample = {
			.tid = c->tid,
			.tgid = c->tgid,
			.app = c->app,
			.domain = c->id.domain,
			.pc = r->pc,
			.count = 1,
			.place = &r->place,
			.data = &r->data,
		};

		err = fn(s, st, cb, &sample);
		if (err)
			return err;
	}
	return 0;
}

/* Empties cb->draining through @fn, until that fails. */
static int drain_table(struct oprofile_session *s, struct cpu_buffer *cb, struct stream_state *st,
		       sample_fn fn)
{
	struct oprofile_table *t = cb->draining;
	int err;

	if (!t)
		return 0;
	err = drain_records(s, cb, st, fn);
	if (err)
		return err;
	while (t->used) {
		u32 context = t->used - 1;
		struct oprofile_context *c = &t->contexts[context];

		while (c->slots) {
			u32 slot = c->slots - 1;
			const struct sample sample = {
				.tid = c->tid,
				.tgid = c->tgid,
				.app = c->app,
				.domain = c->id.domain,
				.pc = t->slots[slot].pc,
				.event = oprofile_slot_event(t->slots[slot].key),
				.count = t->slots[slot].count,
				.place = &t->cold[slot].place,
			};

			err = fn(s, st, cb, &sample);
			if (err)
				return err;
			c->slots = t->cold[slot].next;
			oprofile_table_clear_slot(t, slot);
		}
		t->used = c->next;
		oprofile_table_clear_context(t, context);
	}
	oprofile_table_clear(t);
	cb->draining = NULL;
	return 0;
}

static int drain_strays(struct oprofile_session *s, struct cpu_buffer *cb, struct stream_state *st,
			sample_fn fn)
{
	int err;

	while (cb->strays_draining) {
		struct oprofile_pending *p = llist_entry(cb->strays_draining,
							 struct oprofile_pending, node);
		const struct sample sample = {
			.tid = p->tid,
			.tgid = p->tgid,
			.app = p->app,
			.domain = OPROFILE_IN_USER,
			.pc = p->pc,
			.event = p->event,
			.count = 1,
			.place = &p->place,
			.data = p->data.code ? &p->data : NULL,
		};

		err = fn(s, st, cb, &sample);
		if (err)
			return err;
		cb->strays_draining = p->node.next;
		oprofile_pending_put(p);
	}
	return 0;
}

static int drain_cpu(struct oprofile_session *s, struct cpu_buffer *cb, sample_fn fn)
{
	struct stream_state st = { };
	int err;

	err = drain_table(s, cb, &st, fn);
	return err ?: drain_strays(s, cb, &st, fn);
}

static int drain_all(struct oprofile_session *s, sample_fn fn)
{
	int cpu, err;

	for_each_possible_cpu(cpu) {
		err = drain_cpu(s, per_cpu_ptr(s->cpu, cpu), fn);
		if (err)
			return err;
	}
	return 0;
}

/* Gives each CPU that has something an empty table. What was before is ours when this returns. */
static void flip_all(struct oprofile_session *s)
{
	bool flipped = false;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cpu_buffer *cb = per_cpu_ptr(s->cpu, cpu);

		if (!cb->strays_draining)
			cb->strays_draining = llist_del_all(&cb->strays);
		if (!cb->active || !READ_ONCE(cb->active->used))
			continue;
		cb->draining = cb->active;
		/* Whoever sees that it is active finds it empty. */
		smp_store_release(&cb->active, &cb->tables[cb->active == &cb->tables[0]]);
		flipped = true;
	}
	if (flipped)
		synchronize_rcu();
}

static int put_notice(struct oprofile_session *s)
{
	static const unsigned long notice[] = { OPROFILE_ESCAPE, OPROFILE_MODULE_LOADED };

	return oprofile_event_buffer_put(&s->events, notice, ARRAY_SIZE(notice));
}

static int drain_locked(struct oprofile_session *s)
{
	struct oprofile_sync *y = &s->sync;
	int err = 0;

	lockdep_assert_held(&y->lock);
	if (y->notice)
		err = put_notice(s);
	if (!err) {
		y->notice = false;
		err = drain_all(s, write_sample);	/* what had no room last time */
	}
	if (!err) {
		flip_all(s);
		err = drain_all(s, write_sample);
	}
	WRITE_ONCE(y->backlog, err != 0);
	return err;
}

int oprofile_sync_drain(struct oprofile_session *s)
{
	int err;

	oprofile_task_watch_check(&s->watch);
	mutex_lock(&s->sync.lock);
	err = s->sync.live ? drain_locked(s) : 0;
	mutex_unlock(&s->sync.lock);
	return err;
}

void oprofile_sync_modules_changed(struct oprofile_session *s)
{
	mutex_lock(&s->sync.lock);
	if (s->sync.live && (drain_locked(s) || put_notice(s)))
		s->sync.notice = true;
	mutex_unlock(&s->sync.lock);
	oprofile_event_buffer_flush(&s->events);
}

static void sync_work(struct work_struct *work)
{
	struct oprofile_sync *y = container_of(to_delayed_work(work), struct oprofile_sync, work);
	struct oprofile_session *s = container_of(y, struct oprofile_session, sync);

	/* From here on the first sample in an empty table queues the work again. */
	WRITE_ONCE(y->armed, false);
	smp_mb();
	oprofile_sync_drain(s);
	oprofile_event_buffer_flush(&s->events);
}

static void sync_kicked(struct irq_work *kick)
{
	struct oprofile_sync *y = container_of(kick, struct oprofile_sync, kick);

	if (!READ_ONCE(y->live))
		return;
	if (READ_ONCE(y->urgent)) {
		WRITE_ONCE(y->urgent, false);
		mod_delayed_work(system_dfl_wq, &y->work, 0);
	} else {
		queue_delayed_work(system_dfl_wq, &y->work, PERIOD);
	}
}

void oprofile_sync_kick(struct oprofile_sync *y, bool urgent)
{
	if (urgent)
		WRITE_ONCE(y->urgent, true);
	else if (READ_ONCE(y->armed))
		return;
	WRITE_ONCE(y->armed, true);
	irq_work_queue(&y->kick);
}

void oprofile_sync_init(struct oprofile_sync *y)
{
	mutex_init(&y->lock);
	INIT_DELAYED_WORK(&y->work, sync_work);
	init_irq_work(&y->kick, sync_kicked);
}

void oprofile_sync_setup(struct oprofile_session *s)
{
	mutex_lock(&s->sync.lock);
	s->sync.armed = s->sync.urgent = s->sync.backlog = s->sync.notice = false;
	WRITE_ONCE(s->sync.live, true);
	mutex_unlock(&s->sync.lock);
}

void oprofile_sync_shutdown(struct oprofile_session *s)
{
	struct oprofile_sync *y = &s->sync;

	mutex_lock(&y->lock);
	WRITE_ONCE(y->live, false);
	mutex_unlock(&y->lock);
	irq_work_sync(&y->kick);
	cancel_delayed_work_sync(&y->work);

	mutex_lock(&y->lock);
	drain_all(s, lose_sample);
	flip_all(s);
	drain_all(s, lose_sample);
	mutex_unlock(&y->lock);
}
