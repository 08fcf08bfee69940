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

#define FETCH_ENABLE	BIT_ULL(48)
#define FETCH_VALID	BIT_ULL(49)
#define FETCH_PHYS	BIT_ULL(52)	/* FETCH_PHYSAD says something */
#define FETCH_RANDOM	BIT_ULL(57)	/* the CPU itself makes the low 4 bits random */

#define OP_ENABLE	BIT_ULL(17)
#define OP_VALID	BIT_ULL(18)
#define OP_COUNT_OPS	BIT_ULL(19)
#define OP_COUNT_SHIFT	32		/* current count */
#define DATA_NO_RIP	BIT_ULL(38)	/* in OP_DATA: the RIP is not the operation's */
#define DATA3_LINAD	BIT_ULL(17)	/* DC_LINAD, DC_PHYSAD say something */
#define DATA3_PHYSAD	BIT_ULL(18)

#define CAPS_VALID	BIT(0)
#define CAPS_FETCH	BIT(1)
#define CAPS_OP		BIT(2)
#define CAPS_WRITE_COUNT BIT(3)		/* the current count can be written */
#define CAPS_COUNT_OPS	BIT(4)
#define CAPS_WIDE_COUNT	BIT(6)		/* 27 bits */
#define CAPS_CHECK_RIP	BIT(7)

u32 oprofile_ibs_caps(void)
{
	u32 last = oprofile_cpuid(0x80000000, 0).eax, caps;

	if (oprofile_cpuid(0, 0).ebx != 0x68747541 || last < 0x80000001 ||
	    !(oprofile_cpuid(0x80000001, 0).ecx & BIT(10)))
		return 0;
	caps = last >= 0x8000001b ? oprofile_cpuid(0x8000001b, 0).eax : 0;
	/* The first that had it said only that. */
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

static u32 random_bits(struct oprofile_ibs *ibs)
{
	ibs->random ^= ibs->random << 13;
	ibs->random ^= ibs->random >> 17;
	ibs->random ^= ibs->random << 5;
	return ibs->random;
}

const char *oprofile_ibs_save(struct oprofile_ibs *ibs, const struct oprofile_ibs_wish *fetch,
			      const struct oprofile_ibs_wish *op)
{
	*ibs = (struct oprofile_ibs){ .caps = oprofile_ibs_caps(), .random = 0x2545f491 };
	if (!ibs->caps)
		return "it has no IBS";
	if ((fetch->enable && !(ibs->caps & CAPS_FETCH)) || (op->enable && !(ibs->caps & CAPS_OP)))
		return "it has not both kinds of IBS";
	if (fetch->enable) {
		ibs->fetch.saved = oprofile_rdmsr(FETCH_CTL);
		if (ibs->fetch.saved & FETCH_ENABLE)
			return "IBS fetch is in use, by perf most likely: end that";
		ibs->fetch.control = FETCH_ENABLE | (fetch->rand_enable ? FETCH_RANDOM : 0);
		ibs->fetch.count = fetch->max_count;
		ibs->fetch.most = OPROFILE_IBS_FETCH_MAX;
	}
	if (op->enable) {
		ibs->op.saved = oprofile_rdmsr(OP_CTL);
		if (ibs->op.saved & OP_ENABLE) {
			ibs->fetch.control = 0;
			return "IBS op is in use, by perf most likely: end that";
		}
		ibs->op.control = OP_ENABLE | (op->dispatched_ops ? OP_COUNT_OPS : 0);
		ibs->op.count = op->max_count;
		ibs->op.most = oprofile_ibs_op_max(ibs->caps);
		ibs->randomise = op->rand_enable;
	}
	return NULL;
}

void oprofile_ibs_restore(struct oprofile_ibs *ibs)
{
	if (ibs->fetch.control)
		oprofile_wrmsr(FETCH_CTL, ibs->fetch.saved);
	if (ibs->op.control)
		oprofile_wrmsr(OP_CTL, ibs->op.saved);
	ibs->fetch.control = ibs->op.control = 0;
}

/* Registers hold counts in units of 16. */
static u64 count_of(const struct oprofile_ibs *ibs, const struct oprofile_ibs_unit *unit)
{
	return min(unit->count << ibs->shift, unit->most) >> 4;
}

static void begin_fetch(struct oprofile_ibs *ibs)
{
	oprofile_wrmsr(FETCH_CTL, ibs->fetch.control | count_of(ibs, &ibs->fetch));
}

/*
 * In software: where the current count can be written it begins at random within the first 128; else
 * the low bits of the maximum change, in units of 16.
 */
static void begin_op(struct oprofile_ibs *ibs)
{
	u64 control = ibs->op.control, count = count_of(ibs, &ibs->op);

	if (ibs->randomise && ibs->caps & CAPS_WRITE_COUNT)
		control |= (u64)(random_bits(ibs) & 0x7f) << OP_COUNT_SHIFT;
	else if (ibs->randomise && count > 32)
		count -= random_bits(ibs) & 0xf;
	oprofile_wrmsr(OP_CTL, control | (count & 0xffff) | (count & 0x7f0000) << 4);
}

void oprofile_ibs_start(struct oprofile_ibs *ibs)
{
	if (ibs->fetch.control) {
		oprofile_wrmsr(FETCH_CTL, 0);
		WRITE_ONCE(ibs->fetch.armed, true);
		begin_fetch(ibs);
	}
	if (ibs->op.control) {
		oprofile_wrmsr(OP_CTL, 0);
		WRITE_ONCE(ibs->op.armed, true);
		begin_op(ibs);
	}
}

/*
 * The interrupt of a sample that is there already takes it. One that comes between the read and the
 * write, which family 10h wants with the count still in place, is gone.
 */
static u32 stop_unit(struct oprofile_ibs *ibs, struct oprofile_ibs_unit *unit, u32 msr, u64 enable,
		     u64 valid)
{
	u32 wait = OPROFILE_STOP_WAIT_US;

	if (!unit->armed)
		return 0;
	WRITE_ONCE(unit->stopping, true);
	barrier();
	oprofile_wrmsr(msr, oprofile_rdmsr(msr) & ~enable);
	while (oprofile_rdmsr(msr) & valid && wait--)
		oprofile_hw_wait_us();
	WRITE_ONCE(unit->armed, false);
	barrier();
	WRITE_ONCE(unit->stopping, false);
	ibs->lost += !!(oprofile_rdmsr(msr) & valid);
	oprofile_wrmsr(msr, 0);
	return 1;
}

u32 oprofile_ibs_stop(struct oprofile_ibs *ibs)
{
	return stop_unit(ibs, &ibs->fetch, FETCH_CTL, FETCH_ENABLE, FETCH_VALID) +
	       stop_unit(ibs, &ibs->op, OP_CTL, OP_ENABLE, OP_VALID);
}

void oprofile_ibs_kill(struct oprofile_ibs *ibs)
{
	if (ibs->fetch.armed)
		oprofile_wrmsr(FETCH_CTL, 0);
	if (ibs->op.armed)
		oprofile_wrmsr(OP_CTL, 0);
	ibs->fetch.armed = ibs->op.armed = false;
}

static void put(struct oprofile_ibs_record *r, u64 value)
{
	r->words[r->nr++] = (u32)value;
	r->words[r->nr++] = value >> 32;
}

bool oprofile_ibs_take_fetch(struct oprofile_ibs *ibs, struct oprofile_ibs_record *ret)
{
	u64 control;

	if (!ibs->fetch.armed)
		return false;
	control = oprofile_rdmsr(FETCH_CTL);
	if (!(control & FETCH_VALID))
		return false;
	ret->pc = oprofile_rdmsr(FETCH_LINAD);
	ret->nr = 0;
	put(ret, ret->pc);
	put(ret, control);
	put(ret, control & FETCH_PHYS ? oprofile_rdmsr(FETCH_PHYSAD) : 0);
	if (ibs->fetch.stopping)
		oprofile_wrmsr(FETCH_CTL, 0);
	else
		begin_fetch(ibs);
	return true;
}

bool oprofile_ibs_take_op(struct oprofile_ibs *ibs, u64 pc, struct oprofile_ibs_record *ret)
{
	u64 rip, data, data3;

	if (!ibs->op.armed || !(oprofile_rdmsr(OP_CTL) & OP_VALID))
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
	if (ibs->op.stopping)
		oprofile_wrmsr(OP_CTL, 0);
	else
		begin_op(ibs);
	return true;
}
