// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu_type.c -- the kinds of CPU we know.
 */
#include "config.h"
#include "libop/cpu_type.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Numbers are part of the file format: rows are added at the end. */
static const struct op_cpu_desc descs[] = {
	{ 0, "i386/ppro", "Intel Pentium Pro" },
	{ 1, "i386/pii", "Intel Pentium II" },
	{ 2, "i386/piii", "Intel Pentium III" },
	{ 3, "i386/athlon", "AMD Athlon" },
	{ OP_CPU_TIMER, "timer", "CPU with timer interrupt" },
	{ 5, "i386/p4", "Intel Pentium 4 / Xeon" },
	{ 6, "x86-64/hammer", "AMD64 family 0Fh" },
	{ 7, "i386/p4-ht", "Intel Pentium 4 / Xeon with 2 hyper-threads" },
	{ 8, "alpha/ev67", "Alpha EV67" },
	{ 9, "i386/p6_mobile", "Intel Pentium M (P6 core)" },
	{ 10, "arm/xscale1", "ARM XScale PMU1" },
	{ 11, "arm/xscale2", "ARM XScale PMU2" },
	{ 12, "ppc64/power4", "POWER4" },
	{ 13, "ppc64/power5", "POWER5" },
	{ 14, "ppc64/power5+", "POWER5+" },
	{ 15, "ppc64/970", "PowerPC 970" },
	{ 16, "mips/20K", "MIPS 20K" },
	{ 17, "mips/24K", "MIPS 24K" },
	{ 18, "mips/25K", "MIPS 25K" },
	{ 19, "mips/34K", "MIPS 34K" },
	{ 20, "mips/5K", "MIPS 5K" },
	{ 21, "mips/r10000", "MIPS R10000" },
	{ 22, "mips/r12000", "MIPS R12000" },
	{ 23, "mips/rm7000", "QED RM7000" },
	{ 24, "mips/rm9000", "PMC-Sierra RM9000" },
	{ 25, "mips/sb1", "Sibyte SB1" },
	{ 26, "mips/vr5432", "NEC VR5432" },
	{ 27, "mips/vr5500", "NEC VR5500" },
	{ 28, "ppc/e500", "PowerPC e500" },
	{ 29, "ppc/e500v2", "PowerPC e500v2" },
	{ 30, "i386/core", "Intel Core Solo / Duo" },
	{ 31, "ppc/7450", "PowerPC 7450 (G4)" },
	{ 32, "i386/core_2", "Intel Core 2" },
	{ 33, "ppc64/power6", "POWER6" },
	{ 34, "ppc64/970MP", "PowerPC 970MP" },
	{ 35, "x86-64/family10", "AMD64 family 10h" },
	{ 36, "arm/mpcore", "ARM MPCore" },
	{ 37, "arm/armv6", "ARM V6 PMU" },
	{ 38, "ppc64/power5++", "POWER5++" },
	{ 39, "ppc/e300", "PowerPC e300" },
	{ 40, "arm/armv7", "ARM Cortex-A8" },
	{ 41, "i386/arch_perfmon", "Intel architectural performance counters" },
	{ 42, "x86-64/family11h", "AMD64 family 11h" },
	{ 43, "ppc64/power7", "POWER7" },
	{ 44, "i386/core_i7", "Intel Core i7" },
	{ 45, "i386/atom", "Intel Atom" },
	{ 46, "mips/loongson2", "Loongson 2" },
	{ 47, "i386/nehalem", "Intel Nehalem" },
	{ 48, "arm/armv7-ca9", "ARM Cortex-A9" },
	{ 49, "mips/74K", "MIPS 74K" },
	{ 50, "mips/1004K", "MIPS 1004K" },
	{ 51, "x86-64/family12h", "AMD64 family 12h" },
	{ 52, "x86-64/family14h", "AMD64 family 14h" },
	{ 53, "x86-64/family15h", "AMD64 family 15h" },
	{ 54, "i386/westmere", "Intel Westmere" },
	{ 55, "arm/armv7-scorpion", "Qualcomm Scorpion" },
	{ 56, "arm/armv7-scorpionmp", "Qualcomm ScorpionMP" },
	{ 57, "i386/sandybridge", "Intel Sandy Bridge" },
	{ 58, "tile/tile64", "Tilera TILE64" },
	{ 59, "tile/tilepro", "Tilera TILEPro" },
	{ 60, "tile/tilegx", "Tilera TILE-Gx" },
	{ 61, "s390/z10", "IBM System z10" },
	{ 62, "s390/z196", "IBM zEnterprise z196" },
	{ 63, "i386/ivybridge", "Intel Ivy Bridge" },
	{ 64, "arm/armv7-ca5", "ARM Cortex-A5" },
	{ 65, "arm/armv7-ca7", "ARM Cortex-A7" },
	{ 66, "arm/armv7-ca15", "ARM Cortex-A15" },
	{ 67, "i386/haswell", "Intel Haswell" },
	{ 68, "s390/zEC12", "IBM zEnterprise EC12" },
	{ 69, "x86-64/generic", "AMD64, generic" },
	{ 70, "ppc64/architected_events_v1", "POWER, architected events v1" },
	{ 71, "ppc64/power8", "POWER8" },
	{ 72, "ppc/e500mc", "PowerPC e500mc" },
	{ 73, "ppc/e6500", "PowerPC e6500" },
	{ 74, "i386/silvermont", "Intel Silvermont" },
	{ 75, "arm/armv7-krait", "Qualcomm Krait" },
	{ 76, "arm/armv8-xgene", "Applied Micro X-Gene" },
	{ 77, "i386/broadwell", "Intel Broadwell" },
	{ 78, "arm/armv8-ca57", "ARM Cortex-A57" },
	{ 79, "arm/armv8-ca53", "ARM Cortex-A53" },
	{ 80, "i386/skylake", "Intel Skylake" },
	{ 81, "i386/goldmont", "Intel Goldmont" },
	{ 82, "i386/goldmont_plus", "Intel Goldmont Plus" },
	{ 83, "s390/z13", "IBM z13" },
	{ 84, "arm/armv7-ca17", "ARM Cortex-A17" },
	{ 85, "ppc64/power9", "POWER9" },
	{ 86, "i386/knl", "Intel Knights Landing" },
	{ 87, "arm/armv8-ca-thunderx2", "Cavium ThunderX2" },
};

#define NR_DESCS (sizeof(descs) / sizeof(descs[0]))

const struct op_cpu_desc *op_cpu_by_number(int number)
{
	size_t i;

	for (i = 0; i < NR_DESCS; i++) {
		if (descs[i].number == number)
			return &descs[i];
	}
	return NULL;
}

const struct op_cpu_desc *op_cpu_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < NR_DESCS; i++) {
		if (!strcmp(descs[i].name, name))
			return &descs[i];
	}
	return NULL;
}

double op_cpu_speed_mhz(void)
{
	char line[256];
	double speed = 0;
	FILE *f;

	/* The clock changes with the load; its maximum is what counts relate to. In kHz. */
	f = fopen("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "re");
	if (f) {
		if (fscanf(f, "%lf", &speed) != 1)
			speed = 0;
		fclose(f);
		if (speed > 0)
			return speed / 1000;
	}
	f = fopen("/proc/cpuinfo", "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "cpu MHz : %lf", &speed) == 1)
			break;
	}
	fclose(f);
	return speed > 0 ? speed : 0;
}
