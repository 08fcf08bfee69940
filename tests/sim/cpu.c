// SPDX-License-Identifier: GPL-2.0
/*
 * cpu.c -- the simulated CPU.
 */
#include "cpu.h"

#include <stdarg.h>
#include <stdio.h>

#include "x86/hw.h"

#define FIXED		32
#define NS_PER_TICK	50

#define EN		BIT_ULL(22)
#define INT		BIT_ULL(20)
#define ANY		BIT_ULL(21)
#define FROZEN		BIT_ULL(59)

static struct sim_cpu *this_cpu;

void sim_use(struct sim_cpu *cpu)
{
	this_cpu = cpu;
}

u64 sim_random(struct sim_cpu *cpu)
{
	cpu->seed ^= cpu->seed << 13;
	cpu->seed ^= cpu->seed >> 7;
	cpu->seed ^= cpu->seed << 17;
	return cpu->seed;
}

static void complain(struct sim_cpu *cpu, const char *format, ...)
{
	va_list args;

	if (*cpu->complaint)
		return;
	va_start(args, format);
	vsnprintf(cpu->complaint, sizeof(cpu->complaint), format, args);
	va_end(args);
}

static u64 general_mask(const struct sim_config *c)
{
	return (1ULL << c->general) - 1;
}

static bool has_global(const struct sim_config *c)
{
	return c->vendor == SIM_AMD ? c->v2 : c->version >= 2;
}

static u64 all_counters(const struct sim_config *c)
{
	return general_mask(c) | c->fixed << FIXED;
}

static bool exists(const struct sim_config *c, u32 counter)
{
	return all_counters(c) & BIT_ULL(counter);
}

static bool is_enabled(const struct sim_cpu *cpu, u32 counter)
{
	const struct sim_config *c = cpu->config;

	if (!exists(c, counter) || cpu->frozen)
		return false;
	if (has_global(c) && !(cpu->global & BIT_ULL(counter)))
		return false;
	if (counter >= FIXED)
		return cpu->fixed_control >> 4 * (counter - FIXED) & 3;
	return cpu->control[counter] & EN;
}

static bool interrupts(const struct sim_cpu *cpu, u32 counter)
{
	if (counter >= FIXED)
		return cpu->fixed_control >> 4 * (counter - FIXED) & 8;
	return cpu->control[counter] & INT;
}

static void send(struct sim_cpu *cpu, u32 source)
{
	if (cpu->in_flight == SIM_FLIGHT) {
		complain(cpu, "more interrupts under way than the simulation can hold");
		return;
	}
	cpu->flight[cpu->in_flight++] = (cpu->ticks + sim_random(cpu) % (cpu->config->latest + 1)) << 1 |
		(source == SIM_OURS);
}

static void overflow(struct sim_cpu *cpu, u32 counter)
{
	bool ours = !(cpu->foreign & BIT_ULL(counter));

	if (has_global(cpu->config))
		cpu->status |= BIT_ULL(counter);
	if (ours) {
		cpu->overflows[counter]++;
		cpu->last_overflow = cpu->ticks;
	} else {
		cpu->foreign_overflows++;
	}
	if (!interrupts(cpu, counter))
		return;
	if (cpu->config->freezes) {
		cpu->frozen = true;
		cpu->status |= FROZEN;
	}
	send(cpu, ours ? SIM_OURS : SIM_FOREIGN);
}

static void count(struct sim_cpu *cpu)
{
	u64 rest = all_counters(cpu->config), random = sim_random(cpu);

	while (rest) {
		u32 counter = __builtin_ctzll(rest);
		u64 limit = 1ULL << cpu->config->bits, step = random & 3;

		rest &= rest - 1;
		random = random >> 2 | random << 62;
		if (!is_enabled(cpu, counter))
			continue;
		cpu->counted[counter] += step;
		cpu->value[counter] += step;
		if (cpu->value[counter] >= limit) {
			cpu->value[counter] -= limit;
			overflow(cpu, counter);
		}
	}
}

static void latch(struct sim_cpu *cpu, u32 source)
{
	cpu->latched = true;
	cpu->sources |= source;
}

static void arrive(struct sim_cpu *cpu)
{
	u32 i;

	for (i = 0; i < cpu->in_flight; i++) {
		u32 source = cpu->flight[i] & 1 ? SIM_OURS : SIM_FOREIGN;

		if (cpu->flight[i] >> 1 > cpu->ticks)
			continue;
		cpu->flight[i--] = cpu->flight[--cpu->in_flight];
		if (cpu->masked)
			continue;	/* gone */
		cpu->masked = cpu->config->masks;
		latch(cpu, source);
	}
}

static bool wrapped(const struct sim_cpu *cpu, u32 counter)
{
	return !(cpu->value[counter] >> (cpu->config->bits - 1));
}

u64 sim_enabled(const struct sim_cpu *cpu)
{
	u64 enabled = 0;
	u32 i;

	for (i = 0; i < SIM_COUNTERS; i++)
		enabled |= is_enabled(cpu, i) ? BIT_ULL(i) : 0;
	return enabled;
}

u64 sim_overflowed(const struct sim_cpu *cpu)
{
	u64 rest = all_counters(cpu->config), found = 0;

	if (has_global(cpu->config))
		return cpu->status & rest;
	while (rest) {
		u32 counter = __builtin_ctzll(rest);

		rest &= rest - 1;
		if (wrapped(cpu, counter))
			found |= BIT_ULL(counter);
	}
	return found;
}

/* The other user of the counters does with his what anybody would. */
static u32 foreign_handler(struct sim_cpu *cpu)
{
	u64 mine = sim_overflowed(cpu) & cpu->foreign & ~cpu->silent, rest = mine;

	while (rest) {
		u32 counter = __builtin_ctzll(rest);

		rest &= rest - 1;
		cpu->value[counter] = (1ULL << cpu->config->bits) - 500;
		cpu->foreign_handled++;
	}
	cpu->status &= ~mine;
	if (mine) {
		cpu->masked = cpu->frozen = false;
		cpu->status &= ~FROZEN;
	}
	return hweight64(mine);
}

static u64 total_overflows(const struct sim_cpu *cpu)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < SIM_COUNTERS; i++)
		sum += cpu->overflows[i];
	return sum;
}

static void nmi(struct sim_cpu *cpu)
{
	u32 sources = cpu->sources, ours, all;

	cpu->latched = false;
	cpu->sources = 0;
	cpu->in_nmi = true;
	cpu->nmis++;
	if (sources & SIM_EXTERNAL)
		cpu->external_nmis++;
	ours = cpu->handler(cpu->data);
	if (ours) {
		cpu->claimed++;
		cpu->claims += ours;
		if (cpu->claimed > total_overflows(cpu))
			complain(cpu, "more NMIs claimed than there were overflows");
		if (!(sources & SIM_OURS)) {
			cpu->stolen += ours;
			if ((cpu->ticks - cpu->last_overflow) * NS_PER_TICK > 2000000)
				complain(cpu, "somebody else's NMI claimed, long after the last of ours");
		}
	}
	all = ours + foreign_handler(cpu);
	if (!all && sources & SIM_OURS)
		cpu->unknown_ours++;
	cpu->in_nmi = false;
}

void sim_tick(struct sim_cpu *cpu)
{
	cpu->ticks++;
	if (cpu->counting)
		count(cpu);
	arrive(cpu);
	if (cpu->latched && !cpu->in_nmi)
		nmi(cpu);
}

void sim_inject(struct sim_cpu *cpu)
{
	latch(cpu, SIM_EXTERNAL);
	sim_tick(cpu);
}

void sim_settle(struct sim_cpu *cpu)
{
	cpu->counting = false;
	while (cpu->in_flight || cpu->latched)
		sim_tick(cpu);
}

void sim_go(struct sim_cpu *cpu)
{
	cpu->counting = true;
}

void sim_init(struct sim_cpu *cpu, const struct sim_config *config, u64 foreign, u64 silent, u64 seed)
{
	u64 rest = all_counters(config);

	memset(cpu, 0, sizeof(*cpu));
	cpu->config = config;
	cpu->seed = seed * 0x9e3779b97f4a7c15ULL | 1;
	cpu->foreign = foreign & rest;
	cpu->silent = silent & cpu->foreign;
	cpu->global = config->vendor == SIM_AMD ? rest : general_mask(config);
	while (rest) {
		u32 counter = __builtin_ctzll(rest);
		bool theirs = cpu->foreign & ~cpu->silent & BIT_ULL(counter);

		rest &= rest - 1;
		cpu->value[counter] = sim_random(cpu) & ((1ULL << config->bits) - 1);
		if (theirs) {
			cpu->value[counter] = (1ULL << config->bits) - 500;
			cpu->global |= BIT_ULL(counter);
		}
		if (counter >= FIXED)
			cpu->fixed_control |= (theirs ? 0xbULL : 8) << 4 * (counter - FIXED);
		else
			cpu->control[counter] = (sim_random(cpu) & 0xff80ffffULL) |
				(theirs ? EN | INT : 0);
		if (!theirs && has_global(config) && sim_random(cpu) & 1)
			cpu->status |= BIT_ULL(counter);
	}
	cpu->counting = true;
}

/* Registers. */

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
		*counter = FIXED + msr - 0x309;
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
		return false;
	}
}

/* Writes may change our counters' bits in a shared register and no others. */
static void check_shared(struct sim_cpu *cpu, const char *what, u64 was, u64 is, u64 allowed)
{
	if ((was ^ is) & ~allowed)
		complain(cpu, "%s: %llx over %llx, but only %llx is ours", what, is, was, allowed);
}

static u64 fixed_bits(u64 counters)
{
	u64 mask = 0;
	u32 i;

	for (i = 0; i < 16; i++)
		mask |= counters >> (FIXED + i) & 1 ? 0xfULL << 4 * i : 0;
	return mask;
}

static void write_counter(struct sim_cpu *cpu, u32 counter, u64 value)
{
	if (cpu->foreign & BIT_ULL(counter))
		complain(cpu, "counter %u is not ours to write", counter);
	if (value >> cpu->config->bits)
		complain(cpu, "%llx written to a counter of %u bits", value, cpu->config->bits);
	cpu->value[counter] = value & ((1ULL << cpu->config->bits) - 1);
}

static void write_register(struct sim_cpu *cpu, u32 msr, u64 value)
{
	const struct sim_config *c = cpu->config;
	u64 ours = all_counters(c) & ~cpu->foreign;
	u32 counter;

	switch (decode(c, msr, &counter)) {
	case CONTROL:
		if (cpu->foreign & BIT_ULL(counter))
			complain(cpu, "control %u is not ours to write", counter);
		if (c->vendor == SIM_INTEL && value >> 32)
			complain(cpu, "%llx written to an event select register", value);
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
		break;
	case CLEAR:
		check_shared(cpu, "status cleared", 0, value,
			     ours | (cpu->status & (FROZEN | BIT_ULL(58))));
		if (c->version < 4 && c->vendor == SIM_INTEL && value & FROZEN)
			complain(cpu, "version %u has no frozen bit", c->version);
		cpu->status &= ~value;
		if (value & FROZEN)
			cpu->frozen = false;
		break;
	default:
		complain(cpu, "register %x written", msr);
	}
}

u64 oprofile_rdmsr(u32 msr)
{
	u64 value = 0;

	sim_tick(this_cpu);
	if (!read_register(this_cpu, msr, &value))
		complain(this_cpu, "register %x read", msr);
	return value;
}

bool oprofile_rdmsr_safe(u32 msr, u64 *ret)
{
	sim_tick(this_cpu);
	return read_register(this_cpu, msr, ret);
}

void oprofile_wrmsr(u32 msr, u64 value)
{
	sim_tick(this_cpu);
	write_register(this_cpu, msr, value);
}

void oprofile_unmask_pmi(void)
{
	sim_tick(this_cpu);
	this_cpu->masked = false;
}

u64 oprofile_hw_ns(void)
{
	return this_cpu->ticks * NS_PER_TICK;
}

void oprofile_hw_wait_us(void)
{
	int i;

	for (i = 0; i < 1000 / NS_PER_TICK; i++)
		sim_tick(this_cpu);
}

static struct oprofile_cpuid intel_leaf(const struct sim_config *c, u32 leaf)
{
	switch (leaf) {
	case 0:
		return (struct oprofile_cpuid){ 0x1f, 0x756e6547, 0x6c65746e, 0x49656e69 };
	case 1:
		return (struct oprofile_cpuid){ .eax = 0x906ea, .ecx = BIT(15) | (c->virtual ? BIT(31) : 0) };
	case 7:
		return (struct oprofile_cpuid){ .edx = c->core_type ? BIT(15) : 0 };
	case 0xa:
		return (struct oprofile_cpuid){
			.eax = c->version | c->general << 8 | c->bits << 16 | 8 << 24,
			.ebx = c->no_events,
			.ecx = c->version >= 5 ? c->fixed : 0,
			.edx = (c->silent ? 0 : __builtin_ctzll(~c->fixed)) | c->bits << 5 |
				(c->version >= 5 ? BIT(15) : 0),
		};
	case 0x1a:
		return (struct oprofile_cpuid){ .eax = c->core_type << 24 };
	default:
		return (struct oprofile_cpuid){ };
	}
}

static struct oprofile_cpuid amd_leaf(const struct sim_config *c, u32 leaf)
{
	switch (leaf) {
	case 0:
		return (struct oprofile_cpuid){ 0x10, 0x68747541, 0x444d4163, 0x69746e65 };
	case 1:
		return (struct oprofile_cpuid){ .eax = 0xf00 | (c->family - 0xf) << 20 };
	case 0x80000000:
		return (struct oprofile_cpuid){ .eax = 0x80000028 };
	case 0x80000001:
		return (struct oprofile_cpuid){ .ecx = c->core ? BIT(23) : 0 };
	case 0x80000022:
		return (struct oprofile_cpuid){ .eax = c->v2, .ebx = c->v2 ? c->general : 0 };
	default:
		return (struct oprofile_cpuid){ };
	}
}

struct oprofile_cpuid oprofile_cpuid(u32 leaf, u32 subleaf)
{
	const struct sim_config *c = this_cpu->config;

	(void)subleaf;
	return c->vendor == SIM_AMD ? amd_leaf(c, leaf) : intel_leaf(c, leaf);
}
