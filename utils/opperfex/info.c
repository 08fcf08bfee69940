// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info.c -- options of opperfex that do not run a command: print facts about the machine, its
 * events, and the users of its counters.
 */
#include "config.h"
#include "utils/opperfex/info.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/cpu/detect.h"
#include "libop/event/any_cpu.h"
#include "libop/event/choose.h"
#include "libop/perf/counters.h"
#include "libvperf/cpu_list.h"
#include "libvperf/vperf.h"
#include "libvperf/vperfctr.h"
#include "utils/ophelp/list.h"

static void print_features(FILE *out, uint32_t features)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{ VPERFCTR_FEATURE_RDPMC, "rdpmc" }, { VPERFCTR_FEATURE_RDTSC, "rdtsc" },
		{ VPERFCTR_FEATURE_PCINT, "pcint" },
	};
	const char *comma = "";

	fprintf(out, "features\t\t0x%x (", features);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (features & names[i].bit) {
			fprintf(out, "%s%s", comma, names[i].name);
			comma = ", ";
		}
	}
	fputs(*comma ? ")\n" : "none)\n", out);
}

static int print_module(FILE *out)
{
	struct vperfctr_info info = { .size = 0 };
	struct vperfctr_cpus cpus;
	char list[4096];

	if (sys_vperfctr_info(&info) || sys_vperfctr_cpus(&cpus))
		return -errno;
	fprintf(out,
		"abi_version\t\t%" PRIu32 "\ndriver_version\t\t%.*s\ncpu_type\t\t%" PRIu32 "\n",
		info.abi_version, (int)sizeof(info.driver_version), info.driver_version,
		info.cpu_type);
	print_features(out, info.features);
	fprintf(out,
		"cpu_khz\t\t\t%" PRIu64 "\ntsc_khz\t\t\t%" PRIu64 "\ntsc_to_cpu_mult\t\t%" PRIu32
		"\nnrctrs\t\t\t%" PRIu32 "\n",
		(uint64_t)info.cpu_khz, (uint64_t)info.tsc_khz, info.tsc_to_cpu_mult, info.nrctrs);
	if (cpus.nr_cpus > VPERFCTR_MAX_CPUS)
		return -EPROTO;
	vperf_cpu_list(list, sizeof(list), cpus.usable, cpus.nr_cpus);
	fprintf(out, "cpus\t\t\t%s\n", list);
	vperf_cpu_list(list, sizeof(list), cpus.forbidden, cpus.nr_cpus);
	fprintf(out, "cpus_forbidden\t\t%s\n", *list ? list : "none");
	return 0;
}

int perfex_info(FILE *out, unsigned int source, struct op_reason *error)
{
	struct vperf *v = NULL;
	struct op_cpu_found cpu;
	struct op_reason cause = { "" };
	int err = vperf_open(&v, source);

	if (err) {
		op_fail(error, err, "%s", vperf_error(v));
	} else {
		fprintf(out, "source\t\t\t%s\n", vperf_source(v));
		if (op_counters_find(&cpu, &cause) == -ENODEV)
			fprintf(out, "cpu\t\t\tno usable counters: %s\n", cause.text);
		else
			fprintf(out, "cpu\t\t\t%s, %u counters and %u fixed ones\n",
				cpu.cpu->pretty, cpu.counters, cpu.fixed);
		if (vperf_tsc_khz(v) == 1000000)
			fputs("time\t\t\tnanoseconds\n", out);
		else
			err = print_module(out);
		if (err)
			op_fail(error, err, "cannot read the features of %s: %s", VPERFCTR_DEVICE,
				strerror(-err));
	}
	vperf_close(v);
	return err;
}

/* List the events in the event tables of the CPU, if the CPU's counters are known. */
static int list_cpu(FILE *out, bool in_full, struct op_reason *error)
{
	struct op_event_table *table = NULL;
	struct op_reason cause = { "" };
	struct op_cpu_found cpu;
	int err = 0;

	if (op_counters_find(&cpu, &cause) == -ENODEV) {
		op_clean_printf(out, "\nNo events of the CPU's own: %s.\n", cause.text);
		return 0;
	}
	err = op_events_load(&table, cpu.cpu, NULL, error);
	if (err)
		return err;
	if (in_full) {
		struct help_subject subject = {
			.cpu = &cpu,
			.events = (const struct op_event *const *)table->events,
			.nr_events = table->nr_events,
			.min_factor = 1,
		};

		fputc('\n', out);
		err = help_text.write(out, &subject, error);
	} else {
		for (size_t i = 0; i < table->nr_events; i++)
			if (!table->events[i]->ext)
				fprintf(out, "%s\n", table->events[i]->name);
	}
	op_event_table_free(table);
	return err;
}

int perfex_list(FILE *out, bool in_full, struct op_reason *error)
{
	struct op_reason cause = { "" };
	struct op_cpu_found cpu;
	const bool hardware = op_counters_find(&cpu, &cause) != -ENODEV;
	const struct op_perf_name *row;

	for (size_t i = 0; (row = op_perf_name_row(i)); i++) {
		if (row->type == PERF_TYPE_HARDWARE && !hardware)
			continue;
		if (in_full)
			fprintf(out, "%s%s%s: of perf_events, %s\n", row->name,
				row->other ? " or " : "", row->other ? row->other : "",
				row->in_kernel ? "happens in the kernel" :
						 "user mode (:u), kernel mode (:k), or both");
		else
			fprintf(out, "%s\n", row->name);
	}
	return list_cpu(out, in_full, error);
}

int perfex_who(FILE *out, struct op_reason *error)
{
	struct vperfctr_who who = { .cursor = 0 };

	do {
		if (sys_vperfctr_who(&who)) {
			int err = -errno;

			return err == -ENOENT ? op_fail(error, err,
							"vperfctr.ko is not loaded (%s does not "
							"exist), so no process has virtual "
							"counters",
							VPERFCTR_DEVICE) :
						op_fail(error, err, "%s: %s", VPERFCTR_DEVICE,
							strerror(-err));
		}
		if (who.nr > VPERFCTR_WHO_MAX)
			return op_fail(error, -EPROTO, "%s lists %" PRIu32 " threads at once",
				       VPERFCTR_DEVICE, who.nr);
		for (uint32_t i = 0; i < who.nr; i++) {
			const struct vperfctr_who_entry *e = &who.entry[i];
			const bool runs = e->cstatus & VPERFCTR_CSTATUS_TSC_ON || e->nrctrs;

			op_clean_printf(out,
					"%7" PRId32 " %7" PRId32 " %6" PRIu32 " %2" PRIu32
					" slots %-8s %.*s\n",
					e->tgid, e->tid, e->uid, e->nrctrs,
					e->cstatus & VPERFCTR_CSTATUS_SUSPENDED ? "overflow" :
					runs					? "counting" :
										  "stopped",
					(int)sizeof(e->comm), e->comm);
		}
	} while (who.nr && who.cursor);
	return 0;
}
