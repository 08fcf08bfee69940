// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_event_codes.c -- compares the event tables with libpfm4, for every CPU that both know.
 *
 * libpfm4 must encode each event and each value of its unit mask to the same number. If libpfm4 has
 * the event's name, it is looked up by name. If the names differ (the tables use OProfile's old
 * name, or the architecture's), libpfm4 must have the same code and mask under another name.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <perfmon/pfmlib.h>
#include <stdbool.h>
#include <strings.h>

#include "libop/event/file.h"

struct code {
	char event[100], um[100];
	uint64_t config;
};

struct pmu {
	struct code *codes;
	size_t nr;
};

/*
 * Events for which libpfm4 4.13 differs from the tables, and the reason why the tables are correct.
 * Architectural events are the same on every CPU with architectural performance monitoring (SDM
 * volume 3).
 */
static const struct {
	const char *cpu, *event;
	uint64_t config;
} manual[] = {
	/* libpfm4 uses Sandy Bridge's model-specific masks 0x01 and 0x02 */
	{ "i386/sandybridge", "LLC_MISSES", 0x412e },
	{ "i386/sandybridge", "LLC_REFS", 0x4f2e },
	/* libpfm4 uses mask 0x04, of the precise variant of the event */
	{ "i386/sandybridge", "BR_MISS_PRED_RETIRED", 0x00c5 },
	/* libpfm4 only knows the mask that counts calls */
	{ "i386/nehalem", "BR_MISS_PRED_RETIRED", 0x00c5 },
};

/* Return @config without the bits for user, kernel, interrupt and enable. */
static uint64_t x86_bits(uint64_t config)
{
	return config & (0xfULL << 32 | 0xff000000 | OP_EXTRA_INV | OP_EXTRA_ANY | OP_EXTRA_EDGE | 0xffff);
}

static void add_code(struct pmu *pmu, enum op_pmu_arch arch, const char *name, const char *event,
		     const char *um)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	struct code *code;
	char text[256];

	snprintf(text, sizeof(text), um ? "%s::%s:%s" : "%s::%s", name, event, um);
	if (pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg) != PFM_SUCCESS)
		return;
	pmu->codes = reallocarray(pmu->codes, pmu->nr + 1, sizeof(*pmu->codes));
	assert_non_null(pmu->codes);
	code = &pmu->codes[pmu->nr++];
	snprintf(code->event, sizeof(code->event), "%s", event);
	snprintf(code->um, sizeof(code->um), "%s", um ? um : "");
	code->config = arch == OP_PMU_ARM ? arg.codes[0] & 0xffff : x86_bits(arg.codes[0]);
	free(arg.codes);
}

static bool read_pmu(struct pmu *pmu, const struct op_cpu_desc *cpu)
{
	pfm_pmu_info_t info;
	pfm_event_info_t event;
	pfm_event_attr_info_t attr;
	int i, a, masks;

	memset(pmu, 0, sizeof(*pmu));
	pfm_for_all_pmus(i) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info(i, &info) == PFM_SUCCESS && !strcmp(info.name, cpu->pfm))
			break;
	}
	if (i == PFM_PMU_MAX)
		return false;
	for (int idx = info.first_event; idx != -1; idx = pfm_get_event_next(idx)) {
		memset(&event, 0, sizeof(event));
		event.size = sizeof(event);
		assert_int_equal(pfm_get_event_info(idx, PFM_OS_NONE, &event), PFM_SUCCESS);
		for (a = 0, masks = 0; a < event.nattrs; a++) {
			memset(&attr, 0, sizeof(attr));
			attr.size = sizeof(attr);
			assert_int_equal(pfm_get_event_attr_info(idx, a, PFM_OS_NONE, &attr), PFM_SUCCESS);
			if (attr.type != PFM_ATTR_UMASK)
				continue;
			masks = 1;
			add_code(pmu, cpu->arch, info.name, event.name, attr.name);
		}
		if (!masks)
			add_code(pmu, cpu->arch, info.name, event.name, NULL);
	}
	return true;
}

static bool equals_manual(const struct op_cpu_desc *cpu, const struct op_event *event,
			  uint64_t config)
{
	for (size_t i = 0; i < sizeof(manual) / sizeof(manual[0]); i++) {
		if (!strcmp(manual[i].cpu, cpu->name) && !strcmp(manual[i].event, event->name))
			return manual[i].config == config;
	}
	return false;
}

/* Compare one unit mask value of @event with libpfm4. Return NULL, or the difference. */
static const char *compare(const struct pmu *pmu, const struct op_event *event,
			   const struct op_um_value *value, uint64_t config)
{
	int same_event = 0, same_um = 0, same_code = 0;

	for (size_t i = 0; i < pmu->nr; i++) {
		const struct code *code = &pmu->codes[i];
		int name = !strcasecmp(code->event, event->name);

		same_event |= name;
		if (code->config == config)
			same_code |= name ? 2 : 1;
		if (name && value->name && !strcasecmp(code->um, value->name)) {
			same_um = 1;
			if (code->config == config)
				return NULL;
		}
	}
	if (same_um)
		return "libpfm4 gives this name another code";
	if (value->name && same_event && !(same_code & 2))
		return "libpfm4's event has no such mask";
	if (!same_code)
		return "libpfm4 has no such code";
	return NULL;
}

static void test_codes_equal_libpfm(void **state)
{
	const struct op_cpu_desc *cpu;
	size_t i, j, k, cpus = 0, values = 0, wrong = 0;

	(void)state;
	for (i = 0; (cpu = op_cpu_row(i)); i++) {
		struct op_event_table *table;
		struct op_reason error = { "" };
		struct pmu pmu;

		/* Skip CPUs that use a fallback table, which does not describe a particular CPU. */
		if (!cpu->pfm || strcmp(cpu->events, cpu->name) || !read_pmu(&pmu, cpu))
			continue;
		if (op_event_file_load(&table, cpu, EVENTS_DIR, &error))
			fail_msg("%s", error.text);
		for (j = 0; j < table->nr_events; j++) {
			const struct op_event *event = table->events[j];

			/*
			 * Skip derived events, whose numbers are the project's own and unknown to
			 * libpfm4.
			 */
			if (event->ext)
				continue;
			for (k = 0; k < event->unit_mask->nr_values; k++) {
				const struct op_um_value *v = &event->unit_mask->values[k];
				uint64_t config = op_event_config(cpu, event, v->value, v->extra);
				const char *what = compare(&pmu, event, v, config);

				values++;
				if (!what || equals_manual(cpu, event, config))
					continue;
				print_error("%s: %s %s (0x%llx): %s\n", cpu->name, event->name,
					    v->name ? v->name : "", (unsigned long long)config, what);
				wrong++;
			}
		}
		op_event_table_free(table);
		free(pmu.codes);
		cpus++;
	}
	print_message("%zu values of %zu CPUs compared with libpfm4\n", values, cpus);
	assert_int_equal(wrong, 0);
	assert_true(cpus > 3 && values > 300);
}

static int start(void **state)
{
	(void)state;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return pfm_initialize() != PFM_SUCCESS;
}

static int stop(void **state)
{
	(void)state;
	pfm_terminate();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes_equal_libpfm),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
