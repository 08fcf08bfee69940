// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/cpus.c -- the CPUs that can count an event.
 */
#include "vperfctr/cpus.h"

#include <linux/module.h>
#include <linux/perf_event.h>
#if defined(CONFIG_ARM64) && IS_ENABLED(CONFIG_ARM_PMU)
#include <linux/perf/arm_pmu.h>
#endif

static char *forbidden_cpus = "";
module_param(forbidden_cpus, charp, 0444);
MODULE_PARM_DESC(forbidden_cpus, "CPUs that must not count hardware slots, such as 1,4-7: threads "
				 "with hardware slots do not run there");

/* The CPUs of the module parameter forbidden_cpus; constant after module load. */
static struct cpumask forbidden;

const struct cpumask *vperfctr_forbidden_cpus(void)
{
	return &forbidden;
}

/* Return whether the PMU of @event can count on @cpu. Before Linux 6.4, only ARM kernels have this
 * information. */
static bool counts_on(const struct perf_event *event, int cpu)
{
#if defined(OPROFILE_HAVE_PMU_FILTER)
	return !event->pmu->filter || !event->pmu->filter(event->pmu, cpu);
#elif defined(CONFIG_ARM64) && IS_ENABLED(CONFIG_ARM_PMU)
	return cpumask_test_cpu(cpu, &to_arm_pmu(event->pmu)->supported_cpus);
#else
	return true;
#endif
}

void vperfctr_only_cpus_of(const struct perf_event *event, struct cpumask *cpus)
{
	int cpu;

	if (event->attr.type == PERF_TYPE_SOFTWARE)
		return;
	cpumask_andnot(cpus, cpus, &forbidden);
	for_each_cpu(cpu, cpus) {
		if (!counts_on(event, cpu))
			cpumask_clear_cpu(cpu, cpus);
	}
}

int vperfctr_cpus_init(void)
{
	int err = cpulist_parse(forbidden_cpus, &forbidden);

	if (err)
		pr_err("vperfctr: forbidden_cpus=%s is not a list of CPUs\n", forbidden_cpus);
	return err;
}
