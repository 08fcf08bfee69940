// SPDX-License-Identifier: GPL-2.0
/*
 * x86/model_amd.c -- AMD's core counters: four with the registers of the K7, six or more with those
 * of family 15h, and since Zen 4 (PerfMonV2) with global control and status.
 *
 * Each overflow raises an interrupt. An interrupt may come late, that is, after the handler of an
 * earlier interrupt has handled its overflow, or after the counter was stopped.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "x86/hw.h"
#include "x86/pmu.h"

#define K7_EVTSEL0		0xc0010000
#define K7_COUNTER0		0xc0010004
#define CORE_CTL0		0xc0010200
#define CORE_COUNTER0		0xc0010201
#define GLOBAL_STATUS		0xc0000300
#define GLOBAL_CTL		0xc0000301
#define GLOBAL_STATUS_CLR	0xc0000302

/* An event that may occur more often in one cycle than one counter of Zen CPUs can count. */
#define FLOPS			0x003

/* Time in ns for which late interrupts are expected; the same as in the kernel's perf. */
#define LATE_NS			100000000

/* bits of the status register that freeze branch records and counters */
#define STATUS_FROZEN		(BIT_ULL(58) | BIT_ULL(59))

#define CPUID_ECX_CORE_COUNTERS	BIT(23)		/* bit of CPUID leaf 80000001h */
#define CPUID_EAX_PERFMON_V2	BIT(0)		/* bit of CPUID leaf 80000022h */

u32 oprofile_amd_family(void)
{
	u32 eax = oprofile_cpuid(1, 0).eax, base = eax >> 8 & 0xf;

	return base == 0xf ? base + (eax >> 20 & 0xff) : base;
}

static bool is_amd(void)
{
	u32 ebx = oprofile_cpuid(0, 0).ebx;

	return ebx == 0x68747541 ||	/* the string "AuthenticAMD" */
	       ebx == 0x6f677948;	/* the string "HygonGenuine" */
}

static const char *detect(struct oprofile_pmu *p)
{
	if (!is_amd())
		return "";
	p->family = oprofile_amd_family();
	if (p->family < 0xf)
		return "this AMD CPU is too old for the module";
	p->bits = p->fixed_bits = 48;
	p->period_bits = 47;
	if (oprofile_cpuid(0x80000000, 0).eax >= 0x80000001 &&
	    oprofile_cpuid(0x80000001, 0).ecx & CPUID_ECX_CORE_COUNTERS) {
		p->name = "x86-64/amd-core";
		p->version = 1;
		p->counters = GENMASK_ULL(5, 0);
		p->control_msr = CORE_CTL0;
		p->counter_msr = p->write_msr = CORE_COUNTER0;
		p->msr_step = 2;
		return NULL;
	}
	p->name = "x86-64/amd";
	p->version = 0;
	p->counters = GENMASK_ULL(3, 0);
	p->control_msr = K7_EVTSEL0;
	p->counter_msr = p->write_msr = K7_COUNTER0;
	p->msr_step = 1;
	return NULL;
}

static const char *detect_v2(struct oprofile_pmu *p)
{
	struct oprofile_cpuid id;
	const char *why = detect(p);
	u32 nr;

	if (why)
		return why;
		/* A hypervisor may report global control, but not the leaf that describes its
		 * registers. */
	if (p->version < 1 || oprofile_cpuid(0x80000000, 0).eax < 0x80000022)
		return "";
	id = oprofile_cpuid(0x80000022, 0);
	if (!(id.eax & CPUID_EAX_PERFMON_V2))
		return "";
	nr = min(id.ebx & 0xf, (u32)OPROFILE_PMU_GENERAL);
	if (!nr)
		return "this CPU reports no counters";
	p->name = "x86-64/amd-v2";
	p->version = 2;
	p->counters = GENMASK_ULL(nr - 1, 0);
	p->global_msr = GLOBAL_CTL;
	p->status_msr = GLOBAL_STATUS;
	p->clear_msr = GLOBAL_STATUS_CLR;
	p->freezes = STATUS_FROZEN;
	return NULL;
}

static const char *encode(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
			  u64 *ret)
{
	const char *why;

	if (p->family >= 0x17 && e->code == FLOPS)
		return "this CPU needs two counters for the event: use the perf backend";
	if (e->code & ~0xfffU)
		return "event codes of this CPU have 12 bits";
	why = oprofile_pmu_encode(e, OPROFILE_EVTSEL_EDGE | OPROFILE_EVTSEL_INV |
				  OPROFILE_EVTSEL_CMASK, ret);
	if (!why)
		*ret |= (u64)(e->code & 0xf00) << 24;
	return why;
}

static const char *encode_v2(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
			     u64 *ret)
{
	const char *why = encode(p, e, ret);

	if (!why)
		/* the global register controls counting, so leave the enable bit set */
		*ret |= OPROFILE_EVTSEL_ENABLE;
	return why;
}

static void enable(struct oprofile_pmu *p)
{
	oprofile_pmu_write_controls(p, OPROFILE_EVTSEL_ENABLE);
}

static void select(struct oprofile_pmu *p)
{
	oprofile_pmu_write_controls(p, 0);
}

/*
 * Handle overflows while the counters continue to count: a counter that overflows after its read
 * raises another interrupt. AMD CPUs do not mask the interrupt when they deliver it, but a
 * hypervisor may mask it: unmask the interrupt before reading the counters, so that no overflow is
 * missed.
 */
static u64 collect(struct oprofile_pmu *p)
{
	oprofile_pmu_unmask();
	return oprofile_pmu_rearm_wrapped(p);
}

/* Unmasking before the collection is safe, because oprofile_global_collect() stops the counters
 * before it reads them. */
static u64 collect_v2(struct oprofile_pmu *p)
{
	oprofile_pmu_unmask();
	return oprofile_global_collect(p);
}

static void resume_v2(struct oprofile_pmu *p)
{
	if (p->running)
		oprofile_global_enable(p);
}

const struct oprofile_pmu_model oprofile_pmu_amd = {
	.detect = detect,
	.encode = encode,
	.busy = oprofile_pmu_enabled,
	.select = select,
	.deselect = oprofile_pmu_clear_controls,
	.enable = enable,
	.disable = select,
	.collect = collect,
	.late_ns = LATE_NS,
	.strays = true,
};

const struct oprofile_pmu_model oprofile_pmu_amd_v2 = {
	.detect = detect_v2,
	.encode = encode_v2,
	.busy = oprofile_pmu_enabled,
	.begin = oprofile_global_begin,
	.select = select,
	.deselect = oprofile_pmu_clear_controls,
	.enable = oprofile_global_enable,
	.disable = oprofile_global_disable,
	.collect = collect_v2,
	.resume = resume_v2,
	.save = oprofile_global_save,
	.restore = oprofile_global_restore,
	.late_ns = LATE_NS,
	.strays = true,
};
