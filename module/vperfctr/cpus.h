/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/cpus.h -- which CPUs count what.
 */
#ifndef VPERFCTR_CPUS_H
#define VPERFCTR_CPUS_H

#include <linux/cpumask.h>

struct perf_event;

/* No hardware slot is counted there, as the administrator says. */
const struct cpumask *vperfctr_forbidden_cpus(void);
/* Leaves in @cpus those that count @event, and that are not forbidden; all, if that is software. */
void vperfctr_only_cpus_of(const struct perf_event *event, struct cpumask *cpus);

int vperfctr_cpus_init(void);

#endif
