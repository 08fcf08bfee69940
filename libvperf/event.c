// SPDX-License-Identifier: LGPL-2.1-or-later
/* event.c -- translation of perf's event names into a slot's settings. */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "libvperf/private.h"

struct event_name {
	const char *name;
	uint32_t type;
	uint64_t config;
};

static const struct event_name names[] = {
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
};

static bool find_name(struct vperfctr_pmc *pmc, const char *event, size_t len)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == len && !memcmp(names[i].name, event, len)) {
			pmc->type = names[i].type;
			pmc->config = names[i].config;
			return true;
		}
	}
	return false;
}

/* Parse rNNNN. */
static bool parse_raw(struct vperfctr_pmc *pmc, const char *event, size_t len)
{
	char *end;

	if (event[0] != 'r' || len < 2 || len > 17 ||
	    strspn(event + 1, "0123456789abcdefABCDEF") != len - 1)
		return false;
	pmc->type = PERF_TYPE_RAW;
	pmc->config = strtoull(event + 1, &end, 16);
	return true;
}

int vperf_parse_event(struct vperf *v, struct vperfctr_pmc *ret, const char *event)
{
	size_t len = strcspn(event, ":");
	const char *modes = event[len] ? event + len + 1 : NULL;
	struct vperfctr_pmc pmc = { .flags = VPERFCTR_USER | VPERFCTR_KERNEL };

	if (!find_name(&pmc, event, len) && !parse_raw(&pmc, event, len))
		return vperf_fail(
			v, -EINVAL,
			"unknown event \"%s\": use one of perf's generic names (page-faults, "
			"task-clock, instructions, ...), or rNNNN with a code of the CPU",
			event);
	if (modes) {
		if (!*modes || modes[strspn(modes, "uk")])
			return vperf_fail(
				v, -EINVAL,
				"\"%s\": after the name comes :u for user code, :k for the kernel, "
				"or :uk",
				event);
		pmc.flags = (strchr(modes, 'u') ? VPERFCTR_USER : 0) |
			    (strchr(modes, 'k') ? VPERFCTR_KERNEL : 0);
	}
	*ret = pmc;
	return 0;
}
