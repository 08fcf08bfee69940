// SPDX-License-Identifier: GPL-2.0
/*
 * x86/model_intel.c -- Intel's architectural performance monitoring, versions 1 to 5 and later.
 *
 * When a counter overflows, the local APIC delivers the counters' interrupt and masks it. An
 * overflow while the interrupt is masked raises no interrupt. So the handler stops the counters,
 * finds and clears the overflows, unmasks the interrupt, and restarts the counters. It unmasks the
 * interrupt even if it found no overflow: a late interrupt, whose overflow an earlier call of the
 * handler has handled, is also masked at its delivery.
 *
 * 	version 1	general counters, each stopped separately, overflows found by their value
 * 	version 2	fixed counters, global control, global status, status cleared by OVF_CTRL
 * 	version 3	any-thread bit
 * 	version 4	OVF_CTRL is now STATUS_RESET; counters can freeze at an interrupt: bit 59
 * 	version 5	fixed counters by a mask in ECX; no any-thread bit if EDX bit 15 is set
 *
 * The cores of a hybrid CPU differ in all these properties, so each CPU is detected separately.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "x86/hw.h"
#include "x86/pmu.h"

#define PMC0			0xc1
#define EVTSEL0			0x186
#define PERF_CAPABILITIES	0x345
#define FIXED_CTR_CTRL		0x38d
#define GLOBAL_STATUS		0x38e
#define GLOBAL_CTRL		0x38f
#define GLOBAL_OVF_CTRL		0x390
#define FULL_WIDTH_PMC0		0x4c1

#define CAPABILITY_FULL_WIDTH	BIT_ULL(13)
/* bits of the status register that freeze branch records and counters */
#define STATUS_FROZEN		(BIT_ULL(58) | BIT_ULL(59))

/* Time in ns for which late interrupts are expected. An interrupt arrives within microseconds,
 * unless a hypervisor delays it. */
#define LATE_NS			1000000

#define FIXED_KERNEL		BIT_ULL(0)
#define FIXED_USER		BIT_ULL(1)
#define FIXED_PMI		BIT_ULL(3)

#define CPUID_1_ECX_PDCM	BIT(15)
#define CPUID_1_ECX_HYPERVISOR	BIT(31)
#define CPUID_7_EDX_NO_RTM	BIT(11)		/* transactions always abort on this CPU */
#define CPUID_7_EDX_FORCE_ABORT	BIT(13)
#define CPUID_7_EDX_HYBRID	BIT(15)
#define CPUID_A_EDX_NO_ANY	BIT(15)

static bool is_intel(void)
{
	/* the beginning of the string "GenuineIntel" */
	return oprofile_cpuid(0, 0).ebx == 0x756e6547;
}

static u64 fixed_counters(const struct oprofile_cpuid *id, u32 version)
{
	u32 nr = id->edx & 0x1f;
	u64 mask;

	if (version < 2)
		return 0;
	/* CPUs of version 2 have three fixed counters, even if CPUID reports 0. */
	if (version == 2 && !nr && !(oprofile_cpuid(1, 0).ecx & CPUID_1_ECX_HYPERVISOR))
		nr = 3;
	mask = nr ? GENMASK_ULL(nr - 1, 0) : 0;
	if (version >= 5)
		mask |= id->ecx;
	return (mask & GENMASK_ULL(OPROFILE_PMU_GENERAL - 1, 0)) << OPROFILE_PMU_FIXED;
}

static bool has_full_width(void)
{
	u64 capabilities;

	return oprofile_cpuid(1, 0).ecx & CPUID_1_ECX_PDCM &&
	       oprofile_rdmsr_safe(PERF_CAPABILITIES, &capabilities) &&
	       capabilities & CAPABILITY_FULL_WIDTH;
}

/* Return the mask of the counter that microcode overwrites to abort transactions, on CPUs that
 * need this. */
static u64 unusable_counters(void)
{
	u32 edx = oprofile_cpuid(0, 0).eax >= 7 ? oprofile_cpuid(7, 0).edx : 0;

	return edx & CPUID_7_EDX_FORCE_ABORT && !(edx & CPUID_7_EDX_NO_RTM) ? BIT_ULL(3) : 0;
}

/* Return whether the CPU is a Nehalem or Westmere. Their counters may not count, or not
 * interrupt, before reset_counters() (errata AAK100, AAP53 and BD53). */
static bool needs_reset(void)
{
	static const u8 models[] = { 0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f };
	u32 eax = oprofile_cpuid(1, 0).eax, model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0), i;

	if ((eax >> 8 & 0xf) != 6)
		return false;
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		if (models[i] == model)
			return true;
	}
	return false;
}

static const char *detect(struct oprofile_pmu *p)
{
	struct oprofile_cpuid id;
	u32 general, names;

	if (!is_intel())
		return "";
	if (oprofile_cpuid(0, 0).eax < 0xa)
		return "this Intel CPU is too old for the module";
	id = oprofile_cpuid(0xa, 0);
	p->version = id.eax & 0xff;
	general = min(id.eax >> 8 & 0xff, (u32)OPROFILE_PMU_GENERAL);
	p->bits = id.eax >> 16 & 0xff;
	if (!p->version || !general || p->bits < 32 || p->bits > 63)
		return "this CPU, or its hypervisor, has no counters";
	p->name = "i386/arch_perfmon";
	p->counters = GENMASK_ULL(general - 1, 0) | fixed_counters(&id, p->version);
	p->counters &= ~unusable_counters();
	p->fixed_bits = id.edx >> 5 & 0xff;
	if (p->fixed_bits < 32 || p->fixed_bits > 63)
		p->fixed_bits = p->bits;
	p->needs_reset = general == 4 && needs_reset();
	names = min(id.eax >> 24, 32U);
	p->no_events = names ? id.ebx & GENMASK(names - 1, 0) : 0;
	p->any_thread = p->version >= 3 && !(id.edx & CPUID_A_EDX_NO_ANY);
	p->global_msr = p->version >= 2 ? GLOBAL_CTRL : 0;
	p->status_msr = GLOBAL_STATUS;
	p->clear_msr = GLOBAL_OVF_CTRL;
	p->freezes = p->version >= 4 ? STATUS_FROZEN : 0;
	p->control_msr = EVTSEL0;
	p->counter_msr = p->write_msr = PMC0;
	p->msr_step = 1;
	p->period_bits = 31;		/* a write to PMC0 sign-extends bit 31 */
	if (has_full_width()) {
		p->write_msr = FULL_WIDTH_PMC0;
		p->period_bits = min(p->bits, p->fixed_bits) - 1;
	}
	if (oprofile_cpuid(0, 0).eax >= 0x1a && oprofile_cpuid(7, 0).edx & CPUID_7_EDX_HYBRID)
		p->core_type = oprofile_cpuid(0x1a, 0).eax >> 24;
	return NULL;
}

static const char *detect_v1(struct oprofile_pmu *p)
{
	const char *why = detect(p);

	return why ?: p->version == 1 ? NULL : "";
}

static const char *detect_v2(struct oprofile_pmu *p)
{
	const char *why = detect(p);

	return why ?: p->version >= 2 ? NULL : "";
}

/* Return the index of an architectural event, or -1 for other events. In CPUID leaf 0xa, bit n of
 * EBX is set if the CPU does not have the event with index n. */
static int architectural(const struct oprofile_pmu_event *e)
{
	static const struct { u8 code, unit_mask; } events[] = {
		{ 0x3c, 0x00 }, { 0xc0, 0x00 }, { 0x3c, 0x01 }, { 0x2e, 0x4f },
		{ 0x2e, 0x41 }, { 0xc4, 0x00 }, { 0xc5, 0x00 }, { 0xa4, 0x01 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (events[i].code == e->code && events[i].unit_mask == e->unit_mask)
			return i;
	}
	return -1;
}

static bool lacks(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e)
{
	int i = architectural(e);

	return i >= 0 && p->no_events & BIT(i);
}

/*
 * Return whether the event's code belongs to another kind of core than this one, where it may mean
 * another event. Architectural events and events of fixed counters have the same code on all cores.
 */
static bool is_of_other_core(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e)
{
	return e->core_type && p->core_type && e->core_type != p->core_type && e->code &&
	       architectural(e) < 0;
}

/*
 * Return whether @e is the event of its fixed counter. Each fixed counter has an event code of its
 * own. For some fixed counters, the code of the same event on general counters is accepted as well.
 * It is not accepted for the third one, which counts at the rate of the TSC: the general event
 * 3c/01 counts at the rate of the bus.
 */
static bool is_fixed_event(const struct oprofile_pmu_event *e)
{
	static const u16 general[] = { 0x00c0, 0x003c, 0, 0x01a4 };
	u32 n = e->counter - OPROFILE_PMU_FIXED, event = e->unit_mask << 8 | e->code;

	return event == (n + 1) << 8 ||
	       (n < ARRAY_SIZE(general) && general[n] && event == general[n]);
}

static const char *encode_fixed(const struct oprofile_pmu_event *e, u64 *ret)
{
	if (!is_fixed_event(e))
		return "a fixed counter counts its own event only";
	if (e->extra)
		return "a fixed counter has no edge, inv and cmask";
	*ret = FIXED_PMI | (e->kernel ? FIXED_KERNEL : 0) | (e->user ? FIXED_USER : 0);
	return NULL;
}

static const char *encode_v1(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
			     u64 *ret)
{
	u32 extra = OPROFILE_EVTSEL_EDGE | OPROFILE_EVTSEL_INV | OPROFILE_EVTSEL_CMASK;

	if (lacks(p, e))
		return "this kind of core cannot count the event";
	if (is_of_other_core(p, e))
		return "the event's code has another meaning on this kind of core";
	if (e->counter >= OPROFILE_PMU_FIXED)
		return encode_fixed(e, ret);
	if (e->code & ~0xffU)
		return "event codes of this CPU have 8 bits";
	if (!e->code)
		return "only a fixed counter can count the event";
	if (p->any_thread)
		extra |= OPROFILE_EVTSEL_ANY;
	return oprofile_pmu_encode(e, extra, ret);
}

static const char *encode(const struct oprofile_pmu *p, const struct oprofile_pmu_event *e,
			  u64 *ret)
{
	const char *why = encode_v1(p, e, ret);

	if (!why && e->counter < OPROFILE_PMU_FIXED)
		/* counting is controlled by the global register alone, so leave the enable bit
		 * set */
		*ret |= OPROFILE_EVTSEL_ENABLE;
	return why;
}

static void enable_v1(struct oprofile_pmu *p)
{
	oprofile_pmu_write_controls(p, OPROFILE_EVTSEL_ENABLE);
}

/* Disable the counters, but leave their events selected. */
static void disable_v1(struct oprofile_pmu *p)
{
	oprofile_pmu_write_controls(p, 0);
}

/* Handle overflows. Read the counters again after unmasking: an overflow that becomes visible after
 * the first read, while the interrupt is masked, raises no interrupt. */
static u64 collect_v1(struct oprofile_pmu *p)
{
	u64 taken;

	disable_v1(p);
	taken = oprofile_pmu_rearm_wrapped(p);
	oprofile_pmu_unmask();
	return taken | oprofile_pmu_rearm_wrapped(p);
}

static void resume_v1(struct oprofile_pmu *p)
{
	if (p->running)
		enable_v1(p);
}

/* Return the mask of the control bits, four for each fixed counter in @counters. */
static u64 fixed_mask(u64 counters)
{
	u64 rest = counters >> OPROFILE_PMU_FIXED, mask = 0;

	while (rest)
		mask |= 0xfULL << 4 * oprofile_pmu_next(&rest);
	return mask;
}

static u64 fixed_controls(const struct oprofile_pmu *p)
{
	u64 rest = p->active >> OPROFILE_PMU_FIXED, controls = 0;

	while (rest) {
		u32 n = oprofile_pmu_next(&rest);

		controls |= oprofile_pmu_control(p, OPROFILE_PMU_FIXED + n) << 4 * n;
	}
	return controls;
}

static bool has_fixed(const struct oprofile_pmu *p)
{
	return p->owned >> OPROFILE_PMU_FIXED;
}

static u64 busy(const struct oprofile_pmu *p)
{
	u64 rest = p->owned >> OPROFILE_PMU_FIXED, busy = oprofile_pmu_enabled(p), controls;

	if (!rest)
		return busy;
	controls = oprofile_rdmsr(FIXED_CTR_CTRL);
	while (rest) {
		u32 n = oprofile_pmu_next(&rest);

		if (controls >> 4 * n & (FIXED_KERNEL | FIXED_USER))
			busy |= BIT_ULL(OPROFILE_PMU_FIXED + n);
	}
	return busy;
}

/* Work around the errata of needs_reset() by counting four events for a moment. The kernel's perf
 * uses the same sequence, which comes from Intel. */
static void reset_counters(struct oprofile_pmu *p)
{
	static const u32 events[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		oprofile_wrmsr(EVTSEL0 + i, events[i]);
		oprofile_wrmsr(PMC0 + i, 0);
	}
	oprofile_wrmsr(GLOBAL_CTRL, p->foreign_global | 0xf);
	oprofile_wrmsr(GLOBAL_CTRL, p->foreign_global);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		oprofile_wrmsr(EVTSEL0 + i, 0);
}

static void begin(struct oprofile_pmu *p)
{
	oprofile_global_begin(p);
	if (p->needs_reset && (p->owned & 0xf) == 0xf)
		reset_counters(p);
	if (has_fixed(p))
		p->foreign_fixed = oprofile_rdmsr(FIXED_CTR_CTRL) & ~fixed_mask(p->owned);
}

static void select(struct oprofile_pmu *p)
{
	oprofile_pmu_write_controls(p, 0);
	if (has_fixed(p))
		oprofile_wrmsr(FIXED_CTR_CTRL, p->foreign_fixed | fixed_controls(p));
}

static void deselect(struct oprofile_pmu *p)
{
	oprofile_pmu_clear_controls(p);
	if (has_fixed(p))
		oprofile_wrmsr(FIXED_CTR_CTRL, p->foreign_fixed);
}

/* Handle overflows. Read the status again after unmasking, for the same reason as collect_v1().
 * Limit the number of reads, because other code may cause overflows repeatedly. */
static u64 collect(struct oprofile_pmu *p)
{
	u64 taken = oprofile_global_collect(p);
	u32 looks = 3;

	oprofile_pmu_unmask();
	while (looks-- && oprofile_global_clear(p, p->armed))
		taken |= oprofile_pmu_rearm_wrapped(p);
	return taken;
}

static void resume(struct oprofile_pmu *p)
{
	if (p->running)
		oprofile_global_enable(p);
}

static void save(struct oprofile_pmu *p)
{
	p->saved_fixed = has_fixed(p) ? oprofile_rdmsr(FIXED_CTR_CTRL) : 0;
	oprofile_global_save(p);
}

static void restore(struct oprofile_pmu *p)
{
	u64 mask = fixed_mask(p->owned);

	if (mask)
		oprofile_wrmsr(FIXED_CTR_CTRL, (oprofile_rdmsr(FIXED_CTR_CTRL) & ~mask) |
			       (p->saved_fixed & mask));
	oprofile_global_restore(p);
}

const struct oprofile_pmu_model oprofile_pmu_intel_v1 = {
	.detect = detect_v1,
	.encode = encode_v1,
	.busy = oprofile_pmu_enabled,
	.select = disable_v1,
	.deselect = oprofile_pmu_clear_controls,
	.enable = enable_v1,
	.disable = disable_v1,
	.collect = collect_v1,
	.resume = resume_v1,
	.late_ns = LATE_NS,
};

const struct oprofile_pmu_model oprofile_pmu_intel = {
	.detect = detect_v2,
	.encode = encode,
	.busy = busy,
	.begin = begin,
	.select = select,
	.deselect = deselect,
	.enable = oprofile_global_enable,
	.disable = oprofile_global_disable,
	.collect = collect,
	.resume = resume,
	.save = save,
	.restore = restore,
	.late_ns = LATE_NS,
};
