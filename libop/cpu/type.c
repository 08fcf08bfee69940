// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * type.c -- the table of known CPU types.
 */
#include "config.h"
#include "libop/cpu/type.h"

#include <stdio.h>
#include <string.h>

/* Table entry of an Intel CPU. @general: number of general counters of one hardware thread, if each
 * core runs two threads (SMT). */
#define INTEL(n, cpu, text, general, fix, folder, pfm4) { .number = n, .name = cpu, .pretty = text, \
	.arch = OP_PMU_INTEL, .counters = general, .fixed = fix, .events = folder, .pfm = pfm4, \
	.default_event = "CPU_CLK_UNHALTED:100000:0:1:1" }
#define AMD(n, cpu, text, general, folder, pfm4) { .number = n, .name = cpu, .pretty = text, \
	.arch = OP_PMU_AMD, .counters = general, .events = folder, .pfm = pfm4, \
	.default_event = "CPU_CLK_UNHALTED:100000:0:1:1" }
/* Table entry of an ARM CPU. Its only fixed counter is the cycle counter. */
#define ARM(n, cpu, text, general, folder, pfm4) { .number = n, .name = cpu, .pretty = text, \
	.arch = OP_PMU_ARM, .counters = general, .fixed = 1, .events = folder, .pfm = pfm4, \
	.default_event = "CPU_CYCLES:100000:0:1:1" }
#define OTHER(n, cpu, text) { .number = n, .name = cpu, .pretty = text }

/* The entries are in order of their numbers, without gaps. The numbers are part of the file format:
 * add new entries at the end. */
static const struct op_cpu_desc descs[] = {
	OTHER(0, "i386/ppro", "Intel Pentium Pro"),
	OTHER(1, "i386/pii", "Intel Pentium II"),
	OTHER(2, "i386/piii", "Intel Pentium III"),
	OTHER(3, "i386/athlon", "AMD Athlon"),
	{ .number = OP_CPU_TIMER, .name = "timer", .pretty = "CPU with timer interrupt",
	  .default_event = "TIMER:1000000:0:1:1" },
	OTHER(5, "i386/p4", "Intel Pentium 4 / Xeon"),
	AMD(6, "x86-64/hammer", "AMD64 family 0Fh", 4, "x86-64/generic", "amd64_k8_revf"),
	OTHER(7, "i386/p4-ht", "Intel Pentium 4 / Xeon with 2 hyper-threads"),
	OTHER(8, "alpha/ev67", "Alpha EV67"),
	OTHER(9, "i386/p6_mobile", "Intel Pentium M (P6 core)"),
	OTHER(10, "arm/xscale1", "ARM XScale PMU1"),
	OTHER(11, "arm/xscale2", "ARM XScale PMU2"),
	OTHER(12, "ppc64/power4", "POWER4"),
	OTHER(13, "ppc64/power5", "POWER5"),
	OTHER(14, "ppc64/power5+", "POWER5+"),
	OTHER(15, "ppc64/970", "PowerPC 970"),
	OTHER(16, "mips/20K", "MIPS 20K"),
	OTHER(17, "mips/24K", "MIPS 24K"),
	OTHER(18, "mips/25K", "MIPS 25K"),
	OTHER(19, "mips/34K", "MIPS 34K"),
	OTHER(20, "mips/5K", "MIPS 5K"),
	OTHER(21, "mips/r10000", "MIPS R10000"),
	OTHER(22, "mips/r12000", "MIPS R12000"),
	OTHER(23, "mips/rm7000", "QED RM7000"),
	OTHER(24, "mips/rm9000", "PMC-Sierra RM9000"),
	OTHER(25, "mips/sb1", "Sibyte SB1"),
	OTHER(26, "mips/vr5432", "NEC VR5432"),
	OTHER(27, "mips/vr5500", "NEC VR5500"),
	OTHER(28, "ppc/e500", "PowerPC e500"),
	OTHER(29, "ppc/e500v2", "PowerPC e500v2"),
	OTHER(30, "i386/core", "Intel Core Solo / Duo"),
	OTHER(31, "ppc/7450", "PowerPC 7450 (G4)"),
	INTEL(32, "i386/core_2", "Intel Core 2", 2, 3, "i386/arch_perfmon", "core"),
	OTHER(33, "ppc64/power6", "POWER6"),
	OTHER(34, "ppc64/970MP", "PowerPC 970MP"),
	AMD(35, "x86-64/family10", "AMD64 family 10h", 4,
	      "x86-64/family10", "amd64_fam10h_barcelona"),
	OTHER(36, "arm/mpcore", "ARM MPCore"),
	OTHER(37, "arm/armv6", "ARM V6 PMU"),
	OTHER(38, "ppc64/power5++", "POWER5++"),
	OTHER(39, "ppc/e300", "PowerPC e300"),
	OTHER(40, "arm/armv7", "ARM Cortex-A8"),
	INTEL(41, "i386/arch_perfmon", "Intel architectural performance counters", 4, 3,
	      "i386/arch_perfmon", NULL),
	AMD(42, "x86-64/family11h", "AMD64 family 11h", 4, "x86-64/generic", "amd64_fam11h_turion"),
	OTHER(43, "ppc64/power7", "POWER7"),
	INTEL(44, "i386/core_i7", "Intel Core i7", 4, 3, "i386/nehalem", "nhm"),
	INTEL(45, "i386/atom", "Intel Atom", 2, 3, "i386/arch_perfmon", "atom"),
	OTHER(46, "mips/loongson2", "Loongson 2"),
	INTEL(47, "i386/nehalem", "Intel Nehalem", 4, 3, "i386/nehalem", "nhm"),
	OTHER(48, "arm/armv7-ca9", "ARM Cortex-A9"),
	OTHER(49, "mips/74K", "MIPS 74K"),
	OTHER(50, "mips/1004K", "MIPS 1004K"),
	AMD(51, "x86-64/family12h", "AMD64 family 12h", 4, "x86-64/generic", "amd64_fam12h_llano"),
	AMD(52, "x86-64/family14h", "AMD64 family 14h", 4, "x86-64/generic", "amd64_fam14h_bobcat"),
	AMD(53, "x86-64/family15h", "AMD64 family 15h", 6,
	      "x86-64/family15h", "amd64_fam15h_interlagos"),
	INTEL(54, "i386/westmere", "Intel Westmere", 4, 3, "i386/arch_perfmon", "wsm"),
	OTHER(55, "arm/armv7-scorpion", "Qualcomm Scorpion"),
	OTHER(56, "arm/armv7-scorpionmp", "Qualcomm ScorpionMP"),
	INTEL(57, "i386/sandybridge", "Intel Sandy Bridge", 4, 3, "i386/sandybridge", "snb"),
	OTHER(58, "tile/tile64", "Tilera TILE64"),
	OTHER(59, "tile/tilepro", "Tilera TILEPro"),
	OTHER(60, "tile/tilegx", "Tilera TILE-Gx"),
	OTHER(61, "s390/z10", "IBM System z10"),
	OTHER(62, "s390/z196", "IBM zEnterprise z196"),
	INTEL(63, "i386/ivybridge", "Intel Ivy Bridge", 4, 3, "i386/arch_perfmon", "ivb"),
	OTHER(64, "arm/armv7-ca5", "ARM Cortex-A5"),
	OTHER(65, "arm/armv7-ca7", "ARM Cortex-A7"),
	OTHER(66, "arm/armv7-ca15", "ARM Cortex-A15"),
	INTEL(67, "i386/haswell", "Intel Haswell", 4, 3, "i386/haswell", "hsw"),
	OTHER(68, "s390/zEC12", "IBM zEnterprise EC12"),
	AMD(69, "x86-64/generic", "AMD64, generic", 4, "x86-64/generic", NULL),
	OTHER(70, "ppc64/architected_events_v1", "POWER, architected events v1"),
	OTHER(71, "ppc64/power8", "POWER8"),
	OTHER(72, "ppc/e500mc", "PowerPC e500mc"),
	OTHER(73, "ppc/e6500", "PowerPC e6500"),
	INTEL(74, "i386/silvermont", "Intel Silvermont", 2, 3, "i386/arch_perfmon", "slm"),
	OTHER(75, "arm/armv7-krait", "Qualcomm Krait"),
	ARM(76, "arm/armv8-xgene", "Applied Micro X-Gene", 6, "arm/armv8-pmuv3", "arm_xgene"),
	INTEL(77, "i386/broadwell", "Intel Broadwell", 4, 3, "i386/arch_perfmon", "bdw"),
	ARM(78, "arm/armv8-ca57", "ARM Cortex-A57", 6, "arm/armv8-ca57", "arm_ac57"),
	ARM(79, "arm/armv8-ca53", "ARM Cortex-A53", 6, "arm/armv8-ca53", "arm_ac53"),
	INTEL(80, "i386/skylake", "Intel Skylake", 4, 3, "i386/skylake", "skl"),
	INTEL(81, "i386/goldmont", "Intel Goldmont", 4, 3, "i386/arch_perfmon", "glm"),
	INTEL(82, "i386/goldmont_plus", "Intel Goldmont Plus", 4, 3, "i386/arch_perfmon", NULL),
	OTHER(83, "s390/z13", "IBM z13"),
	OTHER(84, "arm/armv7-ca17", "ARM Cortex-A17"),
	OTHER(85, "ppc64/power9", "POWER9"),
	INTEL(86, "i386/knl", "Intel Knights Landing", 2, 3, "i386/arch_perfmon", "knl"),
	ARM(87, "arm/armv8-ca-thunderx2", "Cavium ThunderX2", 6,
	      "arm/armv8-pmuv3", "arm_thunderx2"),
	INTEL(88, "i386/icelake", "Intel Ice Lake", 8, 4, "i386/icelake", "icl"),
	INTEL(89, "i386/sapphirerapids", "Intel Sapphire Rapids", 8, 4,
	      "i386/sapphirerapids", "spr"),
	INTEL(90, "i386/alderlake-p", "Intel Alder Lake P-core (Golden Cove)", 8, 4,
	      "i386/alderlake-p", NULL),
	INTEL(91, "i386/alderlake-e", "Intel Alder Lake E-core (Gracemont)", 6, 3,
	      "i386/alderlake-e", NULL),
	INTEL(92, "i386/graniterapids", "Intel Granite Rapids", 8, 4, "i386/graniterapids", NULL),
	AMD(93, "x86-64/zen1", "AMD Zen", 6, "x86-64/zen1", "amd64_fam17h_zen1"),
	AMD(94, "x86-64/zen2", "AMD Zen 2", 6, "x86-64/zen2", "amd64_fam17h_zen2"),
	AMD(95, "x86-64/zen3", "AMD Zen 3", 6, "x86-64/zen3", "amd64_fam19h_zen3"),
	AMD(96, "x86-64/zen4", "AMD Zen 4", 6, "x86-64/zen4", "amd64_fam19h_zen4"),
	AMD(97, "x86-64/zen5", "AMD Zen 5", 6, "x86-64/zen5", NULL),
	ARM(98, "arm/armv8-pmuv3", "ARMv8 PMUv3", 6, "arm/armv8-pmuv3", NULL),
	ARM(99, "arm/armv8-ca72", "ARM Cortex-A72", 6, "arm/armv8-ca72", "arm_ac57"),
	ARM(100, "arm/armv8-ca76", "ARM Cortex-A76", 6, "arm/armv8-ca76", "arm_n1"),
	ARM(101, "arm/armv8-neoverse-n1", "ARM Neoverse N1", 6, "arm/armv8-neoverse-n1", "arm_n1"),
	ARM(102, "arm/armv8-neoverse-n2", "ARM Neoverse N2", 6, "arm/armv8-neoverse-n2", "arm_n2"),
	ARM(103, "arm/armv8-neoverse-v1", "ARM Neoverse V1", 6, "arm/armv8-neoverse-v1", "arm_v1"),
	ARM(104, "arm/armv8-neoverse-v2", "ARM Neoverse V2", 6, "arm/armv8-neoverse-v2", "arm_v2"),
};

#define NR_DESCS (sizeof(descs) / sizeof(descs[0]))

const struct op_cpu_desc *op_cpu_row(size_t i)
{
	return i < NR_DESCS ? &descs[i] : NULL;
}

const struct op_cpu_desc *op_cpu_by_number(int number)
{
	return number >= 0 ? op_cpu_row(number) : NULL;
}

const struct op_cpu_desc *op_cpu_by_name(const char *name)
{
	for (size_t i = 0; i < NR_DESCS; i++) {
		if (!strcmp(descs[i].name, name))
			return &descs[i];
	}
	return NULL;
}

uint64_t op_counter_mask(unsigned int counters, unsigned int fixed)
{
	uint64_t general = counters < 32 ? (1ULL << counters) - 1 : UINT32_MAX;

	return general | (fixed < 32 ? (1ULL << fixed) - 1 : UINT32_MAX) << 32;
}

double op_cpu_speed_mhz(void)
{
	char line[256];
	double speed = 0;
	FILE *f;

	/* The CPU's clock rate changes with the load. Reports use the maximum rate, which this file
	 * contains in kHz. */
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
