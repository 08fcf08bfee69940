// SPDX-License-Identifier: GPL-2.0
/*
 * x86/ibs.c -- the registers of instruction-based sampling.
 */
#include "x86/ibs.h"

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "x86/hw.h"
#include "x86/pmu.h"

#define FETCH_CTL	0xc0011030
#define FETCH_LINAD	0xc0011031
#define FETCH_PHYSAD	0xc0011032
#define OP_CTL		0xc0011033
#define OP_RIP		0xc0011034
#define OP_DATA		0xc0011035
#define OP_DATA2	0xc0011036
#define OP_DATA3	0xc0011037
#define DC_LINAD	0xc0011038
#define DC_PHYSAD	0xc0011039
#define IBS_CONTROL	0xc001103a

#define OFFSET_VALID	BIT_ULL(8)
#define OFFSET_MASK	0xf

#define FETCH_ENABLE	BIT_ULL(48)
#define FETCH_VALID	BIT_ULL(49)
/* bit of the fetch control register: FETCH_PHYSAD is valid */
#define FETCH_PHYS	BIT_ULL(52)
/* bit of the fetch control register: the CPU randomizes the low 4 bits of the count */
#define FETCH_RANDOM	BIT_ULL(57)

#define FETCH_MAX	GENMASK_ULL(15, 0)

#define OP_ENABLE	BIT_ULL(17)
#define OP_VALID	BIT_ULL(18)
#define OP_COUNT_OPS	BIT_ULL(19)
/* position of the current count in the op control register */
#define OP_COUNT_SHIFT	32
#define OP_MAX		(GENMASK_ULL(15, 0) | GENMASK_ULL(26, 20))
/* bit of OP_DATA: the recorded address (RIP) is not valid */
#define DATA_NO_RIP	BIT_ULL(38)
#define DATA3_LINAD	BIT_ULL(17)	/* bit of OP_DATA3: DC_LINAD and DC_PHYSAD are valid */
#define DATA3_PHYSAD	BIT_ULL(18)

#define CAPS_VALID	BIT(0)
#define CAPS_FETCH	BIT(1)
#define CAPS_OP		BIT(2)
#define CAPS_WRITE_COUNT BIT(3)		/* capability: the current count can be written */
#define CAPS_COUNT_OPS	BIT(4)
#define CAPS_WIDE_COUNT	BIT(6)		/* capability: the maximum count has 27 bits */
#define CAPS_CHECK_RIP	BIT(7)

struct oprofile_ibs_kind {
	u32 msr;
	u64 enable, valid, max;
};

static const struct oprofile_ibs_kind fetch_kind = {FETCH_CTL, FETCH_ENABLE, FETCH_VALID,
						    FETCH_MAX};
static const struct oprofile_ibs_kind op_kind = { OP_CTL, OP_ENABLE, OP_VALID, OP_MAX };

u32 oprofile_ibs_caps(void)
{
	u32 last = oprofile_cpuid(0x80000000, 0).eax, caps;

	if (oprofile_cpuid(0, 0).ebx != 0x68747541 || last < 0x80000001 ||
	    !(oprofile_cpuid(0x80000001, 0).ecx & BIT(10)))
		return 0;
	caps = last >= 0x8000001b ? oprofile_cpuid(0x8000001b, 0).eax : 0;
	/* CPUs with the first version of IBS did not report its capabilities: assume fetch and
	 * op sampling. */
	return caps & CAPS_VALID ? caps : CAPS_VALID | CAPS_FETCH | CAPS_OP;
}

unsigned long oprofile_ibs_op_max(u32 caps)
{
	return caps & CAPS_WIDE_COUNT ? OPROFILE_IBS_OP_WIDE_MAX : OPROFILE_IBS_FETCH_MAX;
}

bool oprofile_ibs_counts_ops(u32 caps)
{
	return caps & CAPS_COUNT_OPS;
}

/*
 * Set up the interrupt of IBS on this CPU, an extended interrupt of AMD's local APIC, as an NMI.
 * The firmware or the kernel's perf has stored the number of this extended interrupt in a register.
 * Return NULL, or the reason for a failure.
 */
static const char *set_up_interrupt(void)
{
	u64 control;

	if (!oprofile_rdmsr_safe(IBS_CONTROL, &control) || !(control & OFFSET_VALID))
		return "the interrupt of IBS is not set: firmware or the kernel's perf must set it";
	if (!oprofile_ibs_by_nmi(control & OFFSET_MASK))
		return "the interrupt that firmware chose for IBS is used by another driver: see "
		       "the kernel's log";
	return NULL;
}

static u32 random_bits(struct oprofile_ibs *ibs)
{
	ibs->random ^= ibs->random << 13;
	ibs->random ^= ibs->random >> 17;
	ibs->random ^= ibs->random << 5;
	return ibs->random;
}

/* Save the control register without the bit of a pending sample: a later restore of this bit
 * would raise an interrupt. Return false if another user has enabled the unit. */
static bool save_unit(struct oprofile_ibs_unit *unit, const struct oprofile_ibs_kind *kind)
{
	unit->kind = kind;
	unit->saved = oprofile_rdmsr(kind->msr) & ~kind->valid;
	return !(unit->saved & kind->enable);
}

const char *oprofile_ibs_save(struct oprofile_ibs *ibs, const struct oprofile_ibs_wish *fetch,
			      const struct oprofile_ibs_wish *op)
{
	const char *why;

	*ibs = (struct oprofile_ibs){
		.caps = oprofile_ibs_caps(), .family = oprofile_amd_family(), .random = 0x2545f491,
	};
	if (!ibs->caps)
		return "this CPU has no IBS";
	if ((fetch->enable && !(ibs->caps & CAPS_FETCH)) || (op->enable && !(ibs->caps & CAPS_OP)))
		return "this CPU does not have both kinds of IBS";
	why = set_up_interrupt();
	if (why)
		return why;
	if (fetch->enable) {
		if (!save_unit(&ibs->fetch, &fetch_kind))
			return "IBS fetch is in use, probably by perf: end perf";
		ibs->fetch.control = FETCH_ENABLE | (fetch->rand_enable ? FETCH_RANDOM : 0);
		ibs->fetch.count = fetch->max_count;
		ibs->fetch.most = OPROFILE_IBS_FETCH_MAX;
	}
	if (op->enable) {
		if (!save_unit(&ibs->op, &op_kind)) {
			ibs->fetch.control = 0;
			return "IBS op is in use, probably by perf: end perf";
		}
		ibs->op.control = OP_ENABLE | (op->dispatched_ops ? OP_COUNT_OPS : 0);
		ibs->op.count = op->max_count;
		ibs->op.most = oprofile_ibs_op_max(ibs->caps);
		ibs->randomise = op->rand_enable;
	}
	return NULL;
}

static void restore_unit(struct oprofile_ibs_unit *unit)
{
	if (unit->control && !(oprofile_rdmsr(unit->kind->msr) & unit->kind->enable))
		oprofile_wrmsr(unit->kind->msr, unit->saved);
	unit->control = 0;
}

void oprofile_ibs_restore(struct oprofile_ibs *ibs)
{
	restore_unit(&ibs->fetch);
	restore_unit(&ibs->op);
}

/* Disable the unit. Erratum 420 of family 10h: clearing the enable bit while the maximum count is
 * nonzero may raise an interrupt that cannot be cleared. */
static void disable_unit(const struct oprofile_ibs *ibs, const struct oprofile_ibs_unit *unit)
{
	if (ibs->family == 0x10)
		oprofile_wrmsr(unit->kind->msr, unit->begun & ~unit->kind->max);
	oprofile_wrmsr(unit->kind->msr, 0);
}

static void begin_unit(struct oprofile_ibs_unit *unit, u64 control)
{
	unit->begun = control;
	oprofile_wrmsr(unit->kind->msr, control);
}

/* Return whether @control, the value of a unit's control register, contains the maximum count that
 * this module wrote. If not, another user has written to the register. */
static bool is_ours(const struct oprofile_ibs_unit *unit, u64 control)
{
	return !((control ^ unit->begun) & unit->kind->max);
}

/* Return the maximum count of the unit as a register value, which counts in units of 16 events. */
static u64 count_of(const struct oprofile_ibs *ibs, const struct oprofile_ibs_unit *unit)
{
	return min(unit->count << ibs->shift, unit->most) >> 4;
}

/* Begin a period of fetch sampling. Disable the unit first: CPUs of families 16h to 18h continue
 * the old count unless the enable bit changes from 0 to 1. */
static void begin_fetch(struct oprofile_ibs *ibs)
{
	disable_unit(ibs, &ibs->fetch);
	begin_unit(&ibs->fetch, ibs->fetch.control | count_of(ibs, &ibs->fetch));
}

/*
 * Begin a period of op sampling. For a random period, begin at a random count below 128. If the CPU
 * does not allow writing the current count, instead randomize the low bits of the maximum count.
 */
static void begin_op(struct oprofile_ibs *ibs)
{
	u64 control = ibs->op.control, count = count_of(ibs, &ibs->op);

	if (ibs->randomise && ibs->caps & CAPS_WRITE_COUNT)
		control |= (u64)(random_bits(ibs) & 0x7f) << OP_COUNT_SHIFT;
	else if (ibs->randomise && count > 32)
		count -= random_bits(ibs) & 0xf;
	begin_unit(&ibs->op, control | (count & 0xffff) | (count & 0x7f0000) << 4);
}

static bool can_start(struct oprofile_ibs *ibs, struct oprofile_ibs_unit *unit)
{
	if (!unit->control)
		return false;
	if (oprofile_rdmsr(unit->kind->msr) & unit->kind->enable) {
		ibs->taken_away++;
		return false;
	}
	unit->begun = 0;
	oprofile_wrmsr(unit->kind->msr, 0);
	return true;
}

const char *oprofile_ibs_start(struct oprofile_ibs *ibs)
{
	const char *why;

	if (!ibs->fetch.control && !ibs->op.control)
		return NULL;
	/* set up the interrupt again, because a suspend resets it */
	why = set_up_interrupt();
	if (why)
		return why;
	if (can_start(ibs, &ibs->fetch)) {
		WRITE_ONCE(ibs->fetch.armed, true);
		begin_fetch(ibs);
	}
	if (can_start(ibs, &ibs->op)) {
		WRITE_ONCE(ibs->op.armed, true);
		begin_op(ibs);
	}
	return NULL;
}

u32 oprofile_ibs_armed(const struct oprofile_ibs *ibs)
{
	return ibs->fetch.armed + ibs->op.armed;
}

/*
 * Stop fetch or op sampling. During the wait in this function, the NMI handler may still handle a
 * sample; it then ends sampling instead of beginning a new period. A sample whose interrupt comes
 * later is lost.
 */
static void stop_unit(struct oprofile_ibs *ibs, struct oprofile_ibs_unit *unit)
{
	u32 wait = OPROFILE_STOP_WAIT_US;
	u64 control;

	if (!unit->armed)
		return;
	WRITE_ONCE(unit->ending, true);
	barrier();
	while ((control = oprofile_rdmsr(unit->kind->msr)) & unit->kind->valid && wait--)
		oprofile_hw_wait_us();
	barrier();
	if (READ_ONCE(unit->armed)) {
		if (is_ours(unit, control)) {
			disable_unit(ibs, unit);
			/* If a sample is pending, count it as lost, unless the NMI handler has just
			 * handled it. */
			ibs->lost += READ_ONCE(unit->armed) && control & unit->kind->valid;
		} else {
			ibs->taken_away++;
		}
	}
	WRITE_ONCE(unit->armed, false);
	WRITE_ONCE(unit->ending, false);
}

void oprofile_ibs_stop(struct oprofile_ibs *ibs)
{
	stop_unit(ibs, &ibs->fetch);
	stop_unit(ibs, &ibs->op);
}

static bool kill_unit(struct oprofile_ibs *ibs, struct oprofile_ibs_unit *unit)
{
	if (!unit->armed)
		return false;
	unit->armed = false;
	disable_unit(ibs, unit);
	return true;
}

bool oprofile_ibs_kill(struct oprofile_ibs *ibs)
{
	bool fetch = kill_unit(ibs, &ibs->fetch), op = kill_unit(ibs, &ibs->op);

	return fetch || op;
}

/* Return whether a sample of this module is pending. Set *@control to the control register. */
static bool has_sample(struct oprofile_ibs *ibs, struct oprofile_ibs_unit *unit, u64 *control)
{
	if (!unit->armed)
		return false;
	*control = oprofile_rdmsr(unit->kind->msr);
	if (!(*control & unit->kind->valid))
		return false;
	if (is_ours(unit, *control))
		return true;
	unit->armed = false;
	ibs->taken_away++;
	return false;
}

/* Begin another period if the unit is not being stopped, and return true. Otherwise disable the
 * unit and return false. */
static bool next_period_begins(struct oprofile_ibs *ibs, struct oprofile_ibs_unit *unit)
{
	if (!unit->ending)
		return true;
	unit->armed = false;
	disable_unit(ibs, unit);
	return false;
}

static void put(struct oprofile_ibs_record *r, u64 value)
{
	r->words[r->nr++] = (u32)value;
	r->words[r->nr++] = value >> 32;
}

bool oprofile_ibs_read_fetch(struct oprofile_ibs *ibs, struct oprofile_ibs_record *ret)
{
	u64 control;

	if (!has_sample(ibs, &ibs->fetch, &control))
		return false;
	ret->pc = oprofile_rdmsr(FETCH_LINAD);
	ret->nr = 0;
	/* the recorded address is valid, except that early Zen 3 CPUs may record a wrong address
	 * (erratum 1197) */
	if (ret->pc) {
		put(ret, ret->pc);
		put(ret, control);
		put(ret, control & FETCH_PHYS ? oprofile_rdmsr(FETCH_PHYSAD) : 0);
	}
	if (next_period_begins(ibs, &ibs->fetch))
		begin_fetch(ibs);
	return true;
}

bool oprofile_ibs_read_op(struct oprofile_ibs *ibs, u64 pc, struct oprofile_ibs_record *ret)
{
	u64 control, rip, data, data3;

	if (!has_sample(ibs, &ibs->op, &control))
		return false;
	rip = oprofile_rdmsr(OP_RIP);
	data = oprofile_rdmsr(OP_DATA);
	data3 = oprofile_rdmsr(OP_DATA3);
	ret->pc = ibs->caps & CAPS_CHECK_RIP && data & DATA_NO_RIP ? pc : rip;
	ret->nr = 0;
	put(ret, rip);
	put(ret, data);
	put(ret, oprofile_rdmsr(OP_DATA2));
	put(ret, data3);
	put(ret, data3 & DATA3_LINAD ? oprofile_rdmsr(DC_LINAD) : 0);
	put(ret, data3 & DATA3_PHYSAD ? oprofile_rdmsr(DC_PHYSAD) : 0);
	if (next_period_begins(ibs, &ibs->op))
		begin_op(ibs);
	return true;
}
