// SPDX-License-Identifier: GPL-2.0
/*
 * configs.c -- table of simulated CPUs: each model that module/x86 supports, with peculiarities
 * caused by firmware, hypervisors and other users of the counters.
 */
#include "cpu.h"

/* delay of an interrupt in ticks; the module waits for 1000 ticks in a stop */
#define LATE	3000

const struct sim_config sim_configs[] = {
	{ .name = "AMD 10h", .vendor = SIM_AMD, .family = 0x10, .general = 4, .bits = 48, .latest = 30 },
	{ .name = "AMD 16h, late", .vendor = SIM_AMD, .family = 0x16, .general = 4, .bits = 48, .latest = LATE },
	{ .name = "AMD 15h", .vendor = SIM_AMD, .family = 0x15, .core = true, .general = 6, .bits = 48,
	  .latest = 30 },
	{ .name = "AMD 17h, late", .vendor = SIM_AMD, .family = 0x17, .core = true, .general = 6, .bits = 48,
	  .latest = LATE },
	{ .name = "AMD 10h, stragglers", .vendor = SIM_AMD, .family = 0x10, .general = 4, .bits = 48,
	  .latest = 30, .stragglers = 64 },
	{ .name = "AMD 17h, stragglers", .vendor = SIM_AMD, .family = 0x17, .core = true, .general = 6,
	  .bits = 48, .latest = 30, .stragglers = 8 },
	{ .name = "AMD 19h, PerfMonV2, stragglers", .vendor = SIM_AMD, .family = 0x19, .core = true, .v2 = true,
	  .general = 6, .bits = 48, .latest = 30, .stragglers = 64 },
	{ .name = "AMD 17h, all stragglers", .vendor = SIM_AMD, .family = 0x17, .core = true, .general = 6,
	  .bits = 48, .latest = 30, .stragglers = 1 },
	{ .name = "AMD 19h, PerfMonV2, all stragglers", .vendor = SIM_AMD, .family = 0x19, .core = true, .v2 = true,
	  .general = 6, .bits = 48, .latest = 30, .stragglers = 1 },
	{ .name = "AMD 17h, a hypervisor masks", .vendor = SIM_AMD, .family = 0x17, .core = true,
	  .general = 6, .bits = 48, .latest = 30, .masks = true },
	{ .name = "AMD 19h, PerfMonV2", .vendor = SIM_AMD, .family = 0x19, .core = true, .v2 = true,
	  .general = 6, .bits = 48, .latest = 30 },
	{ .name = "AMD 1Ah, PerfMonV2, freezes, late", .vendor = SIM_AMD, .family = 0x1a, .core = true,
	  .v2 = true, .freezes = true, .general = 6, .bits = 48, .latest = LATE },
	{ .name = "Intel v1", .vendor = SIM_INTEL, .version = 1, .general = 2, .bits = 40, .masks = true,
	  .latest = 30 },
	{ .name = "Intel v1, slow to stop", .vendor = SIM_INTEL, .version = 1, .general = 2, .bits = 40,
	  .masks = true, .latest = 30, .lag = 12 },
	{ .name = "Intel v2", .vendor = SIM_INTEL, .version = 2, .general = 2, .fixed = 7, .bits = 40,
	  .masks = true, .latest = 30 },
	{ .name = "Intel v3, wider fixed counters", .vendor = SIM_INTEL, .version = 3, .general = 4, .fixed = 7,
	  .bits = 40, .fixed_bits = 48, .masks = true, .latest = 30 },
	{ .name = "Intel v2, does not say it has fixed counters", .vendor = SIM_INTEL, .version = 2,
	  .general = 2, .fixed = 7, .silent = true, .bits = 40, .masks = true, .latest = 30 },
	{ .name = "Intel v2, virtual, without fixed counters", .vendor = SIM_INTEL, .version = 2,
	  .general = 4, .virtual = true, .bits = 48, .masks = true, .latest = 30 },
	{ .name = "Intel v3", .vendor = SIM_INTEL, .version = 3, .general = 4, .fixed = 7, .bits = 48,
	  .masks = true, .latest = 30 },
	{ .name = "Intel v3, Nehalem", .vendor = SIM_INTEL, .version = 3, .general = 4, .fixed = 7, .bits = 48,
	  .nehalem = true, .masks = true, .latest = 30 },
	{ .name = "Intel v3, full width, late", .vendor = SIM_INTEL, .version = 3, .general = 8, .fixed = 7,
	  .bits = 48, .full_width = true, .masks = true, .latest = LATE },
	{ .name = "Intel v4, freezes", .vendor = SIM_INTEL, .version = 4, .general = 8, .fixed = 7, .bits = 48,
	  .full_width = true, .masks = true, .freezes = true, .latest = 30 },
	{ .name = "Intel v4, transactions", .vendor = SIM_INTEL, .version = 4, .general = 8, .fixed = 7,
	  .bits = 48, .full_width = true, .masks = true, .force_abort = true, .latest = 30 },
	{ .name = "Intel v4, a hypervisor does not mask", .vendor = SIM_INTEL, .version = 4, .general = 4,
	  .fixed = 7, .bits = 48, .full_width = true, .latest = 30 },
	{ .name = "Intel v2, intel_pt", .vendor = SIM_INTEL, .version = 2, .general = 4, .fixed = 7, .bits = 48,
	  .masks = true, .perf = true, .latest = 30 },
	{ .name = "Intel v4, freezes, intel_pt", .vendor = SIM_INTEL, .version = 4, .general = 8, .fixed = 7,
	  .bits = 48, .full_width = true, .masks = true, .freezes = true, .perf = true, .latest = 30 },
	{ .name = "Intel v5", .vendor = SIM_INTEL, .version = 5, .general = 8, .fixed = 0xf, .bits = 48,
	  .full_width = true, .masks = true, .latest = 30 },
	{ .name = "Intel v5, freezes, late, holes", .vendor = SIM_INTEL, .version = 5, .general = 6,
	  .fixed = 0x17, .bits = 48, .full_width = true, .masks = true, .freezes = true, .latest = LATE },
};

const u32 sim_nr_configs = sizeof(sim_configs) / sizeof(*sim_configs);
