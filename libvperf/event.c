// SPDX-License-Identifier: LGPL-2.1-or-later
/* event.c -- parser of perf's event names, which sets the members of a counter's slot. */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "libop/raw/perf_names.h"
#include "libvperf/private.h"

#define HARDWARE(id)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SOFTWARE(id)	PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define KERNEL(id)	SOFTWARE(id)
#define ROW(probe, name, other, type, id, desc)	{ { name, other }, type(id) },

static const struct {
	const char *names[2];
	uint32_t type;
	uint64_t config;
} events[] = {
	RAW_PERF_HARDWARE(ROW)
	RAW_PERF_SOFTWARE(ROW)
};

static bool is_name(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, text, len);
}

static bool find_name(struct vperfctr_pmc *pmc, const char *event, size_t len)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (is_name(events[i].names[0], event, len) ||
		    is_name(events[i].names[1], event, len)) {
			pmc->type = events[i].type;
			pmc->config = events[i].config;
			return true;
		}
	}
	return false;
}

/* Parse rNNNN: an event code of this CPU, in hexadecimal. */
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
				"\"%s\": write :u for user code, :k for the kernel, or :uk after "
				"the event's name",
				event);
		pmc.flags = (strchr(modes, 'u') ? VPERFCTR_USER : 0) |
			    (strchr(modes, 'k') ? VPERFCTR_KERNEL : 0);
	}
	*ret = pmc;
	return 0;
}
