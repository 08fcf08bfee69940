// SPDX-License-Identifier: GPL-2.0
/*
 * nmipmu.c -- for virtual machines: simulated counters in memory, and real NMIs.
 *
 * NMIs are sent to CPUs at random times; QEMU may inject more. This module's handler runs before
 * oprofile's and decides which kind an NMI is: an overflow of one or more counters that are
 * counting at that instruction, as hardware would show it; the late interrupt of an overflow that
 * was already handled; another driver's NMI; or an unknown NMI, which must reach the kernel's
 * handlers of unknown NMIs. /proc/nmipmu prints the number of each kind.
 */
#include "nmipmu.h"

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>

#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>

#define GENERAL		8
#define FIXED		4
#define EN		BIT_ULL(22)
#define INT		BIT_ULL(20)
#define IBS_FETCH_CTL	0xc0011030
#define IBS_OP_CTL	0xc0011033
#define IBS_CONTROL	0xc001103a
#define IBS_REGS	16
#define FETCH_MAX	GENMASK_ULL(15, 0)
#define OP_MAX		(GENMASK_ULL(15, 0) | GENMASK_ULL(26, 20))
/* bit in the third register of IBS operations: the address is invalid */
#define OP_NO_RIP	BIT_ULL(38)
/* a value that disables any counter, in any of the enable registers */
#define FRESH		0x54321
/* half of the time for which oprofile expects late interrupts */
#define STILL_OURS_NS	(NSEC_PER_MSEC / 2)

static char *model = "amd";
module_param(model, charp, 0444);
MODULE_PARM_DESC(model, "amd, amd-core, amd-v2, intel1 .. intel5");

static bool inject;
module_param(inject, bool, 0644);
MODULE_PARM_DESC(inject, "send NMIs");

static bool together = true;
module_param(together, bool, 0644);
MODULE_PARM_DESC(together, "several counters may overflow at once");

static uint pause_us = 300;
module_param(pause_us, uint, 0644);
MODULE_PARM_DESC(pause_us, "between NMIs");

static bool no_rip;
module_param(no_rip, bool, 0644);
MODULE_PARM_DESC(no_rip, "IBS does not know where the operations were that it took");

static bool fresh;
module_param(fresh, bool, 0644);
MODULE_PARM_DESC(fresh, "a CPU that comes has other registers than the one that went: FRESH in each");

static bool unknown;
module_param(unknown, bool, 0644);
MODULE_PARM_DESC(unknown, "a CPU of AMD that nobody knows");

static struct {
	bool intel, core, global;
	u32 version, general, fixed, bits;
} pmu;

struct regs {
	u64 control[GENERAL], value[GENERAL], fixed[FIXED];
	u64 global, status, fixed_control;
	u64 ibs[IBS_REGS];
	u32 random;
	/*
	 * number of late interrupts that are still to be sent, whose overflows an earlier NMI has
	 * already reported
	 */
	u32 owed;
	u64 owed_ns;
	unsigned long last_ip;	/* address that the last NMI interrupted */
	/* the last NMI had two handlers, so default_do_nmi() swallows a following unknown NMI */
	bool many;

	u64 nmis, overflows, ibs_samples, owes, late, foreign, quiet, swallowable, idle, unknown, sent;
};

static DEFINE_PER_CPU(struct regs, regs);
static struct task_struct *senders[NR_CPUS];
static enum cpuhp_state comes;

/* Return the address of the simulated register @msr in @r, or NULL if it does not exist. */
static u64 *find(struct regs *r, u32 msr)
{
	if (pmu.intel) {
		if (msr >= 0x186 && msr < 0x186 + pmu.general)
			return &r->control[msr - 0x186];
		if (msr >= 0xc1 && msr < 0xc1 + pmu.general)
			return &r->value[msr - 0xc1];
		if (msr >= 0x4c1 && msr < 0x4c1 + pmu.general)
			return &r->value[msr - 0x4c1];
		if (msr >= 0x309 && msr < 0x309 + pmu.fixed)
			return &r->fixed[msr - 0x309];
		return msr == 0x38d ? &r->fixed_control : msr == 0x38e ? &r->status :
		       msr == 0x38f ? &r->global : NULL;
	}
	if (pmu.core && msr >= 0xc0010200 && msr < 0xc0010200 + 2 * pmu.general)
		return msr & 1 ? &r->value[(msr & 15) / 2] : &r->control[(msr & 15) / 2];
	if (!pmu.core && msr >= 0xc0010000 && msr < 0xc0010008)
		return msr & 4 ? &r->value[msr & 3] : &r->control[msr & 3];
	if (msr >= IBS_FETCH_CTL && msr < IBS_FETCH_CTL + IBS_REGS)
		return &r->ibs[msr - IBS_FETCH_CTL];
	return msr == 0xc0000300 ? &r->status : msr == 0xc0000301 ? &r->global : NULL;
}

/*
 * Advance a counter that is enabled without its interrupt, because oprofile tests in this way
 * whether a counter counts.
 */
static void pass_time(struct regs *r, const u64 *reg)
{
	u32 counter = reg - r->value;

	if (reg >= r->value && counter < GENERAL && (r->control[counter] & (EN | INT)) == EN)
		r->value[counter]++;
}

u64 nmipmu_rdmsr(u32 msr)
{
	u64 *reg = find(this_cpu_ptr(&regs), msr);
	u32 low, high;

	if (msr == 0x345)
		return pmu.version > 3 ? BIT_ULL(13) : 0;
	WARN_ONCE(!reg, "nmipmu: register %x read", msr);
	rdmsr(msr, low, high);
	pass_time(this_cpu_ptr(&regs), reg);
	return reg ? READ_ONCE(*reg) : 0;
}
EXPORT_SYMBOL_GPL(nmipmu_rdmsr);

void nmipmu_wrmsr(u32 msr, u64 value)
{
	struct regs *r = this_cpu_ptr(&regs);
	u64 *reg = find(r, msr);

	wrmsr(msr, (u32)value, value >> 32);
	if (msr == (pmu.intel ? 0x390 : 0xc0000302)) {
		/* a single instruction, so no NMI can interrupt it */
		this_cpu_and(regs.status, ~value);
		return;
	}
	WARN_ONCE(!reg, "nmipmu: register %x written", msr);
	if (!reg)
		return;
	if (pmu.intel && msr >= 0xc1 && msr < 0xc1 + GENERAL)
		value = (u64)(s64)(s32)value & (BIT_ULL(pmu.bits) - 1);
	WRITE_ONCE(*reg, value);
}
EXPORT_SYMBOL_GPL(nmipmu_wrmsr);

void nmipmu_cpuid(u32 leaf, u32 subleaf, struct oprofile_cpuid *r)
{
	cpuid_count(leaf, subleaf, &r->eax, &r->ebx, &r->ecx, &r->edx);
	if (leaf == 0 && READ_ONCE(unknown))
		r->eax = 0;
	if (pmu.intel) {
		if (leaf == 0)
			r->eax = 0xa;
		if (leaf == 1)
			r->ecx |= BIT(15);
		if (leaf == 0xa) {
			r->eax = pmu.version | pmu.general << 8 | pmu.bits << 16;
			r->ebx = 0;
			r->ecx = pmu.version >= 5 ? BIT(pmu.fixed) - 1 : 0;
			r->edx = pmu.fixed | pmu.bits << 5;
		}
		return;
	}
	if (leaf == 0x80000000)
		r->eax = 0x80000022;
	if (leaf == 0x80000001)
		r->ecx = BIT(10) | (pmu.core ? BIT(23) : 0);
	if (leaf == 0x8000001b)
		r->eax = 0xff;
	if (leaf == 0x80000022) {
		r->eax = pmu.global;
		r->ebx = pmu.general;
	}
}
EXPORT_SYMBOL_GPL(nmipmu_cpuid);

static int choose_model(void)
{
	pmu.general = 4;
	pmu.bits = 48;
	if (!strcmp(model, "amd"))
		return 0;
	if (!strncmp(model, "amd-", 4)) {
		pmu.core = true;
		pmu.general = 6;
		pmu.global = !strcmp(model, "amd-v2");
		return 0;
	}
	if (strncmp(model, "intel", 5) || model[5] < '1' || model[5] > '5')
		return -EINVAL;
	pmu.intel = true;
	pmu.version = model[5] - '0';
	pmu.global = pmu.version > 1;
	pmu.fixed = pmu.version > 1 ? 3 + (pmu.version > 4) : 0;
	return 0;
}

/* Return a random number of this CPU. */

static u32 random(struct regs *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 17;
	r->random ^= r->random << 5;
	return r->random;
}

static bool counts(const struct regs *r, u32 counter)
{
	if (counter >= GENERAL)
		return r->global & BIT_ULL(32 + counter - GENERAL) &&
		       r->fixed_control >> 4 * (counter - GENERAL) & 3;
	return (r->control[counter] & (EN | INT)) == (EN | INT) &&
	       (!pmu.global || r->global & BIT_ULL(counter));
}

/* Let up to @max enabled counters overflow. Return the number of overflows. */
static u32 overflow(struct regs *r, u32 max)
{
	u32 i, at = random(r), nr = 0;

	for (i = 0; i < GENERAL + FIXED && nr < max; i++) {
		u32 counter = (at + i) % (GENERAL + FIXED);

		if (!counts(r, counter))
			continue;
		if (counter >= GENERAL)
			r->fixed[counter - GENERAL] = random(r) % 100;
		else
			r->value[counter] = random(r) % 100;
		if (pmu.global)
			r->status |= BIT_ULL(counter < GENERAL ? counter : 32 + counter - GENERAL);
		nr++;
	}
	return nr;
}

/*
 * Write an IBS sample of the interrupted instruction to the registers. Return the number of
 * samples.
 */
static u32 ibs_sample(struct regs *r, const struct pt_regs *pt)
{
	u64 *fetch = &r->ibs[0], *op = &r->ibs[IBS_OP_CTL - IBS_FETCH_CTL];

	if (pmu.intel)
		return 0;
	/* A unit with a maximum of 0 counts nothing: this is the first of the two writes that stop
	 * a unit on family 10h. */
	if (*fetch & BIT_ULL(48) && !(*fetch & BIT_ULL(49)) && *fetch & FETCH_MAX) {
		fetch[1] = pt->ip;
		*fetch |= BIT_ULL(49) | BIT_ULL(50);
		r->ibs_samples++;
		r->many = true;
		return 1;
	}
	if (*op & BIT_ULL(17) && !(*op & BIT_ULL(18)) && *op & OP_MAX) {
		op[1] = READ_ONCE(no_rip) ? random(r) : pt->ip;
		op[2] = random(r) | (READ_ONCE(no_rip) ? OP_NO_RIP : 0);
		*op |= BIT_ULL(18);
		r->ibs_samples++;
		r->many = true;
		return 1;
	}
	return 0;
}

static void send_nmi(int cpu)
{
	apic->send_IPI(cpu, NMI_VECTOR);
}

static int before_oprofile(unsigned int type, struct pt_regs *pt)
{
	struct regs *r = this_cpu_ptr(&regs);
	u32 dice = random(r) % 100, nr;
	bool same;

	r->nmis++;
	same = pt->ip == r->last_ip;
	r->many &= same;
	r->last_ip = pt->ip;
	if (r->owed && ktime_get_mono_fast_ns() - r->owed_ns < STILL_OURS_NS) {
		r->owed--;
		r->late++;
		return NMI_DONE;	/* leave this NMI to oprofile's handler */
	}
	r->owed = 0;
	if (dice < 10) {
		r->foreign++;
		r->many = true;	/* oprofile may claim this other driver's NMI as its own */
		return NMI_HANDLED;
	}
	if (dice < 20) {
		r->quiet++;
		r->swallowable += r->many;
		/* leave this NMI to the kernel's handlers of unknown NMIs */
		return NMI_DONE;
	}
	nr = dice > 85 ? ibs_sample(r, pt) : 0;
	if (!nr) {
		nr = overflow(r, READ_ONCE(together) && dice < 30 ? 3 : 1);
		r->overflows += nr;
	}
	if (!nr) {
		r->idle++;
		return NMI_HANDLED;
	}
	if (nr > 1) {
		r->many = true;
		r->owed = nr - 1;
		r->owes += nr - 1;
		r->owed_ns = ktime_get_mono_fast_ns();
		send_nmi(smp_processor_id());
	}
	return NMI_DONE;
}

/* Count NMIs that no handler has claimed. */
static int on_unknown(unsigned int type, struct pt_regs *pt)
{
	this_cpu_ptr(&regs)->unknown++;
	return NMI_HANDLED;
}

static int sender(void *data)
{
	while (!kthread_should_stop()) {
		usleep_range(pause_us / 2, pause_us);
		if (!READ_ONCE(inject))
			continue;
		preempt_disable();	/* keep the CPU online until the NMI is sent */
		send_nmi(cpumask_nth(get_random_u32() % num_online_cpus(), cpu_online_mask));
		preempt_enable();
	}
	return 0;
}

static bool is_counting(const struct regs *r)
{
	for (u32 i = 0; i < GENERAL + FIXED; i++) {
		if (counts(r, i))
			return true;
	}
	return !pmu.intel && (r->ibs[0] & BIT_ULL(48) || r->ibs[IBS_OP_CTL - IBS_FETCH_CTL] & BIT_ULL(17));
}

int nmipmu_counting(void)
{
	int cpu, nr = 0;

	for_each_possible_cpu(cpu)
		nr += is_counting(per_cpu_ptr(&regs, cpu));
	return nr;
}
EXPORT_SYMBOL_GPL(nmipmu_counting);

static int show(struct seq_file *file, void *data)
{
	struct regs sum = { };
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct regs *r = per_cpu_ptr(&regs, cpu);

		sum.nmis += r->nmis;
		sum.overflows += r->overflows;
		sum.ibs_samples += r->ibs_samples;
		sum.owes += r->owes;
		sum.late += r->late;
		sum.foreign += r->foreign;
		sum.quiet += r->quiet;
		sum.swallowable += r->swallowable;
		sum.idle += r->idle;
		sum.unknown += r->unknown;
	}
	seq_printf(file, "nmis %llu\noverflows %llu\nowes %llu\nlate %llu\nforeign %llu\n", sum.nmis,
		   sum.overflows, sum.owes, sum.late, sum.foreign);
	seq_printf(file, "ibs %llu\nquiet %llu\nswallowable %llu\nidle %llu\nunknown %llu\ncounting %d\n",
		   sum.ibs_samples, sum.quiet, sum.swallowable, sum.idle, sum.unknown, nmipmu_counting());
	/* Print the contents of the registers, so that a test can check whether they were
	 * restored. */
	for_each_possible_cpu(cpu) {
		const struct regs *r = per_cpu_ptr(&regs, cpu);

		seq_printf(file, "registers %d %llx %llx", cpu, r->global, r->fixed_control);
		for (int i = 0; i < GENERAL; i++)
			seq_printf(file, " %llx:%llx", r->control[i], r->value[i]);
		for (int i = 0; i < FIXED; i++)
			seq_printf(file, " %llx", r->fixed[i]);
		seq_printf(file, " %llx %llx", r->ibs[0], r->ibs[IBS_OP_CTL - IBS_FETCH_CTL]);
		seq_putc(file, '\n');
	}
	return 0;
}

static void stop_senders(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (senders[cpu])
			kthread_stop(senders[cpu]);
	}
}

static int start_senders(void)
{
	int cpu;

	for_each_online_cpu(cpu) {
		struct task_struct *task = kthread_create(sender, NULL, "nmipmu/%d", cpu);

		if (IS_ERR(task)) {
			stop_senders();
			return PTR_ERR(task);
		}
		kthread_bind(task, cpu);
		senders[cpu] = task;
		wake_up_process(task);
	}
	return 0;
}

static int on_cpu_comes(unsigned int cpu)
{
	struct regs *r = per_cpu_ptr(&regs, cpu);

	for (u32 i = 0; READ_ONCE(fresh) && i < pmu.general; i++)
		r->control[i] = r->value[i] = FRESH;
	return 0;
}

static int __init nmipmu_init(void)
{
	int cpu, i, err = choose_model();

	if (err)
		return err;
	err = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "nmipmu:comes", on_cpu_comes, NULL);
	if (err < 0)
		return err;
	comes = err;
	for_each_possible_cpu(cpu) {
		struct regs *r = per_cpu_ptr(&regs, cpu);

		r->random = get_random_u32() | 1;
		r->global = BIT_ULL(pmu.general) - 1;
		for (i = 0; i < pmu.general; i++) {
			r->control[i] = get_random_u32() & 0x80ffff;
			r->value[i] = (u32)get_random_u32() >> 1;
		}
		for (i = 0; i < pmu.fixed; i++)
			r->fixed[i] = get_random_u32();
		r->ibs[0] = r->ibs[IBS_OP_CTL - IBS_FETCH_CTL] = get_random_u32() & 0xffff;
		r->ibs[IBS_CONTROL - IBS_FETCH_CTL] = BIT_ULL(8);
	}
	err = register_nmi_handler(NMI_LOCAL, before_oprofile, NMI_FLAG_FIRST, "nmipmu");
	if (err)
		goto err_remove_state;
	err = register_nmi_handler(NMI_UNKNOWN, on_unknown, NMI_FLAG_FIRST, "nmipmu");
	if (err)
		goto err_unregister_local;
	err = start_senders();
	if (err)
		goto err_unregister_unknown;
	if (!proc_create_single("nmipmu", 0444, NULL, show)) {
		err = -ENOMEM;
		goto err_stop_senders;
	}
	return 0;

err_stop_senders:
	stop_senders();
err_unregister_unknown:
	unregister_nmi_handler(NMI_UNKNOWN, "nmipmu");
err_unregister_local:
	unregister_nmi_handler(NMI_LOCAL, "nmipmu");
err_remove_state:
	cpuhp_remove_state_nocalls(comes);
	return err;
}

static void __exit nmipmu_exit(void)
{
	remove_proc_entry("nmipmu", NULL);
	stop_senders();
	unregister_nmi_handler(NMI_UNKNOWN, "nmipmu");
	unregister_nmi_handler(NMI_LOCAL, "nmipmu");
	cpuhp_remove_state_nocalls(comes);
}

module_init(nmipmu_init);
module_exit(nmipmu_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For oprofile's tests: counters in memory, and NMIs");
