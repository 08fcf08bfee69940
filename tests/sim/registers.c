// SPDX-License-Identifier: GPL-2.0
/*
 * registers.c -- the simulated CPU's registers, and the functions of hw.h through which module/x86
 * accesses them.
 */
#include "cpu.h"

#include "sim.h"
#include "x86/hw.h"

static struct sim_cpu *this_cpu;

void sim_use(struct sim_cpu *cpu)
{
	this_cpu = cpu;
}

const struct sim_config *sim_config(void)
{
	return this_cpu->config;
}

enum kind { NONE, CONTROL, COUNTER, FULL_WIDTH, FIXED_CONTROL, STATUS, GLOBAL, CLEAR, CAPABILITIES };

static enum kind decode(const struct sim_config *c, u32 msr, u32 *counter)
{
	*counter = 0;
	if (c->vendor == SIM_AMD) {
		if (c->core && msr >= 0xc0010200 && msr < 0xc0010200 + 2 * c->general) {
			*counter = (msr - 0xc0010200) / 2;
			return msr & 1 ? COUNTER : CONTROL;
		}
		if (msr >= 0xc0010000 && msr < 0xc0010008 && !c->core) {
			*counter = msr & 3;
			return msr & 4 ? COUNTER : CONTROL;
		}
		if (!c->v2)
			return NONE;
		return msr == 0xc0000300 ? STATUS : msr == 0xc0000301 ? GLOBAL :
		       msr == 0xc0000302 ? CLEAR : NONE;
	}
	if (msr >= 0x186 && msr < 0x186 + c->general) {
		*counter = msr - 0x186;
		return CONTROL;
	}
	if (msr >= 0xc1 && msr < 0xc1 + c->general) {
		*counter = msr - 0xc1;
		return COUNTER;
	}
	if (c->full_width && msr >= 0x4c1 && msr < 0x4c1 + c->general) {
		*counter = msr - 0x4c1;
		return FULL_WIDTH;
	}
	if (msr == 0x345)
		return CAPABILITIES;
	if (c->version < 2)
		return NONE;
	if (msr >= 0x309 && msr < 0x319 && c->fixed & BIT_ULL(msr - 0x309)) {
		*counter = SIM_FIXED + msr - 0x309;
		return FULL_WIDTH;
	}
	return msr == 0x38d ? FIXED_CONTROL : msr == 0x38e ? STATUS : msr == 0x38f ? GLOBAL :
	       msr == 0x390 ? CLEAR : NONE;
}

static bool read_register(struct sim_cpu *cpu, u32 msr, u64 *ret)
{
	u32 counter;

	switch (decode(cpu->config, msr, &counter)) {
	case CONTROL:
		*ret = cpu->control[counter];
		return true;
	case COUNTER:
	case FULL_WIDTH:
		*ret = cpu->value[counter];
		return true;
	case FIXED_CONTROL:
		*ret = cpu->fixed_control;
		return true;
	case STATUS:
		*ret = cpu->status;
		return true;
	case GLOBAL:
		*ret = cpu->global;
		return true;
	case CAPABILITIES:
		*ret = cpu->config->full_width ? BIT_ULL(13) : 0;
		return true;
	default:
		return sim_ibs_read(cpu, msr, ret);
	}
}

/* Complain if a write to a shared register changes bits that belong to other users' counters. */
static void check_shared(struct sim_cpu *cpu, const char *what, u64 was, u64 is, u64 allowed)
{
	if ((was ^ is) & ~allowed)
		sim_set_error(cpu, "%s: %llx over %llx, but only %llx is ours", what, is, was, allowed);
}

static u64 fixed_bits(u64 counters)
{
	u64 mask = 0;
	u32 i;

	for (i = 0; i < 16; i++)
		mask |= counters >> (SIM_FIXED + i) & 1 ? 0xfULL << 4 * i : 0;
	return mask;
}

static void write_counter(struct sim_cpu *cpu, u32 counter, u64 value)
{
	u64 limit = sim_limit(cpu->config, counter);

	if (cpu->config->forgets)
		return;
	if (cpu->foreign & BIT_ULL(counter))
		sim_set_error(cpu, "counter %u is not ours to write", counter);
	if (value >= limit)
		sim_set_error(cpu, "%llx written to counter %u, which holds less than %llx", value, counter, limit);
	if (limit - value < SIM_TOO_CLOSE)
		cpu->too_close |= BIT_ULL(counter);
	else
		cpu->too_close &= ~BIT_ULL(counter);
	cpu->value[counter] = value & (limit - 1);
}

/* Return the reserved bits of an event select register. */
static u64 reserved(const struct sim_config *c)
{
	if (c->vendor == SIM_AMD)
		return BIT_ULL(19) | BIT_ULL(21) | GENMASK_ULL(39, 36) | GENMASK_ULL(63, 42);
	return GENMASK_ULL(63, 32) | (c->version < 3 || c->version >= 5 ? SIM_ANY : 0);
}

static void write_register(struct sim_cpu *cpu, u32 msr, u64 value)
{
	const struct sim_config *c = cpu->config;
	u64 ours = sim_all_counters(c) & ~cpu->foreign, enabled = sim_enabled(cpu);
	u32 counter;

	switch (decode(c, msr, &counter)) {
	case CONTROL:
		if (cpu->foreign & BIT_ULL(counter))
			sim_set_error(cpu, "control %u is not ours to write", counter);
		if (value & reserved(c))
			sim_set_error(cpu, "%llx written to an event select register", value);
		if (c->force_abort && counter == 3 && value & SIM_EN)
			sim_set_error(cpu, "counter 3 is the microcode's");
		cpu->control[counter] = value;
		break;
	case COUNTER:
		if (c->vendor == SIM_INTEL)
			value = (u64)(int32_t)value & ((1ULL << c->bits) - 1);
		write_counter(cpu, counter, value);
		break;
	case FULL_WIDTH:
		write_counter(cpu, counter, value);
		break;
	case FIXED_CONTROL:
		check_shared(cpu, "fixed control", cpu->fixed_control, value, fixed_bits(ours));
		cpu->fixed_control = value;
		break;
	case GLOBAL:
		check_shared(cpu, "global control", cpu->global, value, ours);
		cpu->global = value;
		cpu->shaken += cpu->control[0] == 0x4300b5 && cpu->control[1] == 0x4300d2 &&
			cpu->control[2] == 0x4300b1 && cpu->control[3] == 0x4300b1 && (value & 0xf) == 0xf;
		break;
	case CLEAR:
		/*
		 * Another NMI may have cleared the last two bits since the code under test read
		 * them.
		 */
		check_shared(cpu, "status cleared", 0, value, ours | SIM_FROZEN | BIT_ULL(58));
		if (c->version < 4 && c->vendor == SIM_INTEL && value & SIM_FROZEN)
			sim_set_error(cpu, "version %u has no frozen bit", c->version);
		cpu->status &= ~value;
		if (value & SIM_FROZEN)
			cpu->frozen = false;
		break;
	default:
		if (!sim_ibs_write(cpu, msr, value))
			sim_set_error(cpu, "register %x written", msr);
	}
	sim_stopped(cpu, enabled);
}

u64 oprofile_rdmsr(u32 msr)
{
	u64 value = 0;

	sim_tick(this_cpu);
	if (!read_register(this_cpu, msr, &value))
		sim_set_error(this_cpu, "register %x read", msr);
	return value;
}

bool oprofile_rdmsr_safe(u32 msr, u64 *ret)
{
	sim_tick(this_cpu);
	return read_register(this_cpu, msr, ret);
}

bool oprofile_wrmsr_safe(u32 msr, u64 value)
{
	sim_tick(this_cpu);
	if (this_cpu->config->refuses)
		return false;
	write_register(this_cpu, msr, value);
	return true;
}

void oprofile_wrmsr(u32 msr, u64 value)
{
	sim_tick(this_cpu);
	write_register(this_cpu, msr, value);
}

u32 oprofile_pmi_read(void)
{
	sim_tick(this_cpu);
	return this_cpu->lvtpc;
}

void oprofile_pmi_write(u32 entry)
{
	sim_tick(this_cpu);
	this_cpu->lvtpc = entry;
}

bool oprofile_ibs_by_nmi(u32 offset)
{
	sim_tick(this_cpu);
	return sim_ibs_by_nmi(this_cpu, offset);
}

u64 oprofile_hw_ns(void)
{
	return this_cpu->ticks * SIM_NS_PER_TICK;
}

void oprofile_hw_wait_us(void)
{
	for (int i = 0; i < 1000 / SIM_NS_PER_TICK; i++)
		sim_tick(this_cpu);
}
