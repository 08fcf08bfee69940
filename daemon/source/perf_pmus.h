/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_pmus.h -- what each event is to perf_events, on each kind of core.
 *
 * Hybrid CPUs have two kinds with a PMU and codes of their own. An event is counted on those cores
 * whose table has it, by that table's code; the others do without, and the note says so.
 */
#ifndef OPD_PERF_PMUS_H
#define OPD_PERF_PMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/configuration.h"
#include "daemon/base/cpu_list.h"
#include "libop/base/reason.h"

#define OPD_MAX_PMUS	2

struct opd_perf_code {
	bool counted;			/* on this kind of core */
	bool timer;
	uint32_t type;
	uint64_t config, config1;
};

struct opd_perf_pmus {
	size_t nr;			/* kinds of core, at least 1 */
	uint8_t of_cpu[OPD_MAX_CPUS];	/* which kind a CPU is */
	struct opd_perf_code codes[OPD_MAX_PMUS][OPD_MAX_EVENTS];
	char note[300];			/* what is not counted where; or empty */
};

/*
 * @sysfs: "/sys", or a directory like it. 0, -EINVAL for an event that perf_events cannot count, or
 * -ENOMEM; *@why is allocated for good.
 */
int opd_perf_pmus_init(struct opd_perf_pmus *pmus, const struct opd_config *cfg, const char *sysfs,
		       struct op_reason *why);

const struct opd_perf_code *opd_perf_code(const struct opd_perf_pmus *pmus, int cpu, size_t event);

#endif
