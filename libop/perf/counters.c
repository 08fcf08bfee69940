// SPDX-License-Identifier: GPL-2.0-or-later
/* counters.c -- checks whether the kernel allows counting with the CPU's counters. */
#include "config.h"
#include "libop/perf/counters.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libop/perf/open.h"

#define PMUS "/sys/bus/event_source/devices"

/* Try to count the cycles of this process in user mode, because the PMU of every CPU has this
 * event. */
static int try_cycles(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = op_perf_open(&attr, 0, -1);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static bool is_core_pmu(const char *name)
{
	return !strcmp(name, "cpu") || !strcmp(name, "cpu_core") || !strncmp(name, "armv8", 5) ||
	       !strncmp(name, "armv9", 5);
}

bool op_counters_listed(const char *dir)
{
	const struct dirent *e;
	DIR *d = opendir(dir);
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = is_core_pmu(e->d_name);
	if (d)
		closedir(d);
	return found;
}

bool op_counters_mediated(const char *dir)
{
	static const char *const modules[] = { "kvm", "kvm_intel", "kvm_amd" };
	bool found = false;

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]) && !found; i++) {
		char path[300];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s/parameters/enable_mediated_pmu", dir,
			 modules[i]);
		f = fopen(path, "re");
		found = f && fgetc(f) == 'Y';
		if (f)
			fclose(f);
	}
	return found;
}

int op_counters_find(struct op_cpu_found *ret, struct op_reason *error)
{
	int err = op_cpu_host(ret, error);

	if (err)
		return -ENODEV;
	err = try_cycles();
	if (!err || err == -EBUSY || err == -EMFILE || err == -ENFILE)
		return 0;
	/* After EACCES, EPERM or ENOSYS it is unknown whether the CPU has counters, because the
	 * kernel refuses all events with these errors. So look for a PMU in sysfs. */
	if ((err == -EACCES || err == -EPERM || err == -ENOSYS) && op_counters_listed(PMUS))
		return op_fail(error, -EACCES,
			       "the kernel does not permit this user to count events "
			       "(kernel.perf_event_paranoid, or a container's rules)");
	return op_fail(error, -ENODEV,
		       "the kernel cannot use the counters of this %s (virtual machines often "
		       "have no counters)",
		       ret->cpu->pretty);
}
