// SPDX-License-Identifier: LGPL-2.1-or-later
/* libperfctr_info.c -- perfctr's functions that describe the CPU or print the description. */
#include "config.h"
#include "libvperf/libperfctr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* Both headers define a struct vperfctr_control, so rename the kernel's struct. */
#define vperfctr_control kernel_control
#include "libvperf/cpu_list.h"
#include "libvperf/vperfctr.h"
#undef vperfctr_control

_Static_assert(PERFCTR_FEATURE_RDPMC == VPERFCTR_FEATURE_RDPMC &&
		       PERFCTR_FEATURE_RDTSC == VPERFCTR_FEATURE_RDTSC &&
		       PERFCTR_FEATURE_PCINT == VPERFCTR_FEATURE_PCINT,
	       "the same bits");

/* ---- The CPU's type, and its number of general counters ---- */

#if defined(__x86_64__) || defined(__i386__)
struct cpuid {
	unsigned int a, b, c, d;
};

static struct cpuid cpuid(unsigned int leaf)
{
	struct cpuid id = { 0 };

	return __get_cpuid_count(leaf, 0, &id.a, &id.b, &id.c, &id.d) ? id : (struct cpuid){ 0 };
}

/* Return false for a CPU without counters, such as the CPU of some virtual machines. */
static bool has_counters(void)
{
	static const char pmus[][9] = { "cpu", "cpu_core", "cpu_atom" };
	char path[64];

	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", pmus[i]);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

static unsigned int intels(unsigned int family, unsigned int model)
{
	if (family != 6 || !(cpuid(10).a & 0xff))
		return PERFCTR_X86_GENERIC;	/* the CPU has no architectural events */
	switch (model) {
	case 14:
		return PERFCTR_X86_INTEL_CORE;
	case 15: case 22: case 23: case 29:
		return PERFCTR_X86_INTEL_CORE2;
	case 26: case 30: case 31: case 46:
		return PERFCTR_X86_INTEL_NHLM;
	case 37: case 44: case 47:
		return PERFCTR_X86_INTEL_WSTMR;
	default:
		return PERFCTR_X86_INTEL_ATOM;
	}
}

static unsigned int cpu_type(unsigned int vendor)
{
	const unsigned int signature = cpuid(1).a;
	const unsigned int base = signature >> 8 & 15,
			   family = base + (base == 15 ? signature >> 20 & 0xff : 0);
	const unsigned int model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);

	if (!has_counters())
		return PERFCTR_X86_GENERIC;
	switch (vendor) {
	case VPERFCTR_CPU_X86_INTEL:
		return intels(family, model);
	case VPERFCTR_CPU_X86_AMD:
		return family < 15  ? PERFCTR_X86_GENERIC :
		       family == 15 ? PERFCTR_X86_AMD_K8 :
				      PERFCTR_X86_AMD_FAM10H;
	default:
		return PERFCTR_X86_GENERIC;
	}
}

unsigned int perfctr_info_nrctrs(const struct perfctr_info *info)
{
	switch (info->cpu_type) {
	case PERFCTR_X86_GENERIC:
		return 0;
	case PERFCTR_X86_AMD_K8:
	case PERFCTR_X86_AMD_FAM10H:
		return cpuid(0x80000001).c & (1 << 23) ? 6 : 4;
	default:
		return cpuid(10).a >> 8 & 0xff;
	}
}
#else
static unsigned int cpu_type(unsigned int vendor)
{
	(void)vendor;
	return PERFCTR_X86_GENERIC;
}

unsigned int perfctr_info_nrctrs(const struct perfctr_info *info)
{
	(void)info;
	return 0;
}
#endif

/* ---- Queries ---- */

int perfctr_abi_check_fd(int fd)
{
	struct perfctr_info info;

	if (perfctr_info(fd, &info))
		return -1;
	if (info.abi_version == VPERFCTR_ABI_VERSION)
		return 0;
	errno = EPROTO;
	return -1;
}

int perfctr_info(int fd, struct perfctr_info *info)
{
	struct vperfctr_info reported;

	if (fcntl(fd, F_GETFD) < 0 || sys_vperfctr_info(&reported))
		return -1;
	*info = (struct perfctr_info){
		.abi_version = reported.abi_version,
		.cpu_type = cpu_type(reported.cpu_type),
		.cpu_features = reported.features,
		.cpu_khz = (unsigned int)reported.cpu_khz,
		.tsc_to_cpu_mult = reported.tsc_to_cpu_mult,
	};
	snprintf(info->driver_version, sizeof(info->driver_version), "%.*s",
		 (int)sizeof(reported.driver_version) - 1, reported.driver_version);
	return 0;
}

struct perfctr_cpus_info *perfctr_cpus_info(int fd)
{
	struct perfctr_cpus_info *info = calloc(1, sizeof(*info));
	struct vperfctr_cpus *reported = calloc(1, sizeof(*reported));

	_Static_assert(sizeof(info->cpus) == sizeof(reported->usable) &&
			       sizeof(info->cpus_forbidden) == sizeof(reported->forbidden),
		       "as many CPUs");
	if (!info || !reported || fcntl(fd, F_GETFD) < 0 || sys_vperfctr_cpus(reported)) {
		free(info);
		info = NULL;
	} else {
		info->nr_cpus = reported->nr_cpus;
		memcpy(info->cpus, reported->usable, sizeof(info->cpus));
		memcpy(info->cpus_forbidden, reported->forbidden, sizeof(info->cpus_forbidden));
	}
	free(reported);
	return info;
}

const struct perfctr_event_set *perfctr_cpu_event_set(unsigned int type)
{
	(void)type;
	return NULL;
}

/* ---- Names and output ---- */

const char *perfctr_info_cpu_name(const struct perfctr_info *info)
{
	switch (info->cpu_type) {
	case PERFCTR_X86_GENERIC:
		return "a CPU without counters of its own";
	case PERFCTR_X86_INTEL_CORE:
		return "Intel Core";
	case PERFCTR_X86_INTEL_CORE2:
		return "Intel Core 2";
	case PERFCTR_X86_INTEL_ATOM:
		return "Intel, by architectural events";
	case PERFCTR_X86_INTEL_NHLM:
		return "Intel Nehalem";
	case PERFCTR_X86_INTEL_WSTMR:
		return "Intel Westmere";
	case PERFCTR_X86_AMD_K8:
		return "AMD K8";
	case PERFCTR_X86_AMD_FAM10H:
		return "AMD, family 10h or later";
	default:
		return "unknown";
	}
}

void perfctr_info_print(const struct perfctr_info *info)
{
	printf("abi_version\t\t0x%08x\n", info->abi_version);
	printf("driver_version\t\t%s\n", info->driver_version);
	printf("cpu_type\t\t%u (%s)\n", info->cpu_type, perfctr_info_cpu_name(info));
	printf("cpu_features\t\t0x%x (%s%s%s)\n", info->cpu_features,
	       info->cpu_features & PERFCTR_FEATURE_RDPMC ? "rdpmc " : "",
	       info->cpu_features & PERFCTR_FEATURE_RDTSC ? "rdtsc " : "",
	       info->cpu_features & PERFCTR_FEATURE_PCINT ? "pcint" : "");
	printf("cpu_khz\t\t\t%u\n", info->cpu_khz);
	printf("tsc_to_cpu_mult\t\t%u\n", info->tsc_to_cpu_mult);
	printf("cpu_nrctrs\t\t%u\n", perfctr_info_nrctrs(info));
}

void perfctr_cpus_info_print(const struct perfctr_cpus_info *info)
{
	const unsigned int most = sizeof(info->cpus) * 8,
			   nr = info->nr_cpus < most ? info->nr_cpus : most;
	char list[4096];

	vperf_cpu_list(list, sizeof(list), info->cpus, nr);
	printf("cpus\t\t\t[%s]\n", list);
	vperf_cpu_list(list, sizeof(list), info->cpus_forbidden, nr);
	printf("cpus_forbidden\t\t[%s]\n", list);
}

void perfctr_cpu_control_print(const struct perfctr_cpu_control *c)
{
	printf("tsc_on\t\t\t%u\nnractrs\t\t\t%u\nnrictrs\t\t\t%u\n", c->tsc_on, c->nractrs,
	       c->nrictrs);
	for (unsigned int i = 0; i < PERFCTR_MAX_CTRS && i < c->nractrs + c->nrictrs; i++) {
		printf("pmc_map[%u]\t\t0x%x\nevntsel[%u]\t\t0x%08X\n", i, c->pmc_map[i], i,
		       c->evntsel[i]);
		if (c->evntsel_high[i])
			printf("evntsel_high[%u]\t\t0x%08X\n", i, c->evntsel_high[i]);
		if (i >= c->nractrs)
			printf("ireset[%u]\t\t%d\n", i, c->ireset[i]);
	}
}
