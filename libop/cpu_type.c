// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu_type.c -- the kinds of CPU we know.
 */
#include "config.h"
#include "libop/cpu_type.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct op_cpu_desc descs[] = {
	{ OP_CPU_TIMER, "timer", "CPU with timer interrupt" },
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
