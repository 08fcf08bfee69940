// SPDX-License-Identifier: GPL-2.0
/*
 * cpuid.c -- the CPUID leaves of the simulated CPU.
 */
#include "sim.h"
#include "x86/hw.h"

static struct oprofile_cpuid intel_leaf(const struct sim_config *c, u32 leaf)
{
	switch (leaf) {
	case 0:
		return (struct oprofile_cpuid){ 0x1f, 0x756e6547, 0x6c65746e, 0x49656e69 };
	case 1:
		return (struct oprofile_cpuid){ .eax = c->nehalem ? 0x106a5 : 0x906ea, .ecx = BIT(15) | (c->virtual ? BIT(31) : 0) };
	case 7:
		return (struct oprofile_cpuid){ .edx = (c->core_type ? BIT(15) : 0) | (c->force_abort ? BIT(13) : 0) };
	case 0xa:
		return (struct oprofile_cpuid){
			.eax = c->version | c->general << 8 | c->bits << 16 | 8 << 24,
			.ebx = c->no_events,
			.ecx = c->version >= 5 ? c->fixed : 0,
			.edx = (c->silent ? 0 : __builtin_ctzll(~c->fixed)) | (c->fixed_bits ?: c->bits) << 5 |
				(c->version >= 5 ? BIT(15) : 0),
		};
	case 0x1a:
		return (struct oprofile_cpuid){ .eax = c->core_type << 24 };
	default:
		return (struct oprofile_cpuid){ };
	}
}

static struct oprofile_cpuid amd_leaf(const struct sim_config *c, u32 leaf)
{
	switch (leaf) {
	case 0:
		return (struct oprofile_cpuid){ 0x10, 0x68747541, 0x444d4163, 0x69746e65 };
	case 1:
		return (struct oprofile_cpuid){ .eax = 0xf00 | (c->family - 0xf) << 20 };
	case 0x80000000:
		return (struct oprofile_cpuid){ .eax = 0x80000028 };
	case 0x80000001:
		return (struct oprofile_cpuid){ .ecx = (c->core ? BIT(23) : 0) | (c->ibs ? BIT(10) : 0) };
	case 0x8000001b:
		return (struct oprofile_cpuid){ .eax = c->ibs };
	case 0x80000022:
		return (struct oprofile_cpuid){ .eax = c->v2, .ebx = c->v2 ? c->general : 0 };
	default:
		return (struct oprofile_cpuid){ };
	}
}

struct oprofile_cpuid oprofile_cpuid(u32 leaf, u32 subleaf)
{
	const struct sim_config *c = sim_config();

	(void)subleaf;
	return c->vendor == SIM_AMD ? amd_leaf(c, leaf) : intel_leaf(c, leaf);
}
