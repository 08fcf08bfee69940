// SPDX-License-Identifier: GPL-2.0
/*
 * backend_perf.c -- sampling with hardware counters through the kernel's perf events, one for each
 * event and CPU. Perf shares the counters with the perf tool, the NMI watchdog and other users.
 *
 * If there are more events than counters, perf multiplexes them every perf_event_mux_interval_ms (a
 * file of the PMU in sysfs). The module's own groups and time slices are not used.
 */
#include "backend.h"

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#ifdef CONFIG_ARM64
#include <asm/sysreg.h>
#endif

#ifdef CONFIG_X86
#include "compat/compat_x86.h"
#endif
#include "handler.h"
#include "period.h"
#include "sampling.h"
#include "why.h"

struct perf_counter {
	/* the CPU's perf event; NULL: this CPU does not count the event */
	struct perf_event *event;
	struct oprofile_sampling *s;
	u32 index;
	/* the times that perf had already accounted for the event at its last start */
	struct oprofile_event_time base;
};

struct perf_cpu {
	struct perf_counter counter[OPROFILE_MAX_EVENTS];
};

struct perf_backend {
	struct perf_cpu __percpu *cpu;
};

static struct perf_counter *counter_of(struct oprofile_sampling *s, int cpu, unsigned int event)
{
	return &per_cpu_ptr(s->perf->cpu, cpu)->counter[event];
}

/* Return the value of perf_event_attr.config that selects the event on the CPU's PMU. */
static u64 config_of(const struct oprofile_event *e)
{
	if (!IS_ENABLED(CONFIG_X86))
		return e->event;
	return (e->event & 0xff) | (e->event & 0xf00) << 24 | e->unit_mask << 8 | e->extra;
}

/*
 * Handle a counter's overflow, in interrupt or NMI context. Before the handler runs, the PMU has
 * already started the next period. So the period that this function sets takes effect only after
 * the next overflow. perf itself changes periods in the same way.
 */
static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct perf_counter *c = event->overflow_handler_context;
	struct oprofile_sampling *s = c->s;
	u64 begin = oprofile_interrupt_begin(s);

	/* Perf sets .interrupts to ~0 for a counter that interrupts too often, and stops the
	 * counter until the next tick. */
	if (unlikely(event->hw.interrupts == ~0ULL))
		this_cpu_inc(s->cpu->stats.governor_throttled);
	oprofile_add_sample(s, regs, c->index, 1);
	event->hw.sample_period = oprofile_next_period(s, c->index);
	oprofile_interrupt_end(s, begin);
}

static struct perf_event *create(struct perf_event_attr *attr, unsigned int cpu,
				 struct perf_counter *c)
{
	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->exclude_guest = 1;
	attr->exclude_hv = 1;
	return perf_event_create_kernel_counter(attr, cpu, NULL, on_overflow, c);
}

static struct perf_event *create_event(struct oprofile_sampling *s, unsigned int cpu,
				       unsigned int index)
{
	const struct oprofile_event *e = &s->event[index];
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.config = config_of(e),
		.sample_period = e->count,
		.exclude_kernel = !e->kernel,
		.exclude_user = !e->user,
	};

	return create(&attr, cpu, counter_of(s, cpu, index));
}

static int refuse_all(struct oprofile_sampling *s, int err)
{
	switch (err) {
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
		return oprofile_refuse(s, -EOPNOTSUPP,
				       "the kernel's perf events have no PMU here (a virtual "
				       "machine without one?)");
	case -EBUSY:
		return oprofile_refuse(
			s, err,
			"the counters are in use by another driver that does not use perf events");
	default:
		return oprofile_refuse(s, err, "perf events: error %d", err);
	}
}

/* Check whether perf can sample CPU cycles on this machine. */
static int perf_probe(struct oprofile_sampling *s)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1 << 30,
	};
	struct perf_event *event;
	unsigned int cpu;

	cpus_read_lock();
	cpu = cpumask_first(cpu_online_mask);
	event = create(&attr, cpu, counter_of(s, cpu, 0));
	cpus_read_unlock();
	if (IS_ERR(event))
		return refuse_all(s, PTR_ERR(event));
	perf_event_release_kernel(event);
	return 0;
}

static const char *perf_cpu_type(struct oprofile_sampling *s)
{
	if (IS_ENABLED(CONFIG_ARM64))
		return "arm/armv8-pmuv3";
#ifdef CONFIG_X86
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		return "i386/arch_perfmon";
	return "x86-64/family10";
#endif
	return "perf";
}

#ifdef CONFIG_X86
/* Read the number of counters by CPUID, because the kernel exports perf's number only to KVM. */
static unsigned int x86_nr_counters(void)
{
	u32 general, fixed, unused;

	if (boot_cpu_data.x86_vendor == X86_VENDOR_AMD ||
	    boot_cpu_data.x86_vendor == X86_VENDOR_HYGON) {
		if (boot_cpu_has(X86_FEATURE_PERFMON_V2))
			return cpuid_ebx(0x80000022) & 0xf;
		return boot_cpu_has(X86_FEATURE_PERFCTR_CORE) ? 6 : 4;
	}
	if (boot_cpu_data.cpuid_level < 0xa)
		return 0;
	cpuid(0xa, &general, &unused, &unused, &fixed);
	return (general >> 8 & 0xff) + (fixed & 0x1f);
}
#endif

/* Return the number of counters of the PMU; 0: unknown. */
static unsigned int perf_nr_counters(struct oprofile_sampling *s)
{
#ifdef CONFIG_X86
	return x86_nr_counters();
#elif defined(CONFIG_ARM64)
	unsigned int version = read_sysreg(id_aa64dfr0_el1) >> 8 & 0xf;

	/* Add 1 for the cycle counter, which ARM's PMUv3 has in addition to its event counters. */
	if (version != 0 && version != 0xf)
		return (read_sysreg(pmcr_el0) >> 11 & 0x1f) + 1;
#endif
	return 0;
}

/* Check whether at least one CPU can count the event; the cores of a machine may differ. */
static int check_event(struct oprofile_sampling *s, unsigned int index)
{
	const struct oprofile_event *e = &s->event[index];
	unsigned int cpu, able = 0, unable = 0, first = 0;
	int err = 0;

	if (IS_ENABLED(CONFIG_X86) && e->event > 0xfff)
		return oprofile_refuse(s, -EINVAL, "event %u: codes of x86 have 12 bits, not 0x%lx",
				       index, e->event);
	for_each_cpu_and(cpu, &s->cpus, cpu_online_mask) {
		struct perf_event *event = create_event(s, cpu, index);

		if (!IS_ERR(event)) {
			perf_event_release_kernel(event);
			able++;
			continue;
		}
		err = PTR_ERR(event);
		if (!unable++)
			first = cpu;
	}
	if (!able && err == -EBUSY)
		return refuse_all(s, err);
	if (!able)
		return oprofile_refuse(s, err == -ENOMEM ? err : -EINVAL,
				       "event %u: the PMU does not count 0x%llx (error %d)",
				       index, config_of(e), err);
	if (unable)
		oprofile_note(s, "event %u is not counted on %u CPUs that do not support it; the "
				 "first is CPU %u",
			      index, unable, first);
	return 0;
}

static int perf_setup(struct oprofile_sampling *s)
{
	unsigned int i;
	int err = 0;

	s->outside_guests = true;	/* create() then sets exclude_guest for all events */
	cpus_read_lock();
	for (i = 0; i < OPROFILE_MAX_EVENTS && !err; i++) {
		if (s->event[i].enabled)
			err = check_event(s, i);
	}
	cpus_read_unlock();
	return err;
}

static void perf_shutdown(struct oprofile_sampling *s)
{
}

static int perf_cpu_online(struct oprofile_sampling *s, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		struct perf_event *event;

		if (!s->event[i].enabled)
			continue;
		event = create_event(s, cpu, i);
		counter_of(s, cpu, i)->event = IS_ERR(event) ? NULL : event;
	}
	return 0;
}

/* Set *@time to the times that perf has accounted for the event since its last start. */
static void time_since_start(const struct perf_counter *c, struct oprofile_event_time *time)
{
	perf_event_read_value(c->event, &time->enabled_ns, &time->running_ns);
	time->enabled_ns -= c->base.enabled_ns;
	time->running_ns -= c->base.running_ns;
}

static void perf_cpu_offline(struct oprofile_sampling *s, unsigned int cpu)
{
	struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);
	unsigned int i;

	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		struct perf_counter *c = counter_of(s, cpu, i);
		struct oprofile_event_time time;

		if (!c->event)
			continue;
		time_since_start(c, &time);
		pcpu->counted[i].enabled_ns += time.enabled_ns;
		pcpu->counted[i].running_ns += time.running_ns;
		perf_event_release_kernel(c->event);
		c->event = NULL;
		c->base = (struct oprofile_event_time){ };
	}
}

static void perf_start_cpu(struct oprofile_sampling *s, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		struct perf_counter *c = counter_of(s, cpu, i);

		if (!c->event)
			continue;
		perf_event_read_value(c->event, &c->base.enabled_ns, &c->base.running_ns);
		perf_event_enable(c->event);
	}
}

static void perf_stop_cpu(struct oprofile_sampling *s, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
		struct perf_counter *c = counter_of(s, cpu, i);

		if (c->event)
			perf_event_disable(c->event);
	}
}

static void perf_event_time(struct oprofile_sampling *s, int cpu, unsigned int index,
			    struct oprofile_event_time *time)
{
	const struct oprofile_event_time *counted = &per_cpu_ptr(s->cpu, cpu)->counted[index];
	const struct perf_counter *c = counter_of(s, cpu, index);

	if (c->event)
		time_since_start(c, time);
	time->enabled_ns += counted->enabled_ns;
	time->running_ns += counted->running_ns;
}

static int perf_init(struct oprofile_sampling *s)
{
	int cpu, i;

	s->perf = kzalloc(sizeof(*s->perf), GFP_KERNEL);
	if (!s->perf)
		return -ENOMEM;
	s->perf->cpu = alloc_percpu(struct perf_cpu);
	if (!s->perf->cpu) {
		kfree(s->perf);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		for (i = 0; i < OPROFILE_MAX_EVENTS; i++) {
			counter_of(s, cpu, i)->s = s;
			counter_of(s, cpu, i)->index = i;
		}
	}
	return 0;
}

static void perf_exit(struct oprofile_sampling *s)
{
	free_percpu(s->perf->cpu);
	kfree(s->perf);
}

const struct oprofile_backend oprofile_backend_perf = {
	.name = "perf",
	.init = perf_init,
	.exit = perf_exit,
	.probe = perf_probe,
	.cpu_type = perf_cpu_type,
	.nr_counters = perf_nr_counters,
	.needs_events = true,
	.setup = perf_setup,
	.shutdown = perf_shutdown,
	.cpu_online = perf_cpu_online,
	.cpu_offline = perf_cpu_offline,
	.cpu_dead = perf_cpu_offline,
	.start_cpu_slowly = perf_start_cpu,
	.stop_cpu_slowly = perf_stop_cpu,
	.event_time = perf_event_time,
};
