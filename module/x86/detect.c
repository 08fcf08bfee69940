// SPDX-License-Identifier: GPL-2.0
/*
 * x86/detect.c -- detection of the counters, and a test whether they count.
 */
#include "x86/pmu.h"

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "x86/hw.h"

#define PATTERN		0x5a5a5a5aULL
/* maximum time in us to wait until a counter changes; if it does not change, it does not work */
#define TRY_US		100

const char *oprofile_pmu_detect(struct oprofile_pmu *p)
{
	struct oprofile_cpuid id = oprofile_cpuid(0, 0);
	static const struct oprofile_pmu_model *const models[] = {
		&oprofile_pmu_amd_v2,
		&oprofile_pmu_amd,
		&oprofile_pmu_intel,
		&oprofile_pmu_intel_v1,
	};
	const char *why = "the module does not know this CPU";
	unsigned int i;

	p->owed = 0;
	/* p->owed is 0 from here on, so an NMI handler does not use the pointer p->model, which
	 * memset() resets */
	barrier();
	memset(p, 0, sizeof(*p));
	for (i = 0; i < ARRAY_SIZE(models) && id.eax; i++) {
		const char *no = models[i]->detect(p);

		if (!no) {
			p->model = models[i];
			p->pace.most = OPROFILE_PACE_MOST;
			return NULL;
		}
		if (*no)
			why = no;
	}
	return why;
}

/* Return whether the counter counts CPU cycles in a short test. */
static bool does_count(const struct oprofile_pmu *p, u32 counter)
{
	const struct oprofile_pmu_event cycles = {
		.code = p->family ? 0x76 : 0x3c, .kernel = true, .user = true,
	};
	u64 control, global = 0, was = oprofile_pmu_read(p, counter);
	u32 wait = TRY_US;

	if (p->model->encode(p, &cycles, &control))
		/* this core cannot count cycles, so the counter cannot be tested */
		return true;
	oprofile_wrmsr(oprofile_pmu_control_msr(p, counter),
		       (control & ~OPROFILE_EVTSEL_INT) | OPROFILE_EVTSEL_ENABLE);
	if (p->global_msr) {
		global = oprofile_rdmsr(p->global_msr);
		oprofile_wrmsr(p->global_msr, global | BIT_ULL(counter));
	}
	do
		oprofile_hw_wait_us();
	while (oprofile_pmu_read(p, counter) == was && --wait);
	if (p->global_msr)
		oprofile_wrmsr(p->global_msr, global);
	return wait;
}

static const char *try_counter(const struct oprofile_pmu *p, u32 counter)
{
	u64 pattern = -PATTERN & oprofile_pmu_width(p, counter), control, was;
	u32 read = p->counter_msr + counter * p->msr_step,
	    write = p->write_msr + counter * p->msr_step;
	const char *why = NULL;

	if (!oprofile_rdmsr_safe(oprofile_pmu_control_msr(p, counter), &control) ||
	    !oprofile_rdmsr_safe(read, &was) || !oprofile_wrmsr_safe(write, pattern) ||
	    !oprofile_wrmsr_safe(oprofile_pmu_control_msr(p, counter), control))
		return "the counters cannot be read and written";
	if (oprofile_rdmsr(read) != pattern)
		why = "the counters do not keep a value that is written to them";
	else if (!does_count(p, counter))
		why = "the counters keep a value that is written to them, but do not count";
	oprofile_wrmsr(oprofile_pmu_control_msr(p, counter), control);
	/* a stopped counter continues to count for some cycles */
	oprofile_hw_wait_us();
	oprofile_pmu_write(p, counter, was);
	return why;
}

const char *oprofile_pmu_try(const struct oprofile_pmu *p, u64 reserved)
{
	u64 rest = p->counters & reserved & GENMASK_ULL(OPROFILE_PMU_FIXED - 1, 0), control;

	while (rest) {
		u32 counter = oprofile_pmu_next(&rest);

		if (oprofile_rdmsr_safe(oprofile_pmu_control_msr(p, counter), &control) &&
		    control & OPROFILE_EVTSEL_ENABLE)
			continue;	/* another driver uses this counter */
		return try_counter(p, counter);
	}
	return NULL;
}
