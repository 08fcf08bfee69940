// SPDX-License-Identifier: GPL-2.0
/*
 * x86/backend_native.c -- the native backend, which programs the counters itself and handles their
 * overflows in NMIs.
 *
 * cpu_online() saves the CPU's counter registers, cpu_offline() restores them.
 */
#include "backend.h"

#include <asm/apic.h>
#include <asm/nmi.h>
#include <linux/cpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/types.h>

#include "oprofilefs.h"
#include "sampling.h"
#include "why.h"
#include "x86/native.h"
#include "x86/pmu.h"

#define GENERAL		GENMASK_ULL(OPROFILE_PMU_FIXED - 1, 0)

static bool reserve(const struct oprofile_pmu *p, u32 counter)
{
	if (!reserve_perfctr_nmi(p->counter_msr + counter * p->msr_step))
		return false;
	if (reserve_evntsel_nmi(p->control_msr + counter * p->msr_step))
		return true;
	release_perfctr_nmi(p->counter_msr + counter * p->msr_step);
	return false;
}

/*
 * Reserve the free counters of @counters, and return their mask. Counters are numbered as in pmu.h.
 * The kernel has no table for fixed counters: they count as reserved if all general counters could
 * be reserved.
 */
static u64 reserve_registers(const struct oprofile_pmu *p, u64 counters)
{
	u64 rest = counters & GENERAL, got = 0;

	while (rest) {
		u32 counter = oprofile_pmu_next(&rest);

		if (reserve(p, counter))
			got |= BIT_ULL(counter);
	}
	if (got == (counters & GENERAL))
		got |= counters & ~GENERAL;
	return got;
}

static void release_registers(const struct oprofile_pmu *p, u64 counters)
{
	u64 rest = counters & GENERAL;

	while (rest) {
		u32 counter = oprofile_pmu_next(&rest);

		release_evntsel_nmi(p->control_msr + counter * p->msr_step);
		release_perfctr_nmi(p->counter_msr + counter * p->msr_step);
	}
}

/* Choose the counter of each event whose counter is ANY: the lowest suitable counter that no other
 * event of the group uses. Return NULL, or a text that says why this is impossible. */
static const char *choose_counter(const struct oprofile_sampling *s, const struct oprofile_pmu *p,
				  unsigned int index, u64 reserved, struct oprofile_pmu_event *e)
{
	u64 rest = p->counters & reserved;
	const char *why = "no counter is left";
	unsigned int i;

	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		const struct oprofile_event *other = &s->event[i];

		if (i != index && other->enabled && other->group == e->group && other->counter < 64)
			rest &= ~BIT_ULL(other->counter);
		if (p->added & BIT(i) && p->events[i].group == e->group)
			rest &= ~BIT_ULL(p->events[i].counter);
	}
	while (rest) {
		e->counter = oprofile_pmu_next(&rest);
		why = oprofile_pmu_refuse(p, e, reserved);
		if (!why)
			return NULL;
	}
	return why;
}

static struct oprofile_pmu_event wanted(const struct oprofile_sampling *s, unsigned int index)
{
	const struct oprofile_event *e = &s->event[index];

	return (struct oprofile_pmu_event){
		.period = e->count,
		.code = e->event,
		.unit_mask = e->unit_mask,
		.extra = e->extra,
		.counter = e->counter,
		.core_type = e->core_type,
		.group = e->group,
		.kernel = e->kernel,
		.user = e->user,
	};
}

/* Add the event with the index @index to the PMU. Return NULL, or the reason why this CPU cannot
 * count the event. */
static const char *add_event(const struct oprofile_sampling *s, struct oprofile_pmu *p,
			     unsigned int index)
{
	struct oprofile_pmu_event e = wanted(s, index);
	const char *why = NULL;

	if (e.counter == OPROFILE_ANY_COUNTER)
		why = choose_counter(s, p, index, p->owned, &e);
	return why ?: oprofile_pmu_add(p, &e, index);
}

static const char *kind_of(const struct oprofile_pmu *p)
{
	switch (p->core_type) {
	case 0x20:
		return " (an efficient core)";
	case 0x40:
		return " (a performance core)";
	default:
		return "";
	}
}

static void save_here(void *data)
{
	struct native_backend *b = data;
	struct native_cpu *nc = this_cpu_ptr(b->cpu);

	oprofile_pmu_save(&nc->pmu, b->reserved);
	nc->why = oprofile_ibs_save_here(b, nc);
}

static void restore_here(void *data)
{
	struct native_backend *b = data;
	struct native_cpu *nc = this_cpu_ptr(b->cpu);

	oprofile_ibs_restore(&nc->ibs);
	oprofile_pmu_restore(&nc->pmu);
}

static void detect_here(void *data)
{
	struct native_backend *b = data;
	struct native_cpu *nc = this_cpu_ptr(b->cpu);

	nc->why = oprofile_pmu_detect(&nc->pmu);
}

/* Save the CPU's registers and add the events. Called on @cpu. An NMI during the save does nothing,
 * because no counter is armed. */
static int native_cpu_online(struct oprofile_sampling *s, unsigned int cpu)
{
	struct native_backend *b = s->native;
	struct native_cpu *nc = per_cpu_ptr(b->cpu, cpu);
	unsigned int i;

	smp_call_function_single(cpu, detect_here, b, true);
	if (nc->why)
		return oprofile_refuse(s, -EOPNOTSUPP, "CPU %u: %s", cpu, nc->why);
	smp_call_function_single(cpu, save_here, b, true);
	if (nc->why) {
		smp_call_function_single(cpu, restore_here, b, true);
		return oprofile_refuse(s, -EBUSY, "CPU %u: %s", cpu, nc->why);
	}
	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		const char *why = s->event[i].enabled ? add_event(s, &nc->pmu, i) : NULL;

		if (!why)
			continue;
		pr_info("oprofile: event %u is not counted on CPU %u%s: %s\n", i, cpu,
			kind_of(&nc->pmu), why);
		oprofile_note(s, "event %u is not counted on CPU %u%s: %s", i, cpu,
			      kind_of(&nc->pmu), why);
	}
	return 0;
}

static void native_cpu_offline(struct oprofile_sampling *s, unsigned int cpu)
{
	struct native_cpu *nc = per_cpu_ptr(s->native->cpu, cpu);

	smp_call_function_single(cpu, restore_here, s->native, true);
	oprofile_pmu_clear(&nc->pmu);
}

static void native_cpu_dead(struct oprofile_sampling *s, unsigned int cpu)
{
	struct native_cpu *nc = per_cpu_ptr(s->native->cpu, cpu);

	nc->counting = false;
	memset(&nc->ibs, 0, sizeof(nc->ibs));
	oprofile_pmu_forget(&nc->pmu);
}

static int refuse_busy(struct oprofile_sampling *s, u64 counters)
{
	return oprofile_refuse(s, -EBUSY,
			       "counters 0x%llx are held by the NMI watchdog or by perf: echo 0 "
			       ">/proc/sys/kernel/nmi_watchdog, end perf, or use the perf backend, "
			       "which shares them",
			       counters);
}

/* Return an error if no CPU can count an event. If only some CPUs cannot count it,
 * native_cpu_online() appends a note to the file `backend_why`. */
static int check_events(struct oprofile_sampling *s)
{
	struct native_backend *b = s->native;
	unsigned int i;
	int cpu;

	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		const char *why = "no CPU is online";
		u64 held = 0;

		if (!s->event[i].enabled)
			continue;
		for_each_cpu_and(cpu, &s->cpus, cpu_online_mask) {
			const struct native_cpu *nc = per_cpu_ptr(b->cpu, cpu);
			struct oprofile_pmu_event e = wanted(s, i);

			why = nc->why;
			if (!why && e.counter == OPROFILE_ANY_COUNTER)
				why = choose_counter(s, &nc->pmu, i, b->reserved, &e);
			else if (!why)
				why = oprofile_pmu_refuse(&nc->pmu, &e, b->reserved);
			if (!why)
				break;
			if (e.counter < 64)
				held = nc->pmu.counters & ~b->reserved & BIT_ULL(e.counter);
		}
		if (held)
			return refuse_busy(s, held);
		if (why)
			return oprofile_refuse(s, -EINVAL, "event %u cannot be counted: %s", i,
					       why);
	}
	return 0;
}

/* Release the counters at most once: after that, another driver may have reserved them. */
static void release_counters(struct native_backend *b)
{
	release_registers(&b->pmu, b->reserved);
	b->reserved = 0;
}

static int native_setup(struct oprofile_sampling *s)
{
	struct native_backend *b = s->native;
	int err;

	if (!b->pmu.model)
		return oprofile_refuse(s, -EOPNOTSUPP, "the module does not know this CPU");
	b->reserved = 0;
	if (oprofile_events_any(s->event)) {
		b->reserved = reserve_registers(&b->pmu, b->pmu.counters);
		if (!b->reserved)
			return refuse_busy(s, b->pmu.counters);
	}
	s->wants_entries = oprofile_ibs_is_enabled(b);
	cpus_read_lock();
	on_each_cpu_mask(&s->cpus, detect_here, b, true);
	err = check_events(s);
	cpus_read_unlock();
	if (err)
		goto err_release;
	b->dead = false;
	err = oprofile_watch_machine(b);
	if (err)
		goto err_release;
	err = oprofile_native_register_nmi(b);
	if (err)
		goto err_unwatch;
	return 0;

err_unwatch:
	oprofile_unwatch_machine(b);
err_release:
	release_counters(b);
	return err;
}

static void native_shutdown(struct oprofile_sampling *s)
{
	struct native_backend *b = s->native;

	oprofile_native_unregister_nmi(b);
	oprofile_unwatch_machine(b);
	release_counters(b);
}

static void try_counter(void *data)
{
	struct native_backend *b = data;
	struct native_cpu *nc = this_cpu_ptr(b->cpu);

	nc->why = oprofile_pmu_detect(&nc->pmu);
	if (nc->why)
		return;
	b->pmu = nc->pmu;
	b->reserved = reserve_registers(&b->pmu, b->pmu.counters);
	nc->why = oprofile_pmu_try(&b->pmu, b->reserved);
}

static int native_probe(struct oprofile_sampling *s)
{
	struct native_backend *b = s->native;
	int cpu = get_cpu(), err = 0;

	if (!boot_cpu_has(X86_FEATURE_APIC) || !boot_cpu_has(X86_FEATURE_MSR)) {
		put_cpu();
		return oprofile_refuse(s, -EOPNOTSUPP,
				       "there is no local APIC to turn overflows into interrupts");
	}
	smp_call_function_single(cpu, try_counter, b, true);
	put_cpu();
	if (per_cpu_ptr(b->cpu, cpu)->why)
		err = oprofile_refuse(s, -EOPNOTSUPP, "%s%s", per_cpu_ptr(b->cpu, cpu)->why,
				      boot_cpu_has(X86_FEATURE_HYPERVISOR) ?
					      " (a virtual machine: KVM gives it counters with "
					      "-cpu host,pmu=on)" :
					      "");
	else if (!b->reserved && !oprofile_ibs_caps())
		err = refuse_busy(s, b->pmu.counters);
	release_counters(b);
	return err;
}

static const char *native_cpu_type(struct oprofile_sampling *s)
{
	return s->native->pmu.name;
}

static unsigned int native_nr_counters(struct oprofile_sampling *s)
{
	return hweight64(s->native->pmu.counters);
}

static void free_backend(struct oprofile_sampling *s)
{
	free_percpu(s->native->cpu);
	kfree(s->native);
	s->native = NULL;
}

static int native_init(struct oprofile_sampling *s)
{
	struct native_backend *b;
	int cpu, err;

	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	b->cpu = alloc_percpu(struct native_cpu);
	if (!b->cpu) {
		kfree(b);
		return -ENOMEM;
	}
	b->s = s;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(b->cpu, cpu)->s = s;
	s->native = b;
	oprofile_ibs_init(b);
	err = oprofile_watch_sleep(b);
	if (err)
		free_backend(s);
	return err;
}

static int native_create_files(struct oprofile_sampling *s, struct dentry *root)
{
	return oprofile_ibs_create_files(s->native, root);
}

static bool native_counts_more(struct oprofile_sampling *s)
{
	return oprofile_ibs_is_enabled(s->native);
}

static void native_exit(struct oprofile_sampling *s)
{
	struct native_backend *b = s->native;

	if (!b)
		return;
	oprofile_unwatch_sleep(b);
	free_backend(s);
}

const struct oprofile_backend oprofile_backend_native = {
	.name = "native",
	.init = native_init,
	.exit = native_exit,
	.create_files = native_create_files,
	.probe = native_probe,
	.cpu_type = native_cpu_type,
	.nr_counters = native_nr_counters,
	.setup = native_setup,
	.shutdown = native_shutdown,
	.needs_events = true,
	.counts_more = native_counts_more,
	.cpu_online = native_cpu_online,
	.cpu_offline = native_cpu_offline,
	.cpu_dead = native_cpu_dead,
	.start_cpu = oprofile_native_start_here,
	.stop_cpu = oprofile_native_stop_here,
	.switch_group = oprofile_native_switch_group,
};
