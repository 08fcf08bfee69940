// SPDX-License-Identifier: GPL-2.0-or-later
/* pmus.c -- translation of events into codes for perf_events, for each kind of core of a hybrid
 * CPU. */
#include "config.h"
#include "libop/perf/pmus.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/reason.h"
#include "libop/event/any_cpu.h"
#include "libop/event/tracepoint.h"

/* The kinds of core of hybrid CPUs, with the names of their PMUs in the kernel. */
static const struct kind {
	const char *pmu, *cpu, *words;
} kinds[OP_PERF_MAX_PMUS] = {
	{ "cpu_core", "i386/alderlake-p", "performance" },
	{ "cpu_atom", "i386/alderlake-e", "efficiency" },
};

static int read_line(const char *sysfs, const char *pmu, const char *file, char *text, size_t size)
{
	char path[512];
	FILE *f;
	int ok;

	snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/%s", sysfs, pmu, file);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	ok = fgets(text, (int)size, f) != NULL;
	fclose(f);
	return ok ? 0 : -EIO;
}

static bool is_hybrid(const char *sysfs)
{
	char text[64];

	return !read_line(sysfs, kinds[0].pmu, "type", text, sizeof(text)) &&
	       !read_line(sysfs, kinds[1].pmu, "type", text, sizeof(text));
}

static bool is_timer(const struct op_event_choice *choice)
{
	return !strcmp(choice->event->name, OP_EVENT_TIMER);
}

bool op_perf_code_is_software(const struct op_perf_code *code)
{
	return code->counted && !code->timer &&
	       (code->type == PERF_TYPE_SOFTWARE || code->type == PERF_TYPE_TRACEPOINT);
}

struct op_perf_code op_perf_tracepoint(const char *name, uint64_t id)
{
	return (struct op_perf_code){
		.counted = true,
		/* the kernel reports syscalls:* tracepoints with the user registers, so they are
		 * events of user mode */
		.in_kernel = !!strncmp(name, "syscalls:", strlen("syscalls:")),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
	};
}

static int code_of(struct op_perf_code *code, const struct op_event_choice *choice, uint32_t type,
		   struct op_reason *error)
{
	if (is_timer(choice)) {
		*code = (struct op_perf_code){
			.counted = true, .timer = true,
			.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		};
		return 0;
	}
	if (op_event_is_software(choice->event)) {
		const struct op_perf_name *row = op_event_software_find(choice->event->name);

		if (!row)
			return -EINVAL;
		*code = (struct op_perf_code){
			.counted = true,
			.in_kernel = row->in_kernel,
			.type = row->type,
			.config = row->config,
		};
		return 0;
	}
	if (op_event_is_tracepoint(choice->event)) {
		*code = op_perf_tracepoint(choice->event->name, choice->event->raw);
		return 0;
	}
	if (op_event_is_made(choice->event)) {
		*code = (struct op_perf_code){ .is_made = true };
		return 0;
	}
	if (choice->event->ext)
		return op_fail(
			error, -EINVAL,
			"event %s comes from records that perf_events does not provide: it needs "
			"the kernel module with --backend=native",
			choice->event->name);
	*code = (struct op_perf_code){
		.counted = true, .type = type, .config = choice->config, .config1 = choice->config1,
	};
	return 0;
}

/* Find the event @choice in the table of another kind of core. Return false if that kind does
 * not have the event. */
static bool other_code(struct op_event_choice *ret, struct op_event_table *table,
		       const struct op_event_choice *choice)
{
	struct op_event_spec spec = {
		.name = choice->event->name,
		.count = choice->count,
		.um = choice->um,
		.um_name = (char *)choice->um_name,
		.has_um = choice->event->source != OP_EVENT_RAW,
		.kernel = choice->kernel,
		.user = choice->user,
	};

	/* A raw event is specified by its number, which may mean another event on another kind of
	 * core. So do not search for it in other tables. */
	return choice->event->source != OP_EVENT_RAW &&
	       op_event_resolve(ret, table, &spec, OP_CHOOSE_ANY_COUNT, NULL) == 0;
}

static void note_missing(struct op_perf_pmus *pmus, const struct kind *kind, const char *event)
{
	size_t len = strlen(pmus->note);

	snprintf(pmus->note + len, sizeof(pmus->note) - len,
		 "%sevent %s is not counted on the %s cores, because they do not support it",
		 len ? "; " : "", event, kind->words);
}

/* Set the codes of @plan's events for the kind of core kinds[@k], if the machine has several kinds
 * of core. */
static int codes_of_kind(struct op_perf_pmus *pmus, size_t k, const struct op_event_plan *plan,
			 struct op_reason *error)
{
	const struct op_cpu_desc *cpu = op_cpu_by_name(kinds[k].cpu);
	struct op_event_table *table = NULL;
	struct op_reason ignored = { "" };
	int err = 0;

	if (op_events_load(&table, cpu, NULL, &ignored))
		return op_fail(error, -EINVAL,
			       "cannot read the tables of events of the other kind of core");
	for (size_t i = 0; i < plan->nr && !err; i++) {
		struct op_event_choice choice = plan->choices[i];
		bool same = plan->cpu.cpu == cpu || is_timer(&choice) ||
			    op_event_is_made(choice.event) ||
			    op_event_is_software(choice.event) ||
			    op_event_is_tracepoint(choice.event);

		if (same || other_code(&choice, table, &plan->choices[i]))
			err = code_of(&pmus->codes[k][i], &choice, pmus->kinds.types[k], error);
		else
			note_missing(pmus, &kinds[k], plan->choices[i].event->name);
	}
	op_event_table_free(table);
	return err;
}

static int find_kind(struct op_perf_kinds *ret, size_t k, bool *set, const char *sysfs)
{
	char text[4096];
	int err = read_line(sysfs, kinds[k].pmu, "type", text, sizeof(text));

	if (err)
		return err;
	ret->types[k] = strtoul(text, NULL, 10);
	err = read_line(sysfs, kinds[k].pmu, "cpus", text, sizeof(text));
	if (!err)
		err = op_cpu_list_parse(set, text);
	for (int c = 0; c < OP_MAX_CPUS && !err; c++)
		if (set[c])
			ret->of_cpu[c] = (uint8_t)k;
	return err;
}

int op_perf_kinds_init(struct op_perf_kinds *ret, const char *sysfs, struct op_reason *error)
{
	bool *set;
	int err = 0;

	*ret = (struct op_perf_kinds){ .nr = 1, .types = { PERF_TYPE_RAW } };
	if (!is_hybrid(sysfs))
		return 0;
	set = calloc(OP_MAX_CPUS, sizeof(*set));
	if (!set)
		return -ENOMEM;
	ret->nr = OP_PERF_MAX_PMUS;
	for (size_t k = 0; k < ret->nr && !err; k++)
		err = find_kind(ret, k, set, sysfs);
	free(set);
	return err ? op_fail(error, err, "cannot find the CPUs of each type of core in "
					     "/sys/bus/event_source/devices") :
		     0;
}

int op_perf_pmus_init(struct op_perf_pmus *pmus, const struct op_event_plan *plan,
		      const char *sysfs, struct op_reason *error)
{
	int err;

	memset(pmus, 0, sizeof(*pmus));
	if (!plan->choices)
		return -EINVAL;
	err = op_perf_kinds_init(&pmus->kinds, sysfs, error);
	if (pmus->kinds.nr > 1) {
		for (size_t k = 0; k < pmus->kinds.nr && !err; k++)
			err = codes_of_kind(pmus, k, plan, error);
		return err;
	}
	for (size_t i = 0; i < plan->nr && !err; i++)
		err = code_of(&pmus->codes[0][i], &plan->choices[i], PERF_TYPE_RAW, error);
	return err;
}

size_t op_perf_kind_of_cpu(const struct op_perf_kinds *kinds, int cpu)
{
	return cpu >= 0 && cpu < OP_MAX_CPUS ? kinds->of_cpu[cpu] : 0;
}

const struct op_perf_code *op_perf_code(const struct op_perf_pmus *pmus, int cpu, size_t event)
{
	return &pmus->codes[op_perf_kind_of_cpu(&pmus->kinds, cpu)][event];
}
