// SPDX-License-Identifier: GPL-2.0
/*
 * session.c -- setup, start, stop, shutdown.
 */
#include "session.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/sched/isolation.h>
#include <linux/smp.h>
#include <linux/tick.h>

static bool is_sampled(const struct oprofile_cpu *pcpu)
{
	return pcpu->here && pcpu->active && !pcpu->err;
}

static void start_sampling_here(void *data)
{
	struct oprofile_session *s = data;
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);

	if (!is_sampled(pcpu))
		return;
	oprofile_governor_start(&pcpu->governor, s, ktime_get_mono_fast_ns());
	pcpu->random = get_random_u32() | 1;
	if (!s->backend->start_cpu)
		return;
	oprofile_time_slice_start(s);
	s->backend->start_cpu(s);
}

static void stop_sampling_here(void *data)
{
	struct oprofile_session *s = data;

	if (!s->backend->stop_cpu)
		return;
	s->backend->stop_cpu(s);
	oprofile_time_slice_stop(s);
}

/* What cannot be done with interrupts off: @cpu is being started or stopped as well. */
static void start_sampling_slowly(struct oprofile_session *s, unsigned int cpu)
{
	if (s->backend->start_cpu_slowly && is_sampled(per_cpu_ptr(s->cpu, cpu)))
		s->backend->start_cpu_slowly(s, cpu);
}

static void stop_sampling_slowly(struct oprofile_session *s, unsigned int cpu)
{
	if (s->backend->stop_cpu_slowly && is_sampled(per_cpu_ptr(s->cpu, cpu)))
		s->backend->stop_cpu_slowly(s, cpu);
}

static void start_sampling(struct oprofile_session *s)
{
	int cpu;

	on_each_cpu_mask(&s->cpus, start_sampling_here, s, true);
	for_each_cpu_and(cpu, &s->cpus, cpu_online_mask)
		start_sampling_slowly(s, cpu);
}

/*
 * CPUs that went down without a word to us: half way up when they were taken on, they never came as far
 * as our callback. cpus_read_lock() is held.
 */
static void forget_gone(struct oprofile_session *s)
{
	int cpu;

	for_each_cpu(cpu, &s->cpus) {
		struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

		if (!pcpu->here || cpu_online(cpu))
			continue;
		if (is_sampled(pcpu) && s->backend->cpu_gone)
			s->backend->cpu_gone(s, cpu);
		oprofile_time_slice_gone(pcpu);
		pcpu->here = false;
	}
}

static void stop_sampling(struct oprofile_session *s)
{
	int cpu;

	forget_gone(s);
	for_each_cpu_and(cpu, &s->cpus, cpu_online_mask)
		stop_sampling_slowly(s, cpu);
	on_each_cpu_mask(&s->cpus, stop_sampling_here, s, true);
}

static void take_off(struct oprofile_session *s, struct oprofile_cpu *pcpu)
{
	if (s->started) {
		stop_sampling_slowly(s, pcpu->cpu);
		local_irq_disable();
		stop_sampling_here(s);
		local_irq_enable();
	}
	if (is_sampled(pcpu) && s->backend->cpu_offline)
		s->backend->cpu_offline(s, pcpu->cpu);
	pcpu->here = false;
}

/* A CPU that cannot be sampled is left alone. */
static void take_on(struct oprofile_session *s, struct oprofile_cpu *pcpu)
{
	pcpu->here = true;
	pcpu->err = oprofile_cpu_alloc(pcpu, s->settings.cpu_buffer_size, s->wants_entries,
				       &s->drain.waker);
	if (!pcpu->err && s->backend->cpu_online)
		pcpu->err = s->backend->cpu_online(s, pcpu->cpu);
	if (pcpu->err && s->is_setup)
		pr_warn("oprofile: CPU %d is not sampled: error %d\n", pcpu->cpu, pcpu->err);
	if (s->started) {
		local_irq_disable();
		start_sampling_here(s);
		local_irq_enable();
		start_sampling_slowly(s, pcpu->cpu);
	}
}

/*
 * On the CPU that comes, in its hotplug thread. One that was left half way up at setup is sampled
 * already: it begins anew.
 */
static int on_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct oprofile_session *s = hlist_entry(node, struct oprofile_session, hotplug_node);
	struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

	if (!cpumask_test_cpu(cpu, &s->cpus))
		return 0;
	if (pcpu->here)
		take_off(s, pcpu);
	take_on(s, pcpu);
	return 0;
}

static int on_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct oprofile_session *s = hlist_entry(node, struct oprofile_session, hotplug_node);
	struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

	if (pcpu->here)
		take_off(s, pcpu);
	return 0;
}

/* On the CPU itself, by smp_call_on_cpu(). */
static int take_on_here(void *data)
{
	struct oprofile_cpu *pcpu = data;

	if (!pcpu->here && smp_processor_id() == pcpu->cpu)
		take_on(pcpu->s, pcpu);
	return 0;
}

static int take_off_here(void *data)
{
	struct oprofile_cpu *pcpu = data;

	if (pcpu->here && smp_processor_id() == pcpu->cpu)
		take_off(pcpu->s, pcpu);
	return 0;
}

/* cpus_read_lock() is held. */
static void on_each_sampled(struct oprofile_session *s, int (*call)(void *data))
{
	int cpu;

	for_each_cpu_and(cpu, &s->cpus, cpu_online_mask)
		smp_call_on_cpu(cpu, call, per_cpu_ptr(s->cpu, cpu), false);
}

static void release_cpus(struct oprofile_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu)
		oprofile_cpu_release(per_cpu_ptr(s->cpu, cpu));
}

static void remove_cpus(struct oprofile_session *s)
{
	int i;

	/* Twice: one may come in between. */
	for (i = 0; i < 2; i++) {
		cpus_read_lock();
		on_each_sampled(s, take_off_here);
		forget_gone(s);
		cpus_read_unlock();
		if (!i)
			cpuhp_state_remove_instance_nocalls(s->hotplug_state, &s->hotplug_node);
	}
}

/* No callbacks: they would wake a thread on each CPU, also on those that shall not be disturbed. */
static int add_cpus(struct oprofile_session *s)
{
	int cpu, err;

	err = cpuhp_state_add_instance_nocalls(s->hotplug_state, &s->hotplug_node);
	if (err)
		return err;
	cpus_read_lock();
	on_each_sampled(s, take_on_here);
	for_each_cpu_and(cpu, &s->cpus, cpu_online_mask)
		err = err ?: per_cpu_ptr(s->cpu, cpu)->err;
	cpus_read_unlock();
	if (err)
		remove_cpus(s);
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
	err = oprofile_ring_alloc(&s->ring, s->settings.buffer_size,
					  s->settings.buffer_watershed);
	if (err)
		goto err_unlock;
	err = oprofile_cookies_setup(&s->cookies);
	if (err)
		goto err_release_ring;
	oprofile_programs_clear(&s->programs);
	oprofile_hooks_setup(&s->hooks);
	err = oprofile_backend_setup(s);
	if (err)
		goto err_shutdown_hooks;
	err = add_cpus(s);
	if (err)
		goto err_release_cpus;
	err = oprofile_drain_setup(&s->drain);
	if (err)
		goto err_remove_cpus;
	s->reader = get_pid(task_tgid(current));
	s->is_setup = true;
	mutex_unlock(&s->lock);
	return 0;

err_remove_cpus:
	remove_cpus(s);
err_release_cpus:
	release_cpus(s);
	s->backend->shutdown(s);
err_shutdown_hooks:
	oprofile_hooks_shutdown(&s->hooks);
	oprofile_cookies_shutdown(&s->cookies);
err_release_ring:
	oprofile_ring_release(&s->ring);
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
	stop_sampling(s);
	cpus_read_unlock();

	/* Tasks that were hit are about to tell where. Those that do not run now come too late. */
	oprofile_resolver_settle(s);
	WRITE_ONCE(s->resolver.run, s->resolver.run + 1);
	synchronize_rcu();
	oprofile_resolver_renew(s);
	oprofile_drain_now(&s->drain);
	oprofile_ring_flush(&s->ring);
}

void oprofile_session_shutdown(struct oprofile_session *s)
{
	mutex_lock(&s->lock);
	stop_locked(s);
	s->is_setup = false;
	remove_cpus(s);
	s->backend->shutdown(s);
	oprofile_hooks_shutdown(&s->hooks);
	oprofile_drain_shutdown(&s->drain);
	synchronize_rcu();	/* tasks that resolve may be looking at their CPU's table */
	release_cpus(s);
	oprofile_cookies_shutdown(&s->cookies);
	oprofile_ring_release(&s->ring);
	put_pid(s->reader);
	s->reader = NULL;
	mutex_unlock(&s->lock);
	wake_up_all(&s->ring.room);
}

int oprofile_session_start(struct oprofile_session *s)
{
	int err = 0;

	mutex_lock(&s->lock);
	if (!s->is_setup) {
		err = -EINVAL;
	} else if (!s->started) {
		oprofile_stats_reset(s);
		oprofile_time_slice_reset(s);
		s->governor_told = false;
		oprofile_hooks_check(&s->hooks);
		cpus_read_lock();
		s->started = true;
		start_sampling(s);
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
		err = oprofile_drain_now(&s->drain);
		oprofile_ring_flush(&s->ring);
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
		tail = READ_ONCE(s->ring.tail);
		err = try_dump(s);
		if (err != -ENOSPC)
			return err;
		/* The reader has taken something, or is gone. */
		err = wait_event_interruptible(s->ring.room,
					       READ_ONCE(s->ring.tail) != tail);
		if (err)
			return err;
	}
}

int oprofile_session_set(struct oprofile_session *s, unsigned long *setting, unsigned long value,
			 unsigned long min, unsigned long max, bool fixed)
{
	int err = 0;

	if (value < min || value > max)
		return -EINVAL;
	mutex_lock(&s->lock);
	if (s->started || (fixed && s->is_setup))
		err = -EBUSY;
	else
		*setting = value;
	mutex_unlock(&s->lock);
	return err;
}

/* All but those that shall not be disturbed. */
static void undisturbed(struct cpumask *cpus)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) && !tick_nohz_full_cpu(cpu))
			cpumask_set_cpu(cpu, cpus);
	}
}

static int parse_cpus(const char *list, struct cpumask *cpus)
{
	int err = 0;

	if (!strcmp(list, "auto"))
		undisturbed(cpus);
	else
		err = cpulist_parse(list, cpus);
	if (!err && !cpumask_and(cpus, cpus, cpu_possible_mask))
		err = -EINVAL;
	return err;
}

int oprofile_session_set_cpus(struct oprofile_session *s, const char *list)
{
	cpumask_var_t cpus;
	int err;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	mutex_lock(&s->lock);
	err = s->is_setup ? -EBUSY : parse_cpus(list, cpus);
	if (!err)
		cpumask_copy(&s->cpus, cpus);
	mutex_unlock(&s->lock);
	free_cpumask_var(cpus);
	return err;
}

int oprofile_session_get_cpus(struct oprofile_session *s, char *text, size_t size)
{
	int length;

	mutex_lock(&s->lock);
	length = scnprintf(text, size, "%*pbl\n", cpumask_pr_args(&s->cpus));
	mutex_unlock(&s->lock);
	return length;
}

int oprofile_session_init(struct oprofile_session *s)
{
	int cpu, err;

	mutex_init(&s->lock);
	oprofile_cookies_init(&s->cookies);
	oprofile_resolver_init(&s->resolver);
	oprofile_hooks_init(&s->hooks);
	oprofile_ring_init(&s->ring);
		s->settings = (struct oprofile_settings){
		.buffer_size = 131072,
		.buffer_watershed = 32768,
		.cpu_buffer_size = 8192,
		.governor_percent = 10,
		.time_slice = 10,
	};
	undisturbed(&s->cpus);
	s->cpu = alloc_percpu(struct oprofile_cpu);
	if (!s->cpu)
		return -ENOMEM;
	oprofile_drain_init(&s->drain, s->cpu, &s->ring, &s->hooks);
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(s->cpu, cpu)->s = s;
		per_cpu_ptr(s->cpu, cpu)->cpu = cpu;
	}
	oprofile_time_slice_init(s);
	oprofile_events_init(s);
	err = oprofile_backends_init(s);
	if (err)
		goto err_free_cpu;
	err = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "oprofile:online", on_cpu_online,
				      on_cpu_offline);
	if (err < 0)
		goto err_exit_backends;
	s->hotplug_state = err;
	return 0;

err_exit_backends:
	oprofile_backends_exit(s);
err_free_cpu:
	free_percpu(s->cpu);
	return err;
}

/*
 * `buffer` is closed and no task has an errand of ours: both hold the module. A task may still be on
 * its way out of the function that gave its errand back; then free.
 */
void oprofile_session_exit(struct oprofile_session *s)
{
	int cpu;

	cpuhp_remove_multi_state(s->hotplug_state);
	synchronize_rcu_tasks();
	for_each_possible_cpu(cpu)
		oprofile_errand_free(per_cpu_ptr(s->cpu, cpu));
	oprofile_backends_exit(s);
	free_percpu(s->cpu);
}
