// SPDX-License-Identifier: GPL-2.0-or-later
/* allowed.c -- the events that opperfopen opens for the service's daemon. */
#include "config.h"
#include "daemon/opener/allowed.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "libop/perf/opener.h"

#define MAX_CPUS	65536

#define SAMPLE_TYPES                                                                                \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER |             \
	 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | \
	 PERF_SAMPLE_CGROUP)
/* the flags of perf_event_attr.read_format that a request may contain; 1u << 4 is PERF_FORMAT_LOST,
 * which headers before Linux 6.0 do not define */
#define READ_FORMATS	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | 1u << 4)

/* Return true if @type is the number of a PMU that counts events of a hybrid CPU's cores. */
static bool is_core_pmu(const char *sysfs, unsigned int type)
{
	static const char *const names[] = { "cpu_core", "cpu_atom" };
	bool found = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !found; i++) {
		unsigned int number;
		char path[300];
		FILE *f;

		snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/type", sysfs, names[i]);
		f = fopen(path, "re");
		found = f && fscanf(f, "%u", &number) == 1 && number == type;
		if (f)
			fclose(f);
	}
	return found;
}

/* Return true if the daemon samples events of this kind. The daemon does not sample breakpoints or
 * probes, and does not use PMUs that trace or that measure the whole machine. */
static bool is_known_event(const struct perf_event_attr *attr, const char *sysfs)
{
	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
		/* Reject software events with higher numbers: they return data of BPF programs and
		 * of control groups. */
		return attr->config <= PERF_COUNT_SW_DUMMY;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
	case PERF_TYPE_TRACEPOINT:
		return true;
	default:
		return is_core_pmu(sysfs, attr->type);
	}
}

/* Return true if all fields of @attr are 0, except the fields that the daemon sets or that the
 * other functions check. */
static bool has_known_fields_only(const struct perf_event_attr *attr)
{
	static const struct perf_event_attr zero;
	struct perf_event_attr rest = *attr;

	rest.type = rest.size = 0;
	rest.config = rest.config1 = 0;
	rest.sample_period = rest.sample_type = rest.read_format = 0;
	rest.sample_regs_user = rest.sample_stack_user = 0;
	rest.wakeup_watermark = 0;
	rest.clockid = 0;
	rest.use_clockid = rest.watermark = rest.disabled = 0;
	rest.exclude_user = rest.exclude_kernel = rest.exclude_hv = 0;
	rest.exclude_idle = rest.exclude_guest = rest.exclude_callchain_user = 0;
	rest.mmap = rest.mmap2 = rest.comm = rest.comm_exec = rest.task = 0;
	rest.sample_id_all = rest.ksymbol = rest.cgroup = 0;
	return !memcmp(&rest, &zero, sizeof(rest));
}

const char *opn_check(struct perf_event_attr *attr, int *cpu, const void *message, size_t size,
		      const char *sysfs)
{
	struct op_perf_request r = { .magic = 0 };

	if (size < OP_PERF_REQUEST_HEAD + PERF_ATTR_SIZE_VER0 || size > sizeof(r))
		return "its size is wrong";
	memcpy(&r, message, size);
	if (r.magic != OP_PERF_REQUEST_MAGIC || r.attr.size != size - OP_PERF_REQUEST_HEAD)
		return "it is not a request of this version";
	if (r.cpu < 0 || r.cpu >= MAX_CPUS)
		return "it has no CPU";
	if (!is_known_event(&r.attr, sysfs))
		return "the daemon does not sample events of this kind";
	if (r.attr.sample_type & ~(__u64)SAMPLE_TYPES)
		return "its samples have fields that the daemon does not read";
	if (r.attr.read_format & ~(__u64)READ_FORMATS)
		return "its counts have fields that the daemon does not read";
	if (r.attr.use_clockid ? r.attr.clockid != CLOCK_MONOTONIC_RAW : r.attr.clockid != 0)
		return "the daemon does not use its clock";
	if (!has_known_fields_only(&r.attr))
		return "it has a field that the daemon does not set";
	*attr = r.attr;
	*cpu = r.cpu;
	return NULL;
}
