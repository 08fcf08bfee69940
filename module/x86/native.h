/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/native.h -- the native backend's own: backend_native.c has it, nmi.c is its part that counts,
 * ibs_session.c that for IBS, machine.c that for suspend, reboot and panic.
 */
#ifndef OPROFILE_X86_NATIVE_H
#define OPROFILE_X86_NATIVE_H

#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "x86/ibs.h"
#include "x86/pmu.h"

struct dentry;
struct oprofile_sampling;
struct pt_regs;

struct native_cpu {
	struct oprofile_pmu pmu;
	struct oprofile_ibs ibs;
	struct oprofile_sampling *s;
	const char *why;		/* detect: why it cannot, or NULL */
	bool counting;
};

/*
 * The sampling's lock protects all but `asleep` and `dead`: notifiers write those two, and each CPU
 * reads them before it starts to count.
 */
struct native_backend {
	struct native_cpu __percpu *cpu;
	struct oprofile_sampling *s;
	/* of the CPU that probe() ran on; for its registers' numbers */
	struct oprofile_pmu pmu;
	u64 reserved;			/* counters */
	struct oprofile_ibs_wish fetch, op;	/* files ibs_fetch/, ibs_op/ */
	bool asleep;			/* the machine is or will be suspended */
	bool dead;			/* the machine ends: no counter may run any more */
	struct notifier_block pm, reboot, panic;
};

/* This CPU counts, or no longer does: interrupts off. */
void oprofile_native_start_here(struct oprofile_sampling *s);
void oprofile_native_stop_here(struct oprofile_sampling *s);
void oprofile_native_switch_group(struct oprofile_sampling *s);

/* Between these our handler sees each NMI. Before it is unregistered, every CPU has stopped
 * counting. */
int oprofile_native_register_nmi(struct native_backend *b);
void oprofile_native_unregister_nmi(struct native_backend *b);

/* Between these, nothing counts while the machine sleeps. 0, or a negative errno. */
int oprofile_watch_sleep(struct native_backend *b);
void oprofile_unwatch_sleep(struct native_backend *b);
/* Between these, nothing counts once the machine ends. Callers hold the sampling's lock, so the
 * notifiers, which are waited for, may not take it. */
int oprofile_watch_machine(struct native_backend *b);
void oprofile_unwatch_machine(struct native_backend *b);

/* Files ibs_fetch/ and ibs_op/, where the CPU has IBS. */
void oprofile_ibs_init(struct native_backend *b);
int oprofile_ibs_create_files(struct native_backend *b, struct dentry *root);
/* Whether fetches or operations are to be sampled. */
bool oprofile_ibs_wanted(const struct native_backend *b);

/* On the CPU, interrupts off. save: NULL, or why not. */
const char *oprofile_ibs_save_here(struct native_backend *b, struct native_cpu *nc);
void oprofile_ibs_start_here(struct native_cpu *nc);
void oprofile_ibs_stop_here(struct native_cpu *nc);

/* In an NMI: stores the samples there are, returns how many. */
u32 oprofile_ibs_nmi(struct native_backend *b, struct native_cpu *nc, struct pt_regs *regs);

#endif
