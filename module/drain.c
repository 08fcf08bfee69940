// SPDX-License-Identifier: GPL-2.0
/* drain.c -- draining of the CPUs' tables: exchanges each CPU's two tables, and writes the
 * samples of the formerly active one to the stream. */
#include "drain.h"

#include <linux/cpumask.h>
#include <linux/llist.h>
#include <linux/module.h>

#include "compat/compat.h"
#include "cookie.h"
#include "cpu.h"
#include "debug.h"
#include "lookup.h"
#include "hooks.h"
#include "paths/send.h"
#include "record.h"
#include "ring.h"

/*
 * Maximum age of a sample when the reader of `buffer` receives it. One drain costs about 280,000
 * instructions, including the wake-up of the daemon, so a longer period would be cheaper.
 */
#define PERIOD		(4 * HZ)
/* Minimum time between two reports of files with foreign names, to limit the number of times that
 * users can wake up the reader. */
#define FILES_PERIOD	msecs_to_jiffies(10)

#ifdef OPROFILE_DEBUG
static bool no_period;
module_param(no_period, bool, 0444);
MODULE_PARM_DESC(no_period, "for tests: drain tables only on request or when they are half full");
#else
#define no_period	false
#endif

typedef int (*sample_fn)(struct oprofile_drain *d, struct oprofile_stream *st,
			 struct oprofile_cpu *pcpu, const struct oprofile_sample *sample);

/* Write the sample to the ring and return 0. If the ring has no room, write nothing and return
 * -ENOSPC. */
static int write_sample(struct oprofile_drain *d, struct oprofile_stream *st,
			struct oprofile_cpu *pcpu, const struct oprofile_sample *sample)
{
	int err = 0;

	if (sample->has_path)
		err = oprofile_path_send(d->paths, d->ring, sample->user_node) ?:
		      oprofile_path_send(d->paths, d->ring, sample->kernel_node);
	err = err ?: oprofile_record_sample(d->ring, st, pcpu->cpu, sample);

	if (unlikely(err == -EINVAL)) {
		pcpu->stats.sample_lost_impossible += sample->hit.n;
		return 0;
	}
	return err;
}

static int count_lost_sample(struct oprofile_drain *d, struct oprofile_stream *st,
			     struct oprofile_cpu *pcpu, const struct oprofile_sample *sample)
{
	pcpu->stats.event_lost_overflow += sample->hit.n;
	return 0;
}

/* Write the entries of a table (samples with additional data) to the ring. The space of entries
 * is not reused until the whole table is empty. */
static int drain_entries(struct oprofile_drain *d, struct oprofile_cpu *pcpu,
			 struct oprofile_stream *st, sample_fn fn)
{
	struct oprofile_table *t = pcpu->draining;
	const struct oprofile_entry *e;
	u32 next = t->entries_drained;
	int err;

	while ((e = oprofile_table_entry(t, &next)) != NULL) {
		const struct oprofile_context *c = &t->contexts[e->context];
		const struct oprofile_data data = {.code = e->code, .nr = e->nr, .words = e->words};
		const struct oprofile_sample sample = {
			.who = &c->who,
			.domain = c->id.domain,
			.hit = { .where = e->where, .n = e->n, .event = e->event, .data = &data },
			.place = &e->place,
		};

		err = fn(d, st, pcpu, &sample);
		if (err)
			return err;
		t->entries_drained = next;
	}
	return 0;
}

/* Write a sample with as much of the count *@n as one record can hold, and subtract the written
 * count from *@n. */
static int drain_some(struct oprofile_drain *d, struct oprofile_cpu *pcpu,
		      struct oprofile_stream *st, sample_fn fn, struct oprofile_sample *sample,
		      u64 *n)
{
	int err;

	sample->hit.n = min_t(u64, *n, OPROFILE_MAX_COUNT_WORD);
	err = fn(d, st, pcpu, sample);
	if (!err)
		*n -= sample->hit.n;
	return err;
}

/* Set the sample's address. A sample that is counted by call path has the address of the path's
 * leaf node. */
static void use_path(const struct oprofile_path_book *book, struct oprofile_sample *sample)
{
	u32 leaf;

	sample->has_path = true;
	sample->user_node = sample->hit.where;
	sample->kernel_node = sample->hit.where >> 32;
	sample->hit.event &= ~OPROFILE_HIT_PATH;
	leaf = sample->domain == OPROFILE_IN_USER ? sample->user_node : sample->kernel_node;
	sample->hit.where = book->nodes.node[leaf].offset;
}

/* Write the samples in the slots of the context to the ring. Return 0 if all are written, or a
 * negative errno. */
static int drain_slots(struct oprofile_drain *d, struct oprofile_cpu *pcpu,
		       struct oprofile_stream *st, sample_fn fn, struct oprofile_context *c)
{
	struct oprofile_table *t = pcpu->draining;

	while (c->slots) {
		u32 at = c->slots - 1;
		struct oprofile_slot *slot = &t->slots[at];
		struct oprofile_sample sample = {
			.who = &c->who,
			.domain = c->id.domain,
			.hit = { .where = slot->where, .event = oprofile_slot_event(slot->key) },
			.place = &t->places[at],
		};
		int err;

		if (sample.hit.event & OPROFILE_HIT_PATH)
			use_path(t->book, &sample);
		/* A slot's count is 0 if recount() has moved all its hits to another slot. */
		err = slot->n ? drain_some(d, pcpu, st, fn, &sample, &slot->n) : 0;
		if (err)
			return err;
		if (slot->n)
			continue;
		c->slots = slot->next;
		oprofile_table_clear_slot(t, at);
	}
	return 0;
}

/* Call @fn for each sample of pcpu->draining until @fn fails. */
static int drain_table(struct oprofile_drain *d, struct oprofile_cpu *pcpu,
		       struct oprofile_stream *st, sample_fn fn)
{
	struct oprofile_table *t = pcpu->draining;
	int err;

	if (!t)
		return 0;
	err = drain_entries(d, pcpu, st, fn);
	if (err)
		return err;
	while (t->used) {
		u32 context = t->used - 1;
		struct oprofile_context *c = &t->contexts[context];

		err = drain_slots(d, pcpu, st, fn, c);
		if (err)
			return err;
		t->used = c->next;
		oprofile_table_clear_context(t, context);
	}
	oprofile_table_clear(t);
	pcpu->draining = NULL;
	return 0;
}

/* Read the call path of a sample whose task has migrated. The path refers to nodes of a book
 * (paths/book.h). Discard the path if the stream now refers to a newer book. */
static void read_moved_path(struct oprofile_drain *d, const struct oprofile_lookup *p,
			    struct oprofile_sample *sample)
{
	const struct oprofile_path_book *book = oprofile_paths_streamed(d->paths);

	if (book && book->epoch == p->epoch)
		use_path(book, sample);
	sample->hit.event &= ~OPROFILE_HIT_PATH;
	sample->hit.where = p->address;
}

static int drain_moved(struct oprofile_drain *d, struct oprofile_cpu *pcpu,
		       struct oprofile_stream *st, sample_fn fn)
{
	while (pcpu->moved_draining) {
		struct oprofile_lookup *p = llist_entry(pcpu->moved_draining,
							 struct oprofile_lookup, node);
		struct oprofile_sample sample = {
			.who = &p->who,
			.domain = OPROFILE_IN_USER,
			.hit = p->hit,
			.place = &p->place,
		};
		int err;

		if (sample.hit.event & OPROFILE_HIT_PATH)
			read_moved_path(d, p, &sample);
		err = drain_some(d, pcpu, st, fn, &sample, &p->hit.n);
		if (err)
			return err;
		if (p->hit.n)
			continue;
		pcpu->moved_draining = p->node.next;
		oprofile_lookup_put(p);
	}
	return 0;
}

static int drain_cpu(struct oprofile_drain *d, struct oprofile_cpu *pcpu, sample_fn fn)
{
	struct oprofile_stream st = { .names = READ_ONCE(*d->names) };
	int err;

	err = drain_table(d, pcpu, &st, fn);
	return err ?: drain_moved(d, pcpu, &st, fn);
}

static int drain_all(struct oprofile_drain *d, sample_fn fn)
{
	int cpu, err;

	for_each_possible_cpu(cpu) {
		err = drain_cpu(d, per_cpu_ptr(d->cpu, cpu), fn);
		if (err)
			return err;
	}
	return 0;
}

/* Activate the second table of each CPU whose active table has samples; @all: of every CPU. After
 * this function returns, no handler uses the formerly active tables any more. */
static void flip_all(struct oprofile_drain *d, bool all)
{
	bool flipped = false;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct oprofile_cpu *pcpu = per_cpu_ptr(d->cpu, cpu);
		struct oprofile_table *other;

		if (!pcpu->moved_draining)
			pcpu->moved_draining = llist_del_all(&pcpu->moved);
		if (!pcpu->active || (!all && !READ_ONCE(pcpu->active->used)))
			continue;
		pcpu->draining = pcpu->active;
		other = &pcpu->tables[pcpu->active == &pcpu->tables[0]];
		other->book = oprofile_paths_book(d->paths, pcpu);
		/* The other table is empty, so handlers may fill it as soon as .active points to
		 * it. */
		smp_store_release(&pcpu->active, other);
		flipped = true;
	}
	if (flipped)
		synchronize_rcu();
}

static int drain_locked(struct oprofile_drain *d)
{
	u64 tail = READ_ONCE(d->ring->tail);
	int err = 0;

	lockdep_assert_held(&d->lock);
	if (d->notice)
		err = oprofile_record_modules(d->ring);
	if (!err) {
		d->notice = false;
		/* write the samples for which the ring had no room at the last drain */
		err = drain_all(d, write_sample);
	}
	err = err ?: oprofile_paths_finish(d->paths, d->ring);
	if (!err) {
		flip_all(d, oprofile_paths_rotate(d->paths));
		err = drain_all(d, write_sample);
		err = err ?: oprofile_paths_finish(d->paths, d->ring);
	}
	if (err)
		oprofile_delay_failed_drain();
	WRITE_ONCE(d->backlog, err != 0);
	/* Write .backlog before reading the reader's position in the ring; pairs with
	 * oprofile_drain_resume(). */
	smp_mb();
	if (err && READ_ONCE(d->ring->tail) != tail)
		/* The reader may have made room before it could see .backlog, so resume the drain
		 * here. */
		oprofile_wake(&d->waker, true);
	return err;
}

int oprofile_drain_now(struct oprofile_drain *d)
{
	int err;

	oprofile_hooks_check(d->hooks);
	mutex_lock(&d->lock);
	err = d->live ? drain_locked(d) : 0;
	mutex_unlock(&d->lock);
	return err;
}

void oprofile_drain_resume(struct oprofile_drain *d)
{
	/* Write the reader's position before reading .backlog; pairs with the barrier of a drain
	 * that found the ring full. */
	smp_mb();
	if (READ_ONCE(d->backlog))
		oprofile_wake(&d->waker, true);
}

/* Write all samples taken so far to the stream, then a MODULE_LOADED record: /proc/modules has
 * changed. */
static int on_module(struct notifier_block *nb, unsigned long action, void *data)
{
	struct oprofile_drain *d = container_of(nb, struct oprofile_drain, modules);

	if (action != MODULE_STATE_COMING && action != MODULE_STATE_GOING)
		return NOTIFY_OK;
	mutex_lock(&d->lock);
	if (d->live && (drain_locked(d) || oprofile_record_modules(d->ring)))
		d->notice = true;
	mutex_unlock(&d->lock);
	oprofile_ring_flush(d->ring);
	return NOTIFY_OK;
}

static void drain_work(struct work_struct *work)
{
	struct oprofile_drain *d = container_of(to_delayed_work(work), struct oprofile_drain, work);

	/* Re-arm the waker: from now on, a handler that adds the first sample to an empty table
	 * schedules the drain. */
	WRITE_ONCE(d->waker.armed, false);
	smp_mb();
	oprofile_drain_now(d);
	oprofile_ring_flush(d->ring);
}

static void report_files(struct work_struct *work)
{
	struct oprofile_drain *d = container_of(to_delayed_work(work), struct oprofile_drain,
						files);
	struct oprofile_foreign_file file;

	WRITE_ONCE(d->reported, jiffies);
	/* A lookup that adds a file from now on schedules another report. */
	WRITE_ONCE(d->waker.files, false);
	smp_mb();
	mutex_lock(&d->lock);
	/* If the ring has no room, the reader looks for the file at its first sample. */
	while (d->live && oprofile_cookies_take_foreign(d->cookies, &file))
		(void)oprofile_record_foreign(d->ring, file.cookie, file.tgid);
	mutex_unlock(&d->lock);
	oprofile_ring_flush(d->ring);
}

static void schedule_files(struct oprofile_drain *d)
{
	unsigned long since = jiffies - READ_ONCE(d->reported);

	queue_delayed_work(system_dfl_wq, &d->files,
			   since < FILES_PERIOD ? FILES_PERIOD - since : 0);
}

static void on_wake(struct irq_work *work)
{
	struct oprofile_drain *d = container_of(work, struct oprofile_drain, waker.work);

	if (!READ_ONCE(d->live))
		return;
	if (READ_ONCE(d->waker.files))
		schedule_files(d);
	if (READ_ONCE(d->waker.urgent)) {
		WRITE_ONCE(d->waker.urgent, false);
		mod_delayed_work(system_dfl_wq, &d->work, 0);
	} else if (likely(!no_period)) {
		queue_delayed_work(system_dfl_wq, &d->work, PERIOD);
	}
}

void oprofile_drain_init(struct oprofile_drain *d, struct oprofile_cpu __percpu *cpu,
			 struct oprofile_ring *ring, struct oprofile_hooks *hooks,
			 struct oprofile_paths *paths, struct oprofile_cookies *cookies,
			 const unsigned long *names)
{
	d->cpu = cpu;
	d->ring = ring;
	d->hooks = hooks;
	d->paths = paths;
	d->cookies = cookies;
	d->names = names;
	mutex_init(&d->lock);
	INIT_DELAYED_WORK(&d->work, drain_work);
	INIT_DELAYED_WORK(&d->files, report_files);
	init_irq_work(&d->waker.work, on_wake);
}

int oprofile_drain_setup(struct oprofile_drain *d)
{
	int err;

	d->modules.notifier_call = on_module;
	err = register_module_notifier(&d->modules);
	if (err)
		return err;
	mutex_lock(&d->lock);
	d->waker.armed = d->waker.urgent = d->waker.files = d->backlog = d->notice = false;
	d->reported = jiffies - FILES_PERIOD;
	WRITE_ONCE(d->live, true);
	mutex_unlock(&d->lock);
	return 0;
}

void oprofile_drain_shutdown(struct oprofile_drain *d)
{
	unregister_module_notifier(&d->modules);
	mutex_lock(&d->lock);
	WRITE_ONCE(d->live, false);
	mutex_unlock(&d->lock);
	irq_work_sync(&d->waker.work);
	cancel_delayed_work_sync(&d->work);
	cancel_delayed_work_sync(&d->files);

	mutex_lock(&d->lock);
	drain_all(d, count_lost_sample);
	flip_all(d, false);
	drain_all(d, count_lost_sample);
	mutex_unlock(&d->lock);
}
