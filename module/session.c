// SPDX-License-Identifier: GPL-2.0
/* session.c -- setup, start, stop and shutdown of a session. */
#include "session.h"

#include "backend.h"
#include "backends.h"
#include "cpus.h"
#include "offcpu/ongoing.h"
#include "resolve.h"
#include "settings.h"

static void identity_init(struct oprofile_identity *i)
{
	mutex_init(&i->lock);
	oprofile_cookies_init(&i->cookies);
}

/*
 * Add a user of the tables, and set up the tables for the first user. Return 0 or -ENOMEM. The
 * first user becomes the reader: its root directory decides which file names are foreign
 * (cookie.h).
 */
static int identity_get(struct oprofile_identity *i)
{
	int err = 0;

	mutex_lock(&i->lock);
	if (!i->users) {
		err = oprofile_cookies_setup(&i->cookies);
		if (!err)
			oprofile_programs_clear(&i->programs);
	}
	i->users += !err;
	mutex_unlock(&i->lock);
	return err;
}

static void identity_put(struct oprofile_identity *i)
{
	mutex_lock(&i->lock);
	if (!--i->users)
		oprofile_cookies_shutdown(&i->cookies);
	mutex_unlock(&i->lock);
}

int oprofile_session_setup(struct oprofile_session *s)
{
	struct oprofile_sampling *sm = &s->sampling;
	int err;

	mutex_lock(&sm->lock);
	if (sm->is_setup) {
		err = -EBUSY;
		goto err_unlock;
	}
	err = oprofile_ring_alloc(&s->ring, sm->settings.buffer_size,
				  sm->settings.buffer_watershed);
	if (err)
		goto err_unlock;
	err = identity_get(&sm->identity);
	if (err)
		goto err_release_ring;
	oprofile_hooks_get(&sm->hooks, &s->hooks_user);
	err = oprofile_backend_setup(sm);
	if (err)
		goto err_put_hooks;
	err = oprofile_cpus_setup(sm);
	if (err)
		goto err_release_cpus;
	err = oprofile_drain_setup(&s->drain);
	if (err)
		goto err_shutdown_cpus;
	s->reader = get_pid(task_tgid(current));
	sm->is_setup = true;
	mutex_unlock(&sm->lock);
	return 0;

err_shutdown_cpus:
	oprofile_cpus_shutdown(sm);
err_release_cpus:
	oprofile_cpus_release(sm);
	sm->backend->shutdown(sm);
err_put_hooks:
	oprofile_hooks_put(&sm->hooks, &s->hooks_user);
	identity_put(&sm->identity);
err_release_ring:
	oprofile_ring_release(&s->ring);
err_unlock:
	mutex_unlock(&sm->lock);
	return err;
}

/*
 * Sample the waits that go on, and drain all tables. @begin: sample all waits; otherwise only the
 * waits that the last call has not sampled because the ring was full. Return 0, or -ENOSPC if the
 * ring has no room for the remaining samples.
 */
static int drain_with_waits(struct oprofile_session *s, bool begin)
{
	bool more;
	int err;

	do {
		more = oprofile_ongoing_sample(&s->sampling, begin);
		begin = false;
		err = oprofile_drain_now(&s->drain);
	} while (more && !err);
	return err;
}

static void stop_locked(struct oprofile_session *s)
{
	struct oprofile_sampling *sm = &s->sampling;

	lockdep_assert_held(&sm->lock);
	if (!sm->started)
		return;
	/* While the probe is attached, a thread cannot end without a change of its entry. A reader
	 * that exits reads nothing any more, and has no root directory. */
	if (!(current->flags & PF_EXITING))
		drain_with_waits(s, true);
	oprofile_offcpu_stop(sm);
	oprofile_cpus_stop(sm);

	/* Wait until queued lookups have resolved their samples. Samples of tasks that sleep, or
	 * that wait for a CPU, stay unresolved. */
	oprofile_resolver_wait(sm);
	WRITE_ONCE(s->resolver.run, s->resolver.run + 1);
	synchronize_rcu();
	oprofile_resolver_renew(sm);
	oprofile_drain_now(&s->drain);
	oprofile_ring_flush(&s->ring);
}

void oprofile_session_shutdown(struct oprofile_session *s)
{
	struct oprofile_sampling *sm = &s->sampling;

	mutex_lock(&sm->lock);
	stop_locked(s);
	sm->is_setup = false;
	oprofile_cpus_shutdown(sm);
	sm->backend->shutdown(sm);
	oprofile_hooks_put(&sm->hooks, &s->hooks_user);
	oprofile_drain_shutdown(&s->drain);
	synchronize_rcu();	/* wait for lookups that may be using a CPU's table */
	oprofile_cpus_release(sm);
	oprofile_paths_shutdown(&s->paths);
	identity_put(&sm->identity);
	oprofile_ring_release(&s->ring);
	put_pid(s->reader);
	s->reader = NULL;
	mutex_unlock(&sm->lock);
	wake_up_all(&s->ring.room);
}

int oprofile_session_start(struct oprofile_session *s)
{
	struct oprofile_sampling *sm = &s->sampling;
	int err = 0;

	mutex_lock(&sm->lock);
	if (!sm->is_setup) {
		err = -EINVAL;
	} else if (!sm->started) {
		sm->budget.reported = false;
		oprofile_hooks_check(&sm->hooks);
		err = oprofile_paths_start(sm);
		if (!err) {
			oprofile_cpus_start(sm);
			err = oprofile_offcpu_start(sm);
			if (err)
				stop_locked(s);
		}
	}
	mutex_unlock(&sm->lock);
	return err;
}

int oprofile_session_stop(struct oprofile_session *s)
{
	mutex_lock(&s->sampling.lock);
	stop_locked(s);
	mutex_unlock(&s->sampling.lock);
	return 0;
}

/* @again: the ring had no room in the last call for this dump. */
static int try_dump(struct oprofile_session *s, bool again)
{
	int err;

	mutex_lock(&s->sampling.lock);
	if (!s->sampling.is_setup) {
		err = -EINVAL;
	} else {
		/* After -EAGAIN, the reader reads from `buffer` and dumps again: complete its last
		 * dump. */
		again = again || s->dump_again;
		err = drain_with_waits(s, !again);
		s->dump_again = false;
		oprofile_ring_flush(&s->ring);
		if (err == -ENOSPC && s->reader == task_tgid(current))
			err = -EAGAIN;
		s->dump_again = err == -EAGAIN;
	}
	mutex_unlock(&s->sampling.lock);
	return err;
}

int oprofile_session_dump(struct oprofile_session *s)
{
	bool again = false;
	u64 tail;
	int err;

	for (;;) {
		tail = READ_ONCE(s->ring.tail);
		err = try_dump(s, again);
		if (err != -ENOSPC)
			return err;
		/* Wait until the reader has read from `buffer`, so that the ring has room, or until
		 * the reader has closed `buffer`. */
		again = true;
		err = wait_event_interruptible(s->ring.room,
					       READ_ONCE(s->ring.tail) != tail);
		if (err)
			return err;
	}
}

int oprofile_session_init(struct oprofile_session *s)
{
	struct oprofile_sampling *sm = &s->sampling;
	int err;

	mutex_init(&sm->lock);
	sm->resolver = &s->resolver;
	sm->paths = &s->paths;
	sm->offcpu = &s->offcpu;
	sm->waker = &s->drain.waker;
	identity_init(&sm->identity);
	oprofile_paths_init(&s->paths);
	oprofile_resolver_init(&s->resolver, oprofile_resolve_nmi_is_over);
	oprofile_hooks_init(&sm->hooks);
	oprofile_ring_init(&s->ring);
	oprofile_settings_init(sm);
	err = oprofile_offcpu_init(&s->offcpu, sm);
	if (err)
		return err;
	err = oprofile_cpus_init(sm);
	if (err)
		goto err_exit_offcpu;
	oprofile_drain_init(&s->drain, sm->cpu, &s->ring, &sm->hooks, &s->paths,
			    &sm->identity.cookies, &sm->settings.task_names);
	err = oprofile_backends_init(sm);
	if (!err)
		return 0;

	oprofile_cpus_exit(sm);
err_exit_offcpu:
	oprofile_offcpu_exit(&s->offcpu);
	return err;
}

/*
 * Free the session at module unload. `buffer` is closed, and no lookup is queued, because each
 * queued lookup has a reference to the module. A task may still be returning from its lookup's
 * function, so wait for RCU-tasks before freeing the pools.
 */
void oprofile_session_exit(struct oprofile_session *s)
{
	struct oprofile_sampling *sm = &s->sampling;
	int cpu;

	synchronize_rcu_tasks();
	for_each_possible_cpu(cpu)
		oprofile_lookup_pool_free(per_cpu_ptr(sm->cpu, cpu));
	oprofile_backends_exit(sm);
	oprofile_cpus_exit(sm);
	oprofile_offcpu_exit(&s->offcpu);
}
