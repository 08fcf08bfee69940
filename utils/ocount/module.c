// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module.c -- counts of a command by vperfctr.ko.
 */
#include "config.h"
#include "utils/ocount/module.h"

#include <errno.h>

#include "utils/shared/virtual_counters.h"

bool count_module_can(const struct count_options *options, const struct count_events *events)
{
	/*
	 * The module adds up threads only when they end, and each slot belongs to one kind of core.
	 */
	return options->what == COUNT_COMMAND && !options->interval_ms && events->nr <= VPERF_MAX &&
	       events->kinds.nr == 1;
}

struct opening {
	struct vperf **ret;
	const struct count_events *events;
	pid_t pid;
};

static int attach_counters(void *arg, struct op_reason *error)
{
	const struct opening *o = arg;
	struct vperf *v = NULL;
	int err = vperf_attach(&v, o->pid, VPERF_MODULE | VPERF_CHILDREN | VPERF_ON_EXEC);

	for (size_t e = 0; e < o->events->nr && err >= 0; e++) {
		const struct count_event *event = &o->events->list[e];
		const struct op_perf_code *code = &event->codes[0];
		const struct vperfctr_pmc pmc = {
			.type = code->type,
			.config = code->config,
			.config1 = code->config1,
			.flags = VPERFCTR_SHARE | (event->user ? VPERFCTR_USER : 0) |
				 (event->kernel ? VPERFCTR_KERNEL : 0),
		};

		err = vperf_add_pmc(v, &pmc);
	}
	if (err >= 0)
		err = vperf_start(v);
	if (err < 0) {
		op_fail(error, err, "%s", vperf_error(v));
		vperf_close(v);
		return err;
	}
	*o->ret = v;
	return 0;
}

int count_module_open(struct vperf **ret, const struct count_events *events, pid_t pid,
		      struct op_reason *error)
{
	struct opening o = { .ret = ret, .events = events, .pid = pid };

	return virtual_counters_give(pid, VPERF_MODULE, attach_counters, &o, error);
}

int count_module_read(struct vperf *v, struct count_value *values)
{
	struct vperf_counts own, children;
	int err = vperf_read(v, &own);

	if (!err)
		err = vperf_read_children(v, &children);
	for (uint32_t e = 0; !err && e < own.nr; e++)
		values[e] = (struct count_value){
			.count = own.slot[e].count + children.slot[e].count,
			.enabled = own.slot[e].enabled + children.slot[e].enabled,
			.running = own.slot[e].running + children.slot[e].running,
		};
	return err;
}
