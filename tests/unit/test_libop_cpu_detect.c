// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_cpu_detect.c -- tests that each CPU in the table is detected from its identification.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/cpu/detect.h"

static void test_intel_cpus_are_detected(void **state)
{
	static const struct {
		unsigned int model;
		enum op_core_type core;
		const char *cpu;
	} cases[] = {
		{ 0x0f, 0, "i386/core_2" }, { 0x17, 0, "i386/core_2" }, { 0x1a, 0, "i386/nehalem" },
		{ 0x2e, 0, "i386/nehalem" }, { 0x2c, 0, "i386/westmere" },
		{ 0x2a, 0, "i386/sandybridge" }, { 0x2d, 0, "i386/sandybridge" },
		{ 0x3e, 0, "i386/ivybridge" }, { 0x3f, 0, "i386/haswell" }, { 0x46, 0, "i386/haswell" },
		{ 0x4f, 0, "i386/broadwell" }, { 0x55, 0, "i386/skylake" }, { 0x9e, 0, "i386/skylake" },
		{ 0xa6, 0, "i386/skylake" }, { 0x6a, 0, "i386/icelake" }, { 0x8d, 0, "i386/icelake" },
		{ 0xa7, 0, "i386/icelake" }, { 0x8f, 0, "i386/sapphirerapids" },
		{ 0xcf, 0, "i386/sapphirerapids" }, { 0x97, OP_CORE_CORE, "i386/alderlake-p" },
		{ 0x97, OP_CORE_ATOM, "i386/alderlake-e" }, { 0xb7, OP_CORE_ATOM, "i386/alderlake-e" },
		{ 0x9a, OP_CORE_ONLY, "i386/alderlake-p" }, { 0xbe, 0, "i386/alderlake-e" },
		{ 0xad, 0, "i386/graniterapids" }, { 0x1c, 0, "i386/atom" },
		{ 0x4c, 0, "i386/silvermont" }, { 0x5c, 0, "i386/goldmont" },
		{ 0x7a, 0, "i386/goldmont_plus" }, { 0x85, 0, "i386/knl" },
	};
	struct op_cpu_found found;
	struct op_reason error = { "" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct op_x86_id id = {
			.vendor = OP_X86_INTEL, .family = 6, .model = cases[i].model,
			.core_type = cases[i].core, .perfmon_version = 4, .counters = 5, .fixed = 2,
		};

		assert_int_equal(op_cpu_from_x86(&found, &id, &error), 0);
		assert_string_equal(found.cpu->name, cases[i].cpu);
		assert_int_equal(found.counters, 5);
		assert_int_equal(found.fixed, 2);
		assert_string_equal(found.note, "");
	}
}

static void test_newer_cpu_is_arch_perfmon(void **state)
{
	struct op_x86_id id = {
		.vendor = OP_X86_INTEL, .family = 18, .model = 1, .perfmon_version = 6,
		.counters = 10, .fixed = 4,
	};
	struct op_cpu_found found;
	struct op_reason error = { "" };

	(void)state;
	assert_int_equal(op_cpu_from_x86(&found, &id, &error), 0);
	assert_string_equal(found.cpu->name, "i386/arch_perfmon");
	assert_int_equal(found.counters, 10);
	assert_non_null(strstr(found.note, "family 0x12, model 0x1"));

	assert_int_equal(op_cpu_core_type(found.cpu), OP_CORE_ONLY);
	assert_int_equal(op_cpu_core_type(op_cpu_by_name("i386/alderlake-p")), OP_CORE_CORE);
	assert_int_equal(op_cpu_core_type(op_cpu_by_name("i386/alderlake-e")), OP_CORE_ATOM);

	id.force_abort = 1;
	assert_int_equal(op_cpu_from_x86(&found, &id, &error), 0);
	assert_int_equal(found.counters, 3);

	id.vendor = OP_X86_AMD;
	id.family = 0x1a;
	id.model = 0x50;	/* model number of Zen 6 */
	assert_int_equal(op_cpu_from_x86(&found, &id, &error), 0);
	assert_string_equal(found.cpu->name, "x86-64/generic");
	assert_string_not_equal(found.note, "");

	id.family = 0x1b;
	id.amd_v2_counters = 8;
	assert_int_equal(op_cpu_from_x86(&found, &id, &error), 0);
	assert_string_equal(found.cpu->name, "x86-64/generic");
	assert_string_not_equal(found.note, "");
	assert_int_equal(found.counters, 8);

	assert_int_equal(op_cpu_from_midr(&found, 0x410fd8e0, &error), 0);
	assert_string_equal(found.cpu->name, "arm/armv8-pmuv3");
	assert_non_null(strstr(found.note, "implementer 0x41, part 0xd8e"));
}

static void test_amd_cpus_are_detected(void **state)
{
	static const struct {
		enum op_x86_vendor vendor;
		unsigned int family, model;
		const char *cpu;
	} cases[] = {
		{ OP_X86_AMD, 0x0f, 0x41, "x86-64/hammer" },
		{ OP_X86_AMD, 0x10, 0x02, "x86-64/family10" },
		{ OP_X86_AMD, 0x11, 0x03, "x86-64/family11h" },
		{ OP_X86_AMD, 0x12, 0x01, "x86-64/family12h" },
		{ OP_X86_AMD, 0x14, 0x02, "x86-64/family14h" },
		{ OP_X86_AMD, 0x15, 0x30, "x86-64/family15h" },
		{ OP_X86_AMD, 0x17, 0x01, "x86-64/zen1" }, { OP_X86_AMD, 0x17, 0x18, "x86-64/zen1" },
		{ OP_X86_AMD, 0x17, 0x31, "x86-64/zen2" }, { OP_X86_AMD, 0x17, 0x71, "x86-64/zen2" },
		{ OP_X86_AMD, 0x19, 0x01, "x86-64/zen3" }, { OP_X86_AMD, 0x19, 0x21, "x86-64/zen3" },
		{ OP_X86_AMD, 0x19, 0x44, "x86-64/zen3" }, { OP_X86_AMD, 0x19, 0x11, "x86-64/zen4" },
		{ OP_X86_AMD, 0x19, 0x61, "x86-64/zen4" }, { OP_X86_AMD, 0x19, 0xa0, "x86-64/zen4" },
		{ OP_X86_AMD, 0x1a, 0x02, "x86-64/zen5" }, { OP_X86_AMD, 0x1a, 0x44, "x86-64/zen5" },
		{ OP_X86_AMD, 0x1a, 0x70, "x86-64/zen5" },
		{ OP_X86_HYGON, 0x18, 0x00, "x86-64/zen1" },
	};
	struct op_cpu_found found;
	struct op_reason error = { "" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct op_x86_id id = {
			.vendor = cases[i].vendor, .family = cases[i].family, .model = cases[i].model,
			.amd_core_counters = cases[i].family >= 0x15,
		};

		assert_int_equal(op_cpu_from_x86(&found, &id, &error), 0);
		assert_string_equal(found.cpu->name, cases[i].cpu);
		assert_string_equal(found.note, "");
		assert_int_equal(found.counters, cases[i].family >= 0x15 ? 6 : 4);
	}
}

static void test_arm_cpus_are_detected(void **state)
{
	static const struct {
		uint64_t midr;
		const char *cpu;
	} cases[] = {
		{ 0x410fd034, "arm/armv8-ca53" }, { 0x411fd070, "arm/armv8-ca57" },
		{ 0x410fd083, "arm/armv8-ca72" }, { 0x414fd0b1, "arm/armv8-ca76" },
		{ 0x413fd0c1, "arm/armv8-neoverse-n1" }, { 0x410fd400, "arm/armv8-neoverse-v1" },
		{ 0x410fd490, "arm/armv8-neoverse-n2" }, { 0x410fd4f0, "arm/armv8-neoverse-v2" },
		{ 0x431f0af1, "arm/armv8-ca-thunderx2" }, { 0x500f0001, "arm/armv8-xgene" },
	};
	struct op_cpu_found found;
	struct op_reason error = { "" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(op_cpu_from_midr(&found, cases[i].midr, &error), 0);
		assert_string_equal(found.cpu->name, cases[i].cpu);
		assert_string_equal(found.note, "");
	}
}

static void test_cpu_without_counters_is_an_error(void **state)
{
	struct op_x86_id id = { .vendor = OP_X86_INTEL, .family = 6, .model = 0xcf };
	struct op_cpu_found found;
	struct op_reason error = { "" };

	(void)state;
	assert_int_equal(op_cpu_from_x86(&found, &id, &error), -ENODEV);
	assert_non_null(strstr(error.text, "virtual PMU"));
	id.vendor = OP_X86_OTHER;
	assert_int_equal(op_cpu_from_x86(&found, &id, &error), -ENODEV);
	id.vendor = OP_X86_AMD;
	id.family = 6;
	assert_int_equal(op_cpu_from_x86(&found, &id, &error), -ENODEV);
	assert_int_equal(op_cpu_from_midr(&found, 0x4107b760, &error), -ENODEV);
}

static void test_this_cpu_is_detected_or_reported(void **state)
{
	struct op_cpu_found found = { .cpu = NULL };
	struct op_reason error = { "" };
	int err = op_cpu_host(&found, &error);

	(void)state;
	if (err) {
		assert_int_equal(err, -ENODEV);
		assert_true(strlen(error.text) > 10);
		assert_null(found.cpu);
	} else {
		assert_non_null(found.cpu->events);
		assert_true(found.counters > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intel_cpus_are_detected),
		cmocka_unit_test(test_amd_cpus_are_detected),
		cmocka_unit_test(test_arm_cpus_are_detected),
		cmocka_unit_test(test_newer_cpu_is_arch_perfmon),
		cmocka_unit_test(test_cpu_without_counters_is_an_error),
		cmocka_unit_test(test_this_cpu_is_detected_or_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
