// SPDX-License-Identifier: GPL-2.0
/*
 * cpus.c -- the sampled CPUs: start, stop, and CPU hotplug.
 */
#include "cpus.h"

#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/smp.h>

#include "backend.h"
#include "lookup.h"
#include "paths/paths.h"
#include "sampling.h"
#include "time_slice.h"

static bool is_sampled(const struct oprofile_cpu *pcpu)
{
	return pcpu->here && pcpu->active && !pcpu->err;
}

static void reset_books(struct oprofile_sampling *s)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

		memset(&pcpu->stats, 0, sizeof(pcpu->stats));
		atomic64_set(&pcpu->unresolved, 0);
	}
}

static void start_sampling_here(void *data)
{
	struct oprofile_sampling *s = data;
	struct oprofile_cpu *pcpu = this_cpu_ptr(s->cpu);

	if (!is_sampled(pcpu))
		return;
	oprofile_governor_start(&pcpu->governor, &s->budget, ktime_get_mono_fast_ns());
	pcpu->random = get_random_u32() | 1;
	if (!s->backend->start_cpu)
		return;
	oprofile_time_slice_start(s);
	s->backend->start_cpu(s);
}

static void stop_sampling_here(void *data)
{
	struct oprofile_sampling *s = data;

	if (!s->backend->stop_cpu)
		return;
	s->backend->stop_cpu(s);
	oprofile_time_slice_stop(s);
}

/* Start sampling on @cpu by a backend whose start function may sleep. */
static void start_sampling_slowly(struct oprofile_sampling *s, unsigned int cpu)
{
	if (s->backend->start_cpu_slowly && is_sampled(per_cpu_ptr(s->cpu, cpu)))
		s->backend->start_cpu_slowly(s, cpu);
}

static void stop_sampling_slowly(struct oprofile_sampling *s, unsigned int cpu)
{
	if (s->backend->stop_cpu_slowly && is_sampled(per_cpu_ptr(s->cpu, cpu)))
		s->backend->stop_cpu_slowly(s, cpu);
}

void oprofile_cpus_start(struct oprofile_sampling *s)
{
	int cpu;

	reset_books(s);
	oprofile_time_slice_reset(s);
	cpus_read_lock();
	s->started = true;
	on_each_cpu_mask(&s->cpus, start_sampling_here, s, true);
	for_each_cpu_and(cpu, &s->cpus, cpu_online_mask)
		start_sampling_slowly(s, cpu);
	cpus_read_unlock();
}

void oprofile_cpus_stop(struct oprofile_sampling *s)
{
	int cpu;

	cpus_read_lock();
	s->started = false;
	for_each_cpu_and(cpu, &s->cpus, cpu_online_mask)
		stop_sampling_slowly(s, cpu);
	on_each_cpu_mask(&s->cpus, stop_sampling_here, s, true);
	cpus_read_unlock();
}

static void detach_cpu(struct oprofile_sampling *s, struct oprofile_cpu *pcpu)
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

/* Call the backend's cpu_online() for a CPU. If it fails, log an error and exclude the CPU from
 * sampling. */
static void attach_cpu(struct oprofile_sampling *s, struct oprofile_cpu *pcpu)
{
	pcpu->here = true;
	pcpu->err = oprofile_cpu_alloc(pcpu, s->settings.cpu_buffer_size, s->wants_entries,
				       s->waker) ?: oprofile_lookup_pool_alloc(pcpu);
	if (!pcpu->err && s->started)
		pcpu->err = oprofile_paths_prepare_cpu(s, pcpu);
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

/* Hotplug callback on the CPU that comes online. If oprofile_cpus_setup() ran while the CPU was
 * between two hotplug states, the CPU may be sampled already: detach it, then attach it again. */
static int on_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct oprofile_sampling *s = hlist_entry(node, struct oprofile_sampling, hotplug_node);
	struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

	if (!cpumask_test_cpu(cpu, &s->cpus))
		return 0;
	if (pcpu->here)
		detach_cpu(s, pcpu);
	attach_cpu(s, pcpu);
	return 0;
}

static int on_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct oprofile_sampling *s = hlist_entry(node, struct oprofile_sampling, hotplug_node);
	struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

	if (pcpu->here)
		detach_cpu(s, pcpu);
	return 0;
}

/*
 * Hotplug callback on another CPU, after @cpu has gone offline. If @cpu was between two hotplug
 * states, its offline callback was not called. Then discard the CPU's state without stopping it:
 * its registers are reset when it comes back online.
 */
static int on_cpu_dead(unsigned int cpu, struct hlist_node *node)
{
	struct oprofile_sampling *s = hlist_entry(node, struct oprofile_sampling, dead_node);
	struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

	if (!pcpu->here)
		return 0;
	if (is_sampled(pcpu) && s->backend->cpu_dead)
		s->backend->cpu_dead(s, cpu);
	oprofile_time_slice_cpu_dead(pcpu);
	pcpu->here = false;
	return 0;
}

/* Call attach_cpu() for the current CPU. Passed to smp_call_on_cpu(). */
static int attach_this_cpu(void *data)
{
	struct oprofile_cpu *pcpu = data;

	if (!pcpu->here && smp_processor_id() == pcpu->cpu)
		attach_cpu(pcpu->s, pcpu);
	return 0;
}

static int detach_this_cpu(void *data)
{
	struct oprofile_cpu *pcpu = data;

	if (pcpu->here && smp_processor_id() == pcpu->cpu)
		detach_cpu(pcpu->s, pcpu);
	return 0;
}

/* Call @call(@data) on each sampled CPU. The caller holds cpus_read_lock(). */
static void on_each_sampled(struct oprofile_sampling *s, int (*call)(void *data))
{
	int cpu;

	for_each_cpu_and(cpu, &s->cpus, cpu_online_mask)
		smp_call_on_cpu(cpu, call, per_cpu_ptr(s->cpu, cpu), false);
}

void oprofile_cpus_shutdown(struct oprofile_sampling *s)
{
	int i;

	/* A CPU may come online during the first iteration, so detach all CPUs again after the
	 * hotplug callback has been removed. */
	for (i = 0; i < 2; i++) {
		cpus_read_lock();
		on_each_sampled(s, detach_this_cpu);
		cpus_read_unlock();
		if (!i)
			cpuhp_state_remove_instance_nocalls(s->hotplug_state, &s->hotplug_node);
	}
	cpuhp_state_remove_instance_nocalls(s->dead_state, &s->dead_node);
}

/* Add the hotplug callbacks without calling them for CPUs that are online: that would wake a thread
 * on each CPU, including isolated CPUs. */
int oprofile_cpus_setup(struct oprofile_sampling *s)
{
	int cpu, err;

	err = cpuhp_state_add_instance_nocalls(s->dead_state, &s->dead_node);
	if (err)
		return err;
	err = cpuhp_state_add_instance_nocalls(s->hotplug_state, &s->hotplug_node);
	if (err) {
		cpuhp_state_remove_instance_nocalls(s->dead_state, &s->dead_node);
		return err;
	}
	cpus_read_lock();
	on_each_sampled(s, attach_this_cpu);
	for_each_cpu_and(cpu, &s->cpus, cpu_online_mask) {
		const struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

		/* A CPU between two hotplug states was not attached above, so its .err is from
		 * an earlier session: ignore it. */
		if (pcpu->here && !err)
			err = pcpu->err;
	}
	cpus_read_unlock();
	if (err)
		oprofile_cpus_shutdown(s);
	return err;
}

void oprofile_cpus_release(struct oprofile_sampling *s)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		oprofile_cpu_release(per_cpu_ptr(s->cpu, cpu));
		oprofile_paths_release(per_cpu_ptr(s->cpu, cpu));
	}
}

int oprofile_cpus_init(struct oprofile_sampling *s)
{
	int cpu, state;

	s->cpu = alloc_percpu(struct oprofile_cpu);
	if (!s->cpu)
		return -ENOMEM;
	s->budget.spent = &s->cpu->spent;
	s->budget.stats = &s->cpu->stats;
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(s->cpu, cpu)->s = s;
		per_cpu_ptr(s->cpu, cpu)->cpu = cpu;
	}
	oprofile_time_slice_init(s);
	state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "oprofile:online", on_cpu_online,
					on_cpu_offline);
	if (state < 0)
		goto err_free;
	s->hotplug_state = state;
	state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN, "oprofile:dead", NULL, on_cpu_dead);
	if (state < 0)
		goto err_remove_state;
	s->dead_state = state;
	return 0;

err_remove_state:
	cpuhp_remove_multi_state(s->hotplug_state);
err_free:
	free_percpu(s->cpu);
	return state;
}

void oprofile_cpus_exit(struct oprofile_sampling *s)
{
	cpuhp_remove_multi_state(s->dead_state);
	cpuhp_remove_multi_state(s->hotplug_state);
	free_percpu(s->cpu);
}
