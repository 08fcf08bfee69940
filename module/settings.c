// SPDX-License-Identifier: GPL-2.0
/*
 * settings.c -- checking and changing the settings.
 */
#include "settings.h"

#include <linux/sched/isolation.h>
#include <linux/tick.h>

#include "sampling.h"

int oprofile_set(struct oprofile_sampling *s, unsigned long *setting, unsigned long value,
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

/* Fill @cpus with all CPUs except the isolated ones. */
static void housekeeping_cpus(struct cpumask *cpus)
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
		housekeeping_cpus(cpus);
	else
		err = cpulist_parse(list, cpus);
	if (!err && !cpumask_and(cpus, cpus, cpu_possible_mask))
		err = -EINVAL;
	return err;
}

int oprofile_set_cpus(struct oprofile_sampling *s, const char *list)
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

int oprofile_get_cpus(struct oprofile_sampling *s, char *text, size_t size)
{
	int length;

	mutex_lock(&s->lock);
	length = scnprintf(text, size, "%*pbl\n", cpumask_pr_args(&s->cpus));
	mutex_unlock(&s->lock);
	return length;
}

void oprofile_settings_init(struct oprofile_sampling *s)
{
	s->settings = (struct oprofile_settings){
		.buffer_size = 131072,
		.buffer_watershed = 32768,
		.cpu_buffer_size = 8192,
		.time_slice = 10,
	};
	s->budget.percent = 10;
	housekeeping_cpus(&s->cpus);
	oprofile_events_init(s->event);
}
