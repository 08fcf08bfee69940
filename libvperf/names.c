// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c -- parser of the event names of a CPU, which sets the members of a slot. */
#include "config.h"
#include "libvperf/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/base/error.h"
#include "libop/base/reason.h"
#include "libop/event/plan.h"
#include "libop/event/spec.h"
#include "libop/perf/pmus.h"

static int find(struct vperfctr_pmc *ret, const struct op_event_spec *spec,
		struct op_reason *error)
{
	struct op_perf_pmus *pmus = calloc(1, sizeof(*pmus));
	struct op_event_plan plan = { .nr = 0 };
	int err = pmus ? op_event_plan_make(&plan, spec, 1, NULL, error) : -ENOMEM;

	if (!err && (plan.timer || plan.waits))
		err = op_fail(error, -EINVAL,
			      "cannot count the event %s, which only samples by time: use task-clock",
			      spec->name);
	if (!err)
		err = op_perf_pmus_init(pmus, &plan, "/sys", error);
	for (size_t k = 0; !err && k < pmus->kinds.nr; k++) {
		const struct op_perf_code *code = &pmus->codes[k][0];

		if (!code->counted)
			continue;
		*ret = (struct vperfctr_pmc){
			.type = code->type,
			.config = code->config,
			.config1 = code->config1,
			.flags = (spec->user ? VPERFCTR_USER : 0) |
				 (spec->kernel ? VPERFCTR_KERNEL : 0),
		};
		break;
	}
	op_event_plan_release(&plan);
	free(pmus);
	return err;
}

int vperf_names_find(struct vperfctr_pmc *ret, const char *event, char *why, size_t size)
{
	struct op_reason error = { "" };
	struct op_event_spec spec;
	int err = op_event_spec_parse_counted(&spec, event);

	if (!err) {
		err = find(ret, &spec, &error);
		op_event_spec_release(&spec);
	}
	if (err)
		snprintf(why, size, "%s", op_reason_text(&error, err));
	return err;
}
