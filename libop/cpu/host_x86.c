// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host_x86.c -- identification of the x86 CPU on which the program runs, by CPUID.
 */
#include "config.h"
#include "libop/cpu/detect.h"

#include <cpuid.h>
#include <string.h>

static enum op_x86_vendor vendor(void)
{
	unsigned int eax, ebx, ecx, edx;
	char text[12];

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return OP_X86_OTHER;
	memcpy(text, &ebx, 4);
	memcpy(text + 4, &edx, 4);
	memcpy(text + 8, &ecx, 4);
	if (!memcmp(text, "GenuineIntel", 12))
		return OP_X86_INTEL;
	if (!memcmp(text, "AuthenticAMD", 12))
		return OP_X86_AMD;
	if (!memcmp(text, "HygonGenuine", 12))
		return OP_X86_HYGON;
	return OP_X86_OTHER;
}

int op_cpu_host(struct op_cpu_found *ret, struct op_reason *error)
{
	struct op_x86_id id = { .vendor = vendor() };
	unsigned int eax, ebx, ecx, edx;

	if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
		id.family = eax >> 8 & 0xf;
		id.model = eax >> 4 & 0xf;
		if (id.family == 6 || id.family == 0xf)
			id.model |= eax >> 12 & 0xf0;
		if (id.family == 0xf)
			id.family += eax >> 20 & 0xff;
	}
	if (id.vendor == OP_X86_INTEL && __get_cpuid_count(0xa, 0, &eax, &ebx, &ecx, &edx)) {
		id.perfmon_version = eax & 0xff;
		id.counters = eax >> 8 & 0xff;
		id.fixed = edx & 0x1f;
	}
	if (id.vendor == OP_X86_INTEL && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
		id.force_abort = edx >> 13 & 1 && !(edx >> 11 & 1);
	if (id.vendor == OP_X86_INTEL && __get_cpuid_count(0x1a, 0, &eax, &ebx, &ecx, &edx))
		id.core_type = eax >> 24;
	if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
		id.amd_core_counters = ecx >> 23 & 1;
	if (__get_cpuid(0x80000022, &eax, &ebx, &ecx, &edx) && eax & 1)
		id.amd_v2_counters = ebx & 0xf;
	return op_cpu_from_x86(ret, &id, error);
}
