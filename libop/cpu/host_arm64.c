// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host_arm64.c -- identification of the ARM CPU on which the program runs, by its MIDR.
 */
#include "config.h"
#include "libop/cpu/detect.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#define MIDR	"/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"

/* Read the MIDR from /proc/cpuinfo. The file has a line for each field of the register, with a
 * decimal or hexadecimal number. */
static int midr_from_cpuinfo(uint64_t *ret)
{
	unsigned int implementer = 0, part = 0, variant = 0, revision = 0;
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "re");

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f) && line[0] != '\n') {
		sscanf(line, "CPU implementer : %i", (int *)&implementer);
		sscanf(line, "CPU part : %i", (int *)&part);
		sscanf(line, "CPU variant : %i", (int *)&variant);
		sscanf(line, "CPU revision : %i", (int *)&revision);
	}
	fclose(f);
	if (!implementer)
		return -ENOENT;
	*ret = (uint64_t)(implementer & 0xff) << 24 | (variant & 0xf) << 20 | 0xf << 16 |
	       (part & 0xfff) << 4 | (revision & 0xf);
	return 0;
}

int op_cpu_host(struct op_cpu_found *ret, struct op_reason *error)
{
	unsigned long long midr = 0;
	uint64_t fields;
	FILE *f = fopen(MIDR, "re");
	bool found = false;

	if (f) {
		found = fscanf(f, "%llx", &midr) == 1;
		fclose(f);
	}
	if (!found) {
		if (midr_from_cpuinfo(&fields))
			return op_fail(error, -ENODEV, "neither " MIDR " nor /proc/cpuinfo "
				"contains the CPU type");
		midr = fields;
	}
	return op_cpu_from_midr(ret, midr, error);
}
