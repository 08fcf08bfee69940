// SPDX-License-Identifier: GPL-2.0
/* cpu.c -- the simulated CPU: time, counting, overflows, and the resulting NMIs. */
#include "cpu.h"

#include <stdarg.h>
#include <stdio.h>

#include "sim.h"

u64 sim_random(struct sim_cpu *cpu)
{
	cpu->seed ^= cpu->seed << 13;
	cpu->seed ^= cpu->seed >> 7;
	cpu->seed ^= cpu->seed << 17;
	return cpu->seed;
}

void sim_set_error(struct sim_cpu *cpu, const char *format, ...)
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

u64 sim_limit(const struct sim_config *c, u32 counter)
{
	return 1ULL << (counter >= SIM_FIXED && c->fixed_bits ? c->fixed_bits : c->bits);
}

u64 sim_all_counters(const struct sim_config *c)
{
	return general_mask(c) | c->fixed << SIM_FIXED;
}

u64 sim_status_others(const struct sim_config *c)
{
	if (!has_global(c))
		return 0;
	return c->vendor == SIM_AMD ? ~(general_mask(c) | SIM_FROZEN | SIM_FROZEN >> 1) :
		BIT_ULL(55) | GENMASK_ULL(63, 60);
}

static u64 lag(struct sim_cpu *cpu)
{
	return sim_random(cpu) % (cpu->config->lag ?: 5);
}

u64 sim_enabled(const struct sim_cpu *cpu)
{
	const struct sim_config *c = cpu->config;
	u64 rest = sim_all_counters(c), enabled = 0;

	if (cpu->frozen)
		return 0;
	if (has_global(c))
		rest &= cpu->global;
	while (rest) {
		u32 counter = __builtin_ctzll(rest);
		u64 bits = counter >= SIM_FIXED ? cpu->fixed_control >> 4 * (counter - SIM_FIXED) & 3 :
			cpu->control[counter] & SIM_EN;

		rest &= rest - 1;
		enabled |= bits ? BIT_ULL(counter) : 0;
	}
	return enabled;
}

void sim_stopped(struct sim_cpu *cpu, u64 enabled_before)
{
	if (cpu->ticks >= cpu->lingers_until)
		cpu->lingering = 0;
	enabled_before &= ~sim_enabled(cpu);
	if (!enabled_before)
		return;
	cpu->lingering |= enabled_before;
	cpu->lingers_until = cpu->ticks + lag(cpu);
}

static bool interrupts(const struct sim_cpu *cpu, u32 counter)
{
	if (cpu->lingering & BIT_ULL(counter))
		return true;
	if (counter >= SIM_FIXED)
		return cpu->fixed_control >> 4 * (counter - SIM_FIXED) & 8;
	return cpu->control[counter] & SIM_INT;
}

/*
 * Return the tick at which an interrupt arrives. Some interrupts are late by up to 20 or 100 ms
 * (.stragglers).
 */
static u64 arrival(struct sim_cpu *cpu)
{
	const struct sim_config *c = cpu->config;

	if (!c->stragglers || sim_random(cpu) % c->stragglers)
		return cpu->ticks + sim_random(cpu) % (c->latest + 1);
	return cpu->ticks + SIM_TICKS_PER_MS * (1 + sim_random(cpu) % (sim_random(cpu) & 0x100 ? 20 : 100));
}

/*
 * Send the interrupt of a counter's overflow. If the counter's earlier interrupt has not arrived
 * yet, the new one is lost.
 */
void sim_send(struct sim_cpu *cpu, u32 counter, u32 source)
{
	struct sim_interrupt *i;

	for (i = cpu->flight; i < cpu->flight + cpu->in_flight; i++) {
		if (i->counter == counter)
			return;
	}
	cpu->in_flight++;
	i->source = source;
	i->counter = counter;
	i->at = arrival(cpu);
}

/*
 * Set the counter's bit in the status register. At this moment, and not when the NMI arrives, the
 * APIC decides whether to send an interrupt.
 */
static void set_status(struct sim_cpu *cpu, u32 counter)
{
	bool ours = !(cpu->foreign & BIT_ULL(counter)), shown = cpu->status & BIT_ULL(counter);

	if (has_global(cpu->config))
		cpu->status |= BIT_ULL(counter) | (sim_random(cpu) & sim_random(cpu) & sim_status_others(cpu->config));
	if (!interrupts(cpu, counter) || shown)
		/* it is not known whether CPUs send another interrupt in this case */
		return;
	if (cpu->config->freezes) {
		cpu->frozen = true;
		cpu->status |= SIM_FROZEN;
	}
	if (cpu->lvtpc & SIM_LVTPC_MASKED)
		return;		/* no interrupt is sent */
	if (!(cpu->lvtpc & SIM_LVTPC_NMI))
		sim_set_error(cpu, "an interrupt by vector 0");
	cpu->lvtpc |= cpu->config->masks ? SIM_LVTPC_MASKED : 0;
	sim_send(cpu, counter, ours ? SIM_OURS : SIM_FOREIGN);
}

static void set_due_status(struct sim_cpu *cpu)
{
	u64 rest = cpu->showing;

	while (rest) {
		u32 counter = __builtin_ctzll(rest);

		rest &= rest - 1;
		if (cpu->shows_at[counter] > cpu->ticks)
			continue;
		cpu->showing &= ~BIT_ULL(counter);
		set_status(cpu, counter);
	}
}

static void overflow(struct sim_cpu *cpu, u32 counter)
{
	if (!(cpu->foreign & BIT_ULL(counter))) {
		cpu->overflows[counter] += cpu->too_close & BIT_ULL(counter) ? 2 : 1;
		cpu->last_overflow = cpu->ticks;
	} else {
		cpu->foreign_overflows++;
	}
	cpu->shows_at[counter] = cpu->ticks + lag(cpu);
	cpu->showing |= BIT_ULL(counter);
}

/* Return how often the event occurs in 64 ticks. */
u32 sim_event_rate(const struct sim_config *c, u32 code, u32 unit_mask)
{
	if (c->vendor == SIM_AMD)
		return c->family >= 0x17 && code == 0x003 ? 20 * 64 : 96;
	return code == 0x3c && unit_mask == 1 ? 16 : 96;
}

/* Return how many events the counter counts in this tick. */
static u64 events_in_tick(const struct sim_cpu *cpu, u32 counter, u64 random)
{
	const struct sim_config *c = cpu->config;
	u64 control = cpu->control[counter];

	if (c->vendor == SIM_AMD && c->family >= 0x17 && (control & (0xfULL << 32 | 0xff)) == 0x003)
		return 15;	/* the maximum per tick, which only a single counter can count */
	if (c->vendor == SIM_INTEL && counter == SIM_FIXED + 2)
		return 2;	/* counts at the rate of the TSC */
	if (c->vendor == SIM_INTEL && counter < SIM_FIXED && (control & 0xffff) == 0x013c)
		return cpu->ticks % 4 == 0;	/* counts at the rate of the bus */
	return random & 3;
}

/* Return the mask of counters that count now. A stop takes effect after a short delay. */
static u64 counting(const struct sim_cpu *cpu)
{
	return sim_enabled(cpu) | (cpu->ticks < cpu->lingers_until ? cpu->lingering : 0);
}

static void count(struct sim_cpu *cpu)
{
	u64 all = sim_all_counters(cpu->config), rest = counting(cpu), random = sim_random(cpu);

	while (rest) {
		u32 counter = __builtin_ctzll(rest);
		u32 before = hweight64(all & (BIT_ULL(counter) - 1));
		u64 limit = sim_limit(cpu->config, counter);
		u64 step = events_in_tick(cpu, counter, random >> 2 * before % 64);

		rest &= rest - 1;
		cpu->counted[counter] += step;
		cpu->counted_in_nmi += cpu->in_nmi && !(cpu->foreign & BIT_ULL(counter)) ? step : 0;
		if (cpu->expected[counter] && cpu->control[counter] & SIM_INT &&
		    cpu->expected[counter] != (cpu->control[counter] & 0xffff))
			cpu->miscounted += step;
		cpu->value[counter] += step;
		if (cpu->wrap_at[counter] == cpu->ticks)
			cpu->value[counter] = limit;
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

static void deliver_arrived(struct sim_cpu *cpu)
{
	u32 i;

	for (i = 0; i < cpu->in_flight; i++) {
		struct sim_interrupt arrived = cpu->flight[i];

		if (arrived.at > cpu->ticks)
			continue;
		cpu->flight[i--] = cpu->flight[--cpu->in_flight];
		latch(cpu, arrived.source);
	}
}

static bool wrapped(const struct sim_cpu *cpu, u32 counter)
{
	return cpu->value[counter] < sim_limit(cpu->config, counter) / 2;
}

u64 sim_overflowed(const struct sim_cpu *cpu)
{
	u64 rest = sim_all_counters(cpu->config), found = 0;

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

/* The other user of the counters handles overflows in the usual way: restarts the counter and
 * clears its status. */
static u32 foreign_handler(struct sim_cpu *cpu)
{
	u64 mine = sim_overflowed(cpu) & cpu->foreign & ~cpu->silent, rest = mine;

	while (rest) {
		u32 counter = __builtin_ctzll(rest);

		rest &= rest - 1;
		cpu->value[counter] = sim_limit(cpu->config, counter) - 500;
		cpu->foreign_handled++;
	}
	cpu->status &= ~mine;
	if (mine) {
		cpu->frozen = false;
		cpu->lvtpc = SIM_LVTPC_NMI;
		cpu->status &= ~SIM_FROZEN;
	}
	return hweight64(mine);
}

static u64 total_overflows(const struct sim_cpu *cpu)
{
	u64 sum = 0;

	for (int i = 0; i < SIM_COUNTERS; i++)
		sum += cpu->overflows[i];
	for (int i = 0; i < SIM_IBS_UNITS; i++)
		sum += cpu->ibs[i].samples + cpu->ibs[i].stops;
	return sum;
}

/*
 * perf only traces with intel_pt here. Its handler treats all counters as perf's own, and may leave
 * them stopped.
 */
static void perf_handler(struct sim_cpu *cpu)
{
	u64 enabled = sim_enabled(cpu);

	cpu->status = 0;
	cpu->frozen = false;
	cpu->global = sim_random(cpu) & 0x100 ? sim_all_counters(cpu->config) : 0;
	cpu->lvtpc = SIM_LVTPC_NMI;
	sim_stopped(cpu, enabled);
}

/* Return for how many ms after the last overflow the module may claim an NMI as its late one. */
static u32 longest_claim(const struct sim_cpu *cpu)
{
	return cpu->config->vendor == SIM_AMD ? 201 : 2;
}

/*
 * Like default_do_nmi(): return whether an NMI without a handler is swallowed, because the last NMI
 * had several handlers.
 */
static bool is_swallowed(struct sim_cpu *cpu, u32 handled, bool back_to_back)
{
	if (!back_to_back)
		cpu->swallow = false;
	if (handled > 1)
		cpu->swallow = true;
	return !handled && cpu->swallow;
}

static void nmi(struct sim_cpu *cpu)
{
	u32 sources = cpu->sources, ours, all;
	bool back_to_back = cpu->ticks - cpu->nmi_end <= 1;
	bool overflowed = sim_overflowed(cpu) & ~cpu->foreign || sim_ibs_waits(cpu);

	cpu->latched = false;
	cpu->sources = 0;
	cpu->in_nmi = true;
	cpu->nmi_begin = cpu->ticks;
	cpu->nmis++;
	if (sources & SIM_EXTERNAL)
		cpu->external_nmis++;
	if (cpu->config->perf)
		perf_handler(cpu);
	ours = cpu->handler(cpu->data);
	if (ours) {
		cpu->claimed++;
		cpu->claims += ours;
		if (cpu->claimed > total_overflows(cpu) * (cpu->config->vendor == SIM_AMD ? 2 : 1))
			sim_set_error(cpu, "more NMIs claimed than overflows can explain");
		if (!(sources & SIM_OURS)) {
			cpu->stolen += ours;
			cpu->mistaken += !overflowed;
			if (cpu->ticks - cpu->last_overflow > longest_claim(cpu) * SIM_TICKS_PER_MS)
				sim_set_error(cpu, "somebody else's NMI claimed, long after the last of ours");
		}
	}
	all = ours + foreign_handler(cpu) + sim_ibs_foreign_handler(cpu);
	if (!is_swallowed(cpu, all, back_to_back) && !all && sources & SIM_OURS)
		cpu->unknown_ours++;
	cpu->nmi_end = cpu->ticks;
	cpu->in_nmi = false;
}

void sim_tick(struct sim_cpu *cpu)
{
	cpu->ticks++;
	cpu->ticks_in_nmi += cpu->in_nmi;
	if (cpu->counting && !cpu->config->stands) {
		count(cpu);
		if (cpu->config->ibs)
			sim_ibs_count(cpu);
	}
	if (cpu->showing)
		set_due_status(cpu);
	deliver_arrived(cpu);
	if (cpu->ticks == cpu->external_at)
		latch(cpu, SIM_EXTERNAL);
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
	u64 next;
	u32 i;

	cpu->counting = false;
	while (cpu->in_flight || cpu->latched || cpu->showing) {
		for (i = 0, next = ~0ULL; i < cpu->in_flight; i++)
			next = min(next, cpu->flight[i].at);
		if (!cpu->latched && !cpu->showing && next > cpu->ticks)
			cpu->ticks = next - 1;
		sim_tick(cpu);
	}
}

void sim_go(struct sim_cpu *cpu)
{
	cpu->counting = true;
}

void sim_sleep(struct sim_cpu *cpu)
{
	memset(cpu->control, 0, sizeof(cpu->control));
	memset(cpu->value, 0, sizeof(cpu->value));
	if (has_global(cpu->config))
		cpu->global = cpu->status = cpu->fixed_control = 0;
	cpu->frozen = false;
	cpu->lvtpc = SIM_LVTPC_MASKED;
	cpu->ibs[SIM_IBS_FETCH].control = cpu->ibs[SIM_IBS_OP].control = 0;
	cpu->ibs_by_nmi = false;
}

void sim_leave_status(struct sim_cpu *cpu)
{
	if (has_global(cpu->config))
		cpu->status |= sim_random(cpu) & ~cpu->foreign &
			(sim_all_counters(cpu->config) | sim_status_others(cpu->config));
}

void sim_skip_ms(struct sim_cpu *cpu, u32 ms)
{
	cpu->ticks += ms * SIM_TICKS_PER_MS;
}

void sim_init(struct sim_cpu *cpu, const struct sim_config *config, u64 foreign, u64 silent, u64 seed)
{
	u64 rest = sim_all_counters(config);

	memset(cpu, 0, sizeof(*cpu));
	cpu->config = config;
	cpu->seed = seed * 0x9e3779b97f4a7c15ULL | 1;
	cpu->foreign = foreign & rest;
	cpu->silent = silent & cpu->foreign;
	cpu->ibs_speed = 1;
	cpu->global = config->vendor == SIM_AMD ? rest : general_mask(config);
	while (rest) {
		u32 counter = __builtin_ctzll(rest);
		bool theirs = cpu->foreign & ~cpu->silent & BIT_ULL(counter);

		rest &= rest - 1;
		cpu->value[counter] = sim_random(cpu) & (sim_limit(config, counter) - 1);
		if (theirs) {
			cpu->value[counter] = sim_limit(config, counter) - 500;
			cpu->global |= BIT_ULL(counter);
		}
		if (counter >= SIM_FIXED)
			cpu->fixed_control |= (theirs ? 0xbULL : 8) << 4 * (counter - SIM_FIXED);
		else
			cpu->control[counter] = (sim_random(cpu) & 0xff80ffffULL) |
				(theirs ? SIM_EN | SIM_INT : 0);
		if (!theirs && has_global(config) && sim_random(cpu) & 1)
			cpu->status |= BIT_ULL(counter);
	}
	/*
	 * Initial LVTPC: as a kernel with perf leaves it, or a random one; the last value is that
	 * after a late interrupt.
	 */
	cpu->lvtpc = cpu->foreign & ~cpu->silent ? SIM_LVTPC_NMI : ((u32[]){
		SIM_LVTPC_NMI, SIM_LVTPC_MASKED, SIM_LVTPC_NMI | SIM_LVTPC_MASKED,
	})[seed % 3];
	cpu->counting = true;
}
