// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event.c -- converts names of CPU events to the numbers (such as perf's config) that the probe
 * uses.
 */
#include "config.h"
#include "utils/opprobe/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/nearest.h"
#include "libop/event/plan.h"
#include "libop/event/spec.h"
#include "libop/perf/pmus.h"

/* Store the names of the events that the probe itself generates (TIMER, malloc and others) in @buf,
 * separated by commas. */
static void name_own(char *buf, size_t size)
{
	const struct raw_probe_kind *kind;
	size_t len = 0;

	for (size_t i = 0; (kind = raw_probe_kind(i)) && len < size; i++)
		len += snprintf(buf + len, size - len, "%s%s", i ? ", " : "", kind->name);
}

/* If the name at the start of @text is similar to an event that the probe itself generates, store "
 * (did you mean ...?)" in @meant, else "". Return @meant. */
static const char *suggest(char *meant, size_t size, const char *text)
{
	const struct raw_probe_kind *kind;
	struct op_nearest nearest = { .nr = 0 };
	char name[RAW_PROBE_NAME];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
	for (size_t i = 0; (kind = raw_probe_kind(i)); i++)
		op_nearest_add(&nearest, name, kind->name);
	return op_nearest_text(&nearest, meant, size);
}

/* Set in *@ret the event's numbers for perf, and its name for reports. The name includes the unit
 * mask, if one was given. */
static int set_event(struct raw_probe_event *ret, const struct op_event_spec *spec,
		     const struct op_perf_code *code, struct op_reason *error)
{
	const struct raw_probe_perf perf = { code->type, code->config, code->config1 };
	char name[300];
	int err;

	if (spec->um_name)
		snprintf(name, sizeof(name), "%s:%s", spec->name, spec->um_name);
	else if (spec->has_um && spec->um)
		snprintf(name, sizeof(name), "%s:0x%02x", spec->name, spec->um);
	else
		snprintf(name, sizeof(name), "%s", spec->name);
	/* cut the name, because a .csp file stores at most RAW_PROBE_NAME - 1 characters */
	name[RAW_PROBE_NAME - 1] = '\0';
	err = raw_probe_counter_set(ret, &perf, spec->count, name, strlen(name));
	return err ? op_fail(error, -EINVAL, "%s: the count is out of range", spec->name) : 0;
}

static int find_code(struct op_perf_code *ret, const struct op_event_plan *plan, const char *sysfs,
		     struct op_reason *error)
{
	struct op_perf_pmus *pmus = calloc(1, sizeof(*pmus));
	struct op_reason cause = { "" };
	int err = pmus ? op_perf_pmus_init(pmus, plan, sysfs, &cause) : -ENOMEM;
	size_t k = 0;

	/* The probe opens one counter for each thread, so choose the first type of core that has
	 * the event. */
	if (!err && plan->waits)
		err = op_fail(&cause, -EINVAL, "opprobe does not sample waits: use operf -e " OP_EVENT_OFFCPU);
	while (!err && k < pmus->kinds.nr && !pmus->codes[k][0].counted)
		k++;
	if (!err && k < pmus->kinds.nr)
		*ret = pmus->codes[k][0];
	else if (!err)
		err = op_fail(&cause, -ENODEV, "no kind of core of this CPU counts this event");
	free(pmus);
	return err ? op_fail(error, err, "cannot sample %s: %s", plan->choices[0].event->name, op_reason_text(&cause, err)) : 0;
}

int probe_event_find(struct raw_probe_event *ret, const char *text, const char *cpu_type,
		     const char *sysfs, struct op_reason *error)
{
	struct op_event_plan plan = { .nr = 0 };
	struct op_event_spec spec = { 0 };
	struct op_reason cause = { "" };
	struct op_perf_code code = { .type = 0 };
	char own[400], meant[200];
	int err, len = (int)op_event_tracepoint_length(text);

	if (len)
		return op_fail(error, -EINVAL,
			       "option \"--event\": opprobe does not sample tracepoints, such as "
			       "\"%s\"; operf -e %.*s:1 COMMAND samples them, and ocount -e %.*s "
			       "COMMAND counts them", text, len, text, len, text);
	err = op_event_parse(&spec, text, &cause);
	if (!err)
		err = op_event_plan_make(&plan, &spec, 1, cpu_type, &cause);
	if (err == OP_ERR_EVENT_UM || err == OP_ERR_EVENT_COUNT || err == OP_ERR_EVENT_CHOICE) {
		err = op_fail(error, -EINVAL, "option \"--event\": %s", op_reason_text(&cause, err));
	} else if (err) {
		name_own(own, sizeof(own));
		op_fail(error, err, "option \"--event\": unknown event \"%s\": opprobe samples "
			"%s, and events of this CPU%s: %s", text, own,
			suggest(meant, sizeof(meant), text), op_reason_text(&cause, err));
		err = -EINVAL;
	} else if (!spec.user) {
		err = op_fail(error, -EINVAL, "option \"--event\": \"%s\" counts only in the "
					      "kernel, but opprobe samples programs in user mode; "
					      "run operf or opcontrol to sample the kernel", text);
	} else {
		err = find_code(&code, &plan, sysfs, error);
	}
	if (!err)
		err = set_event(ret, &spec, &code, error);
	op_event_plan_release(&plan);
	op_event_spec_release(&spec);
	return err;
}

int probe_event_word(char *buf, size_t size, const struct raw_probe_event *event)
{
	const struct raw_probe_perf *perf = &event->perf;

	if (event->kind == &raw_probe_counter)
		return snprintf(buf, size, "counter=%x.%llx.%llx:%llu:%s,", perf->type,
				(unsigned long long)perf->config, (unsigned long long)perf->config1,
				(unsigned long long)event->period, event->name);
	if (event->period)
		return snprintf(buf, size, "event=%s:%llu,", event->name, (unsigned long long)event->period);
	return snprintf(buf, size, "event=%s,", event->name);
}
