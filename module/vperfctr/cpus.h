/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/cpus.h -- the CPUs that can count an event.
 */
#ifndef VPERFCTR_CPUS_H
#define VPERFCTR_CPUS_H

#include <linux/cpumask.h>

struct perf_event;

/* Return the CPUs on which the administrator has forbidden hardware counters (module parameter
 * forbidden_cpus). */
const struct cpumask *vperfctr_forbidden_cpus(void);
/* Remove from @cpus the CPUs that do not count @event, and the forbidden CPUs. A software event
 * removes no CPU. */
void vperfctr_only_cpus_of(const struct perf_event *event, struct cpumask *cpus);

int vperfctr_cpus_init(void);

#endif
