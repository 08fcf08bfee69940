// SPDX-License-Identifier: GPL-2.0
/*
 * session.c -- setup, start, stop, shutdown.
 */
#include "session.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/smp.h>

static void start_sampling_here(void *data)
{
	struct oprofile_session *s = data;

	if (this_cpu_read(s->cpu->active))
		s->backend->start_cpu(s);
}

static void stop_sampling_here(void *data)
{
	struct oprofile_session *s = data;

	s->backend->stop_cpu(s);
}

/* On the CPU that comes, in its hotplug thread. A CPU without memory is not sampled. */
static int on_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct oprofile_session *s = hlist_entry(node, struct oprofile_session, hotplug_node);

	if (oprofile_cpu_buffer_alloc(per_cpu_ptr(s->cpu, cpu), s->settings.cpu_buffer_size))
		pr_warn("oprofile: no memory for the buffer of CPU %u: it is not sampled\n", cpu);
	if (s->started) {
		local_irq_disable();
		start_sampling_here(s);
		local_irq_enable();
	}
	return 0;
}

static int on_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct oprofile_session *s = hlist_entry(node, struct oprofile_session, hotplug_node);

	if (s->started) {
		local_irq_disable();
		stop_sampling_here(s);
		local_irq_enable();
	}
	return 0;
}

static void release_cpu_buffers(struct oprofile_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu)
		oprofile_cpu_buffer_release(per_cpu_ptr(s->cpu, cpu));
}

static int add_cpus(struct oprofile_session *s)
{
	int cpu, err;

	err = cpuhp_state_add_instance(s->hotplug_state, &s->hotplug_node);
	if (err)
		return err;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (!per_cpu_ptr(s->cpu, cpu)->active)
			err = -ENOMEM;
	}
	cpus_read_unlock();
	if (err)
		cpuhp_state_remove_instance_nocalls(s->hotplug_state, &s->hotplug_node);
	return err;
}

int oprofile_session_setup(struct oprofile_session *s)
{
	int err;

	mutex_lock(&s->lock);
	if (s->is_setup) {
		err = -EBUSY;
		goto err_unlock;
	}
	err = oprofile_event_buffer_alloc(&s->events, s->settings.buffer_size,
					  s->settings.buffer_watershed);
	if (err)
		goto err_unlock;
	err = oprofile_cookies_setup(&s->cookies);
	if (err)
		goto err_release_events;
	err = add_cpus(s);
	if (err)
		goto err_release_cpus;
	oprofile_sync_setup(s);
	err = oprofile_task_watch_setup(&s->watch);
	if (err)
		goto err_shutdown_sync;
	err = s->backend->setup(s);
	if (err)
		goto err_shutdown_watch;
	s->reader = get_pid(task_tgid(current));
	s->is_setup = true;
	mutex_unlock(&s->lock);
	return 0;

err_shutdown_watch:
	oprofile_task_watch_shutdown(&s->watch);
err_shutdown_sync:
	oprofile_sync_shutdown(s);
	cpuhp_state_remove_instance_nocalls(s->hotplug_state, &s->hotplug_node);
err_release_cpus:
	release_cpu_buffers(s);
	oprofile_cookies_shutdown(&s->cookies);
err_release_events:
	oprofile_event_buffer_release(&s->events);
err_unlock:
	mutex_unlock(&s->lock);
	return err;
}

static void stop_locked(struct oprofile_session *s)
{
	lockdep_assert_held(&s->lock);
	if (!s->started)
		return;
	cpus_read_lock();
	s->started = false;
	on_each_cpu(stop_sampling_here, s, true);
	cpus_read_unlock();

	/* Tasks that were hit are about to tell where. Those that do not run now come too late. */
	oprofile_resolver_settle(&s->resolver);
	WRITE_ONCE(s->resolver.run, s->resolver.run + 1);
	synchronize_rcu();
	oprofile_sync_drain(s);
	oprofile_event_buffer_flush(&s->events);
}

void oprofile_session_shutdown(struct oprofile_session *s)
{
	mutex_lock(&s->lock);
	stop_locked(s);
	s->is_setup = false;
	s->backend->shutdown(s);
	oprofile_task_watch_shutdown(&s->watch);
	oprofile_sync_shutdown(s);
	cpuhp_state_remove_instance_nocalls(s->hotplug_state, &s->hotplug_node);
	synchronize_rcu();	/* tasks that resolve may be looking at their CPU's table */
	release_cpu_buffers(s);
	oprofile_cookies_shutdown(&s->cookies);
	oprofile_event_buffer_release(&s->events);
	put_pid(s->reader);
	s->reader = NULL;
	mutex_unlock(&s->lock);
	wake_up_all(&s->events.room);
}

int oprofile_session_start(struct oprofile_session *s)
{
	int err = 0;

	mutex_lock(&s->lock);
	if (!s->is_setup) {
		err = -EINVAL;
	} else if (!s->started) {
		oprofile_stats_reset(s);
		s->governor_told = false;
		cpus_read_lock();
		s->started = true;
		on_each_cpu(start_sampling_here, s, true);
		cpus_read_unlock();
	}
	mutex_unlock(&s->lock);
	return err;
}

int oprofile_session_stop(struct oprofile_session *s)
{
	mutex_lock(&s->lock);
	stop_locked(s);
	mutex_unlock(&s->lock);
	return 0;
}

static int try_dump(struct oprofile_session *s)
{
	int err;

	mutex_lock(&s->lock);
	if (!s->is_setup) {
		err = -EINVAL;
	} else {
		err = oprofile_sync_drain(s);
		oprofile_event_buffer_flush(&s->events);
		if (err == -ENOSPC && s->reader == task_tgid(current))
			err = -EAGAIN;
	}
	mutex_unlock(&s->lock);
	return err;
}

int oprofile_session_dump(struct oprofile_session *s)
{
	u64 tail;
	int err;

	for (;;) {
		tail = READ_ONCE(s->events.tail);
		err = try_dump(s);
		if (err != -ENOSPC)
			return err;
		/* The reader has taken something, or is gone. */
		err = wait_event_interruptible(s->events.room,
					       READ_ONCE(s->events.tail) != tail);
		if (err)
			return err;
	}
}

int oprofile_session_set(struct oprofile_session *s, unsigned long *setting, unsigned long value,
			 unsigned long min, unsigned long max)
{
	int err = 0;

	if (value < min || value > max)
		return -EINVAL;
	mutex_lock(&s->lock);
	if (s->started)
		err = -EBUSY;
	else
		*setting = value;
	mutex_unlock(&s->lock);
	return err;
}

int oprofile_session_init(struct oprofile_session *s)
{
	int cpu, err;

	mutex_init(&s->lock);
	mutex_init(&s->cookies.lock);
	oprofile_resolver_init(&s->resolver);
	oprofile_event_buffer_init(&s->events);
	oprofile_sync_init(&s->sync);
	s->settings = (struct oprofile_settings){
		.buffer_size = 131072,
		.buffer_watershed = 32768,
		.cpu_buffer_size = 8192,
		.governor_percent = 10,
	};
	s->cpu = alloc_percpu(struct cpu_buffer);
	if (!s->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(s->cpu, cpu)->s = s;
		per_cpu_ptr(s->cpu, cpu)->cpu = cpu;
	}
	err = s->backend->init(s);
	if (err)
		goto err_free_cpu;
	err = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "oprofile:online", on_cpu_online,
				      on_cpu_offline);
	if (err < 0)
		goto err_exit_backend;
	s->hotplug_state = err;
	return 0;

err_exit_backend:
	s->backend->exit(s);
err_free_cpu:
	free_percpu(s->cpu);
	return err;
}

/*
 * `buffer` is closed (it holds the module). Tasks may still hold records: 1. leave them those,
 * 2. wait until no task is left inside a function of ours, or about to call one, 3. free.
 */
void oprofile_session_exit(struct oprofile_session *s)
{
	int cpu;

	cpuhp_remove_multi_state(s->hotplug_state);
	oprofile_resolver_abandon(s);
	synchronize_rcu_tasks();
	for_each_possible_cpu(cpu)
		oprofile_pending_free(per_cpu_ptr(s->cpu, cpu));
	s->backend->exit(s);
	free_percpu(s->cpu);
}
