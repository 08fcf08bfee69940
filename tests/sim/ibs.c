// SPDX-License-Identifier: GPL-2.0
/* ibs.c -- instruction-based sampling of the simulated CPU, with the peculiarities of real CPUs. */
#include "sim.h"

#define FETCH_EN	BIT_ULL(48)
#define FETCH_VALID	BIT_ULL(49)
#define FETCH_COUNT	GENMASK_ULL(31, 16)
#define OP_EN		BIT_ULL(17)
#define OP_VALID	BIT_ULL(18)
#define OP_MAX		(GENMASK_ULL(15, 0) | GENMASK_ULL(26, 20))
#define CAPS_WRITE_COUNT BIT(3)
#define CONTROL_VALID	BIT_ULL(8)
/* number of IBS's own interrupt vector, which other counters do not use */
#define EXTENDED	3

struct kind {
	u64 enable, valid, max, count;
	u32 count_shift;
	const char *name;
};

static const struct kind kinds[SIM_IBS_UNITS] = {
	[SIM_IBS_FETCH] = { FETCH_EN, FETCH_VALID, 0xffff, FETCH_COUNT, 16 - 4, "fetch" },
	[SIM_IBS_OP] = { OP_EN, OP_VALID, OP_MAX, GENMASK_ULL(58, 32), 32, "op" },
};

static u64 max_count(u64 control, u32 unit)
{
	return unit == SIM_IBS_FETCH ? (control & 0xffff) << 4 :
		((control & 0xffff) | (control >> 4 & 0x7f0000)) << 4;
}

static void sample(struct sim_cpu *cpu, u32 unit)
{
	struct sim_ibs *u = &cpu->ibs[unit];
	bool ours = !(cpu->ibs_foreign & BIT(unit));

	u->control |= kinds[unit].valid;
	u->samples += ours;
	u->address = sim_random(cpu) | 1;
	/* Simulate an erratum of family 19h's first models: some fetch samples have no address. */
	if (unit == SIM_IBS_FETCH && cpu->config->family == 0x19 && sim_random(cpu) % 8 == 0) {
		u->address = 0;
		u->nowhere += ours;
	}
	if (ours)
		cpu->last_overflow = cpu->ticks;
	sim_send(cpu, SIM_IBS_SOURCE + unit, ours ? SIM_OURS : SIM_FOREIGN);
}

void sim_ibs_count(struct sim_cpu *cpu)
{
	u32 unit;

	for (unit = 0; unit < SIM_IBS_UNITS; unit++) {
		struct sim_ibs *u = &cpu->ibs[unit];
		const struct kind *k = &kinds[unit];
		u64 max = max_count(u->control, unit), before = u->count, after;

		if (!(u->control & k->enable) || u->control & k->valid || !max)
			continue;
		after = u->count + cpu->ibs_speed;
		u->counted += cpu->ibs_speed;
		/* A current count that has exceeded the maximum continues from there. */
		u->count = after & (unit == SIM_IBS_FETCH ? 0xfffff : GENMASK_ULL(26, 0));
		if (before < max && after >= max)
			sample(cpu, unit);
	}
}

bool sim_ibs_waits(const struct sim_cpu *cpu)
{
	u32 unit;

	for (unit = 0; unit < SIM_IBS_UNITS; unit++) {
		if (cpu->ibs[unit].control & kinds[unit].valid && !(cpu->ibs_foreign & BIT(unit)))
			return true;
	}
	return false;
}

u32 sim_ibs_foreign_handler(struct sim_cpu *cpu)
{
	u32 unit, nr = 0;

	for (unit = 0; unit < SIM_IBS_UNITS; unit++) {
		struct sim_ibs *u = &cpu->ibs[unit];

		if (!(cpu->ibs_foreign & BIT(unit)) || !(u->control & kinds[unit].valid))
			continue;
		u->control &= ~kinds[unit].valid;
		u->count = 0;
		nr++;
	}
	return nr;
}

void sim_ibs_set_foreign(struct sim_cpu *cpu, u32 units)
{
	u32 unit;

	for (unit = 0; unit < SIM_IBS_UNITS; unit++) {
		struct sim_ibs *u = &cpu->ibs[unit];

		if ((units ^ cpu->ibs_foreign) & BIT(unit)) {
			u->samples -= !!(u->control & kinds[unit].valid && units & BIT(unit));
			u->control = units & BIT(unit) ? kinds[unit].enable | 0x123 : 0;
			u->count = 0;
		}
	}
	cpu->ibs_foreign = units;
}

static u32 unit_of(u32 msr)
{
	return msr == 0xc0011030 ? SIM_IBS_FETCH : msr == 0xc0011033 ? SIM_IBS_OP : SIM_IBS_UNITS;
}

bool sim_ibs_read(struct sim_cpu *cpu, u32 msr, u64 *ret)
{
	u32 unit = unit_of(msr);

	if (!cpu->config->ibs || msr < 0xc0011030 || msr > 0xc001103a)
		return false;
	*ret = unit < SIM_IBS_UNITS ? cpu->ibs[unit].control |
			(cpu->ibs[unit].count << kinds[unit].count_shift & kinds[unit].count) :
	       msr == 0xc0011031 ? cpu->ibs[SIM_IBS_FETCH].address :
	       msr == 0xc0011034 ? cpu->ibs[SIM_IBS_OP].address :
	       msr == 0xc001103a && cpu->ibs_interrupt != SIM_IBS_NO_INTERRUPT ? CONTROL_VALID | EXTENDED : 0;
	return true;
}

/* Return whether a write sets the current count. */
static bool sets_count(const struct sim_config *c, u32 unit, bool begins, bool was_valid)
{
	if (unit == SIM_IBS_FETCH)
		return begins || c->family < 0x16 || c->family > 0x18;
	return begins || was_valid || c->ibs & CAPS_WRITE_COUNT;
}

bool sim_ibs_write(struct sim_cpu *cpu, u32 msr, u64 value)
{
	u32 unit = unit_of(msr);
	const struct sim_config *c = cpu->config;
	struct sim_ibs *u;
	const struct kind *k;
	u64 was;

	if (!c->ibs || unit >= SIM_IBS_UNITS)
		return false;
	u = &cpu->ibs[unit];
	k = &kinds[unit];
	was = u->control;
	if (cpu->ibs_foreign & BIT(unit))
		sim_set_error(cpu, "IBS %s is not ours to write", k->name);
	if (value & k->enable && !cpu->ibs_by_nmi)
		sim_set_error(cpu, "IBS %s: samples of which no interrupt tells", k->name);
	if (value & ~was & k->valid)
		sim_set_error(cpu, "IBS %s: a sample that there is not", k->name);
	if (c->family == 0x10 && was & k->enable && was & k->max && !(value & k->enable))
		sim_set_error(cpu, "IBS %s: an interrupt that cannot be cleared", k->name);
	if (was & ~value & k->valid && !cpu->in_nmi)
		/* a sample completed between the last read and this write */
		u->overwritten++;
	if (sets_count(c, unit, value & ~was & k->enable, was & k->valid))
		u->count = unit == SIM_IBS_OP && !(c->ibs & CAPS_WRITE_COUNT) ? 0 :
			(value & k->count) >> k->count_shift;
	u->control = value & ~k->count;
	/* A sample that was nearly complete when IBS was stopped still raises an interrupt. */
	if (was & ~value & k->enable && !cpu->in_nmi)
		u->stops++;
	if (was & ~value & k->enable && !(was & k->valid) && sim_random(cpu) % 4 == 0) {
		cpu->last_overflow = cpu->ticks;
		sim_send(cpu, SIM_IBS_SOURCE + unit, SIM_OURS);
	}
	return true;
}

bool sim_ibs_by_nmi(struct sim_cpu *cpu, u32 offset)
{
	if (cpu->ibs_interrupt == SIM_IBS_NO_INTERRUPT || offset != EXTENDED)
		sim_set_error(cpu, "extended interrupt %u is not that of IBS", offset);
	cpu->ibs_by_nmi = cpu->ibs_interrupt == SIM_IBS_INTERRUPT;
	return cpu->ibs_by_nmi;
}
