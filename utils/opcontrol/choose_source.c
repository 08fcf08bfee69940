// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * choose_source.c -- the choice between the kernel module and perf_events as the source of samples.
 */
#include "config.h"
#include "utils/opcontrol/choose_source.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "libop/event/spec.h"
#include "utils/opcontrol/driver.h"

/* Check whether the loaded module can sample these events. Return 0, or a negative errno with a
 * message in @error. */
static int check_backend(const struct op_settings *cfg, const struct ctl_events *events,
			 struct op_reason *error)
{
	const char *wish = ctl_settings_backend(cfg);
	struct ctl_backend backend;
	int err;

	if (!events->plan.counters && !events->plan.records && !wish)
		return 0;
	if (!wish)
		wish = events->plan.records ? "native" : "auto";
	err = ctl_driver_set_backend(wish, &backend, error);
	if (err || strcmp(backend.name, "timer") || (!events->plan.counters && !events->plan.records))
		return err;
	if (!strcmp(wish, "timer"))
		return op_fail(error, -EINVAL, "cannot sample by events of the CPU's counters with "
			       "--backend=timer: use --event=" OP_EVENT_TIMER ":%d, or another backend",
			       OP_TIMER_DEFAULT_NS);
	return op_fail(error, -EOPNOTSUPP, "cannot sample by events with the kernel module, only "
					   "by time: %s",
		       backend.reason);
}

int ctl_choose_source(struct op_reason *why_perf, const struct op_settings *cfg,
		      const struct ctl_events *events, struct op_reason *error)
{
	enum ctl_source source = ctl_settings_source(cfg);
	struct op_reason cause = { "" };
	bool no_module;
	int err;

	why_perf->text[0] = '\0';
	if (source == CTL_SOURCE_PERF)
		return op_fail(why_perf, 0, "asked for");
	/* Only the module has backends and samples instruction-based events (IBS). */
	if (source == CTL_SOURCE_AUTO && (ctl_settings_backend(cfg) || events->plan.records))
		source = CTL_SOURCE_MODULE;
	if (*events->beyond_module.text && source == CTL_SOURCE_MODULE)
		return op_fail(error, -EOPNOTSUPP, "option \"--event\": %s; --source=perf can "
						   "sample it",
			       events->beyond_module.text);
	if (*events->beyond_module.text)
		return op_fail(why_perf, 0, "%s", events->beyond_module.text);
	err = ctl_driver_init(cfg->module, &cause);
	no_module = err != 0;
	if (!err && ctl_driver_in_use())
		err = op_fail(&cause, -EBUSY, "another daemon uses the module; end it with opcontrol "
					    "--shutdown and its --session-dir");
	if (!err)
		err = check_backend(cfg, events, &cause);
	if (err && source == CTL_SOURCE_AUTO)
		return op_fail(why_perf, 0, "%s", op_reason_text(&cause, err));
	if (err)
		op_fail(error, err, no_module && !events->plan.records ?
			"%s; --source=perf works without the module" : "%s", op_reason_text(&cause, err));
	return err;
}
