// SPDX-License-Identifier: GPL-2.0-or-later
/* detect.c -- lookup of a CPU in the table of CPU types, by CPUID or MIDR. */
#include "config.h"
#include "libop/cpu/detect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Models of a CPU family that have the same kind of core: @first to @last, or only @first if @last
 * is 0. */
struct x86_models {
	unsigned int family, first, last;
	enum op_core_type core;	/* kind of core to which the row applies; only for hybrid CPUs */
	const char *cpu;
};

static const struct x86_models intel_models[] = {
	{ .family = 6, .first = 0x0f, .cpu = "i386/core_2" },
	{ .family = 6, .first = 0x16, .last = 0x17, .cpu = "i386/core_2" },
	{ .family = 6, .first = 0x1d, .cpu = "i386/core_2" },
	{ .family = 6, .first = 0x1a, .cpu = "i386/nehalem" },
	{ .family = 6, .first = 0x1e, .last = 0x1f, .cpu = "i386/nehalem" },
	{ .family = 6, .first = 0x2e, .cpu = "i386/nehalem" },
	{ .family = 6, .first = 0x1c, .cpu = "i386/atom" },
	{ .family = 6, .first = 0x26, .last = 0x27, .cpu = "i386/atom" },
	{ .family = 6, .first = 0x35, .last = 0x36, .cpu = "i386/atom" },
	{ .family = 6, .first = 0x25, .cpu = "i386/westmere" },
	{ .family = 6, .first = 0x2c, .cpu = "i386/westmere" },
	{ .family = 6, .first = 0x2f, .cpu = "i386/westmere" },
	{ .family = 6, .first = 0x2a, .cpu = "i386/sandybridge" },
	{ .family = 6, .first = 0x2d, .cpu = "i386/sandybridge" },
	{ .family = 6, .first = 0x3a, .cpu = "i386/ivybridge" },
	{ .family = 6, .first = 0x3e, .cpu = "i386/ivybridge" },
	{ .family = 6, .first = 0x3c, .cpu = "i386/haswell" },
	{ .family = 6, .first = 0x3f, .cpu = "i386/haswell" },
	{ .family = 6, .first = 0x45, .last = 0x46, .cpu = "i386/haswell" },
	{ .family = 6, .first = 0x37, .cpu = "i386/silvermont" },
	{ .family = 6, .first = 0x4a, .cpu = "i386/silvermont" },
	{ .family = 6, .first = 0x4c, .last = 0x4d, .cpu = "i386/silvermont" },
	{ .family = 6, .first = 0x5a, .cpu = "i386/silvermont" },
	{ .family = 6, .first = 0x5d, .cpu = "i386/silvermont" },
	{ .family = 6, .first = 0x3d, .cpu = "i386/broadwell" },
	{ .family = 6, .first = 0x47, .cpu = "i386/broadwell" },
	{ .family = 6, .first = 0x4f, .cpu = "i386/broadwell" },
	{ .family = 6, .first = 0x56, .cpu = "i386/broadwell" },
	{ .family = 6, .first = 0x4e, .cpu = "i386/skylake" },
	{ .family = 6, .first = 0x55, .cpu = "i386/skylake" },
	{ .family = 6, .first = 0x5e, .cpu = "i386/skylake" },
	{ .family = 6, .first = 0x8e, .cpu = "i386/skylake" },	/* Kaby, Whiskey, Comet Lake */
	{ .family = 6, .first = 0x9e, .cpu = "i386/skylake" },
	{ .family = 6, .first = 0xa5, .last = 0xa6, .cpu = "i386/skylake" },
	{ .family = 6, .first = 0x57, .cpu = "i386/knl" },
	{ .family = 6, .first = 0x85, .cpu = "i386/knl" },
	{ .family = 6, .first = 0x5c, .cpu = "i386/goldmont" },
	{ .family = 6, .first = 0x5f, .cpu = "i386/goldmont" },
	{ .family = 6, .first = 0x7a, .cpu = "i386/goldmont_plus" },
	{ .family = 6, .first = 0x6a, .cpu = "i386/icelake" },
	{ .family = 6, .first = 0x6c, .cpu = "i386/icelake" },
	{ .family = 6, .first = 0x7d, .last = 0x7e, .cpu = "i386/icelake" },
	{ .family = 6, .first = 0x8c, .last = 0x8d, .cpu = "i386/icelake" },	/* Tiger Lake */
	{ .family = 6, .first = 0xa7, .cpu = "i386/icelake" },	/* Rocket Lake */
	{ .family = 6, .first = 0x8f, .cpu = "i386/sapphirerapids" },
	{ .family = 6, .first = 0xcf, .cpu = "i386/sapphirerapids" },	/* Emerald Rapids */
	{ .family = 6, .first = 0xad, .last = 0xae, .cpu = "i386/graniterapids" },
	/* Alder and Raptor Lake */
	{ .family = 6, .first = 0x97, .core = OP_CORE_CORE, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0x97, .core = OP_CORE_ATOM, .cpu = "i386/alderlake-e" },
	{ .family = 6, .first = 0x97, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0x9a, .core = OP_CORE_CORE, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0x9a, .core = OP_CORE_ATOM, .cpu = "i386/alderlake-e" },
	{ .family = 6, .first = 0x9a, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0xb7, .core = OP_CORE_CORE, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0xb7, .core = OP_CORE_ATOM, .cpu = "i386/alderlake-e" },
	{ .family = 6, .first = 0xb7, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0xba, .core = OP_CORE_CORE, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0xba, .core = OP_CORE_ATOM, .cpu = "i386/alderlake-e" },
	{ .family = 6, .first = 0xba, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0xbf, .core = OP_CORE_CORE, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0xbf, .core = OP_CORE_ATOM, .cpu = "i386/alderlake-e" },
	{ .family = 6, .first = 0xbf, .cpu = "i386/alderlake-p" },
	{ .family = 6, .first = 0xbe, .cpu = "i386/alderlake-e" },	/* Alder Lake-N: E-cores only */
};

static const struct x86_models amd_models[] = {
	{ .family = 0x0f, .first = 0, .last = 0xff, .cpu = "x86-64/hammer" },
	{ .family = 0x10, .first = 0, .last = 0xff, .cpu = "x86-64/family10" },
	{ .family = 0x11, .first = 0, .last = 0xff, .cpu = "x86-64/family11h" },
	{ .family = 0x12, .first = 0, .last = 0xff, .cpu = "x86-64/family12h" },
	{ .family = 0x14, .first = 0, .last = 0xff, .cpu = "x86-64/family14h" },
	{ .family = 0x15, .first = 0, .last = 0xff, .cpu = "x86-64/family15h" },
	{ .family = 0x17, .first = 0x00, .last = 0x2f, .cpu = "x86-64/zen1" },
	{ .family = 0x17, .first = 0x30, .last = 0xff, .cpu = "x86-64/zen2" },
	{ .family = 0x19, .first = 0x00, .last = 0x0f, .cpu = "x86-64/zen3" },
	{ .family = 0x19, .first = 0x10, .last = 0x1f, .cpu = "x86-64/zen4" },
	{ .family = 0x19, .first = 0x20, .last = 0x5f, .cpu = "x86-64/zen3" },
	{ .family = 0x19, .first = 0x60, .last = 0x7f, .cpu = "x86-64/zen4" },
	{ .family = 0x19, .first = 0xa0, .last = 0xaf, .cpu = "x86-64/zen4" },
	{ .family = 0x1a, .first = 0x00, .last = 0x4f, .cpu = "x86-64/zen5" },
	{ .family = 0x1a, .first = 0x60, .last = 0x7f, .cpu = "x86-64/zen5" },
};

static const struct x86_models hygon_models[] = {
	{ .family = 0x18, .first = 0, .last = 0xff, .cpu = "x86-64/zen1" },	/* Dhyana */
};

struct arm_part {
	unsigned int implementer, part;
	const char *cpu;
};

static const struct arm_part arm_parts[] = {
	{ 0x41, 0xd03, "arm/armv8-ca53" },
	{ 0x41, 0xd07, "arm/armv8-ca57" },
	{ 0x41, 0xd08, "arm/armv8-ca72" },
	{ 0x41, 0xd0b, "arm/armv8-ca76" },
	{ 0x41, 0xd0c, "arm/armv8-neoverse-n1" },
	{ 0x41, 0xd40, "arm/armv8-neoverse-v1" },
	{ 0x41, 0xd49, "arm/armv8-neoverse-n2" },
	{ 0x41, 0xd4f, "arm/armv8-neoverse-v2" },
	{ 0x42, 0x516, "arm/armv8-ca-thunderx2" },	/* Broadcom Vulcan, before it was Cavium's */
	{ 0x43, 0x0af, "arm/armv8-ca-thunderx2" },
	{ 0x50, 0x000, "arm/armv8-xgene" },
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *find_model(const struct op_x86_id *id, const struct x86_models *models,
			      size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct x86_models *m = &models[i];

		if (m->family == id->family && id->model >= m->first &&
		    id->model <= (m->last ? m->last : m->first) &&
		    (!m->core || m->core == id->core_type))
			return m->cpu;
	}
	return NULL;
}

void op_cpu_found_set(struct op_cpu_found *found, const struct op_cpu_desc *cpu)
{
	*found = (struct op_cpu_found){
		.cpu = cpu, .counters = cpu->counters, .fixed = cpu->fixed,
	};
}

static void set(struct op_cpu_found *found, const char *name)
{
	op_cpu_found_set(found, op_cpu_by_name(name));
}

static void fall_back(struct op_cpu_found *found, const char *name, const char *vendor,
		      unsigned int family, unsigned int model)
{
	set(found, name);
	snprintf(found->note, sizeof(found->note),
		 "this %s CPU (family 0x%x, model 0x%x) is not known by name: only events that all "
		 "such CPUs have are offered, and raw ones (rNNNN)", vendor, family, model);
}

static int from_intel(struct op_cpu_found *ret, const struct op_x86_id *id, struct op_reason *error)
{
	struct op_cpu_found found;
	const char *name = find_model(id, intel_models, ARRAY_SIZE(intel_models));

	if (!id->perfmon_version)
		return op_fail(error, -ENODEV, "this Intel CPU (family 0x%x, model 0x%x) reports "
			       "no performance counters; it may be a virtual machine without a "
			       "virtual PMU", id->family, id->model);
	if (name)
		set(&found, name);
	else
		fall_back(&found, "i386/arch_perfmon", "Intel", id->family, id->model);
	if (id->counters)
		found.counters = id->counters;
	/*
	 * With force_abort, microcode uses the fourth counter to abort transactions. The numbers of
	 * the usable counters must have no gap, so the counters after the fourth counter cannot be
	 * used either.
	 */
	if (id->force_abort && found.counters > 3)
		found.counters = 3;
	found.fixed = id->perfmon_version > 1 ? id->fixed : 0;
	*ret = found;
	return 0;
}

static int from_amd(struct op_cpu_found *ret, const struct op_x86_id *id, struct op_reason *error)
{
	struct op_cpu_found found;
	const char *name = id->vendor == OP_X86_HYGON ?
		find_model(id, hygon_models, ARRAY_SIZE(hygon_models)) :
		find_model(id, amd_models, ARRAY_SIZE(amd_models));

	if (id->family < 0x0f)
		return op_fail(error, -ENODEV, "AMD CPUs before K8 (this one is family 0x%x) are "
			       "sampled by time only", id->family);
	if (name)
		set(&found, name);
	else
		fall_back(&found, "x86-64/generic", id->vendor == OP_X86_HYGON ? "Hygon" : "AMD",
			  id->family, id->model);
	found.counters = id->amd_v2_counters ? id->amd_v2_counters : id->amd_core_counters ? 6 : 4;
	*ret = found;
	return 0;
}

int op_cpu_from_x86(struct op_cpu_found *ret, const struct op_x86_id *id, struct op_reason *error)
{
	switch (id->vendor) {
	case OP_X86_INTEL:
		return from_intel(ret, id, error);
	case OP_X86_AMD:
	case OP_X86_HYGON:
		return from_amd(ret, id, error);
	default:
		return op_fail(error, -ENODEV, "unknown x86 CPU, neither Intel, AMD nor Hygon: "
			       "its counters cannot be used");
	}
}

enum op_core_type op_cpu_core_type(const struct op_cpu_desc *cpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(intel_models); i++) {
		if (intel_models[i].core && !strcmp(intel_models[i].cpu, cpu->name))
			return intel_models[i].core;
	}
	return OP_CORE_ONLY;
}

int op_cpu_from_midr(struct op_cpu_found *ret, uint64_t midr, struct op_reason *error)
{
	unsigned int implementer = midr >> 24 & 0xff, part = midr >> 4 & 0xfff;
	struct op_cpu_found found;

	/* If the field "architecture" of the MIDR is 0xf, ID registers describe the CPU, as on all
	 * ARMv8 CPUs. Reject all other CPUs. */
	if ((midr >> 16 & 0xf) != 0xf)
		return op_fail(error, -ENODEV, "this ARM CPU (MIDR 0x%08llx) is older than ARMv8",
			       (unsigned long long)midr);
	for (size_t i = 0; i < ARRAY_SIZE(arm_parts); i++) {
		if (arm_parts[i].implementer == implementer && arm_parts[i].part == part) {
			set(ret, arm_parts[i].cpu);
			return 0;
		}
	}
	set(&found, "arm/armv8-pmuv3");
	snprintf(
		found.note, sizeof(found.note),
		"this ARM CPU (implementer 0x%x, part 0x%x) is not known by name: only events that "
		"the architecture defines are offered, and raw ones (rNNNN)",
		implementer, part);
	*ret = found;
	return 0;
}
