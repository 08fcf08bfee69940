/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/native.h -- private data of the native backend. backend_native.c owns them; nmi.c starts,
 * stops and handles the counters; ibs_session.c does the same for IBS; machine.c handles suspend,
 * reboot and panic.
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
	/* reason why this CPU cannot count; NULL: this CPU can count */
	const char *why;
	bool counting;
};

/*
 * Data of the native backend. The sampling's lock protects all members except `asleep` and `dead`:
 * notifiers write these two, and each CPU reads them before it starts to count.
 */
struct native_backend {
	struct native_cpu __percpu *cpu;
	struct oprofile_sampling *s;
	/* the counters of the CPU on which probe() ran: their kind, and the numbers of their
	 * registers */
	struct oprofile_pmu pmu;
	u64 reserved;			/* mask of the counters that the module has reserved */
	/* settings of the directories ibs_fetch/ and ibs_op/ */
	struct oprofile_ibs_wish fetch, op;
	bool asleep;			/* whether the machine is suspended or about to be */
	/* whether the machine is being rebooted or has panicked, so that no counter may run */
	bool dead;
	struct notifier_block pm, reboot, panic;
};

/* Start and stop counting on the current CPU, or switch groups. Interrupts are off. */
void oprofile_native_start_here(struct oprofile_sampling *s);
void oprofile_native_stop_here(struct oprofile_sampling *s);
void oprofile_native_switch_group(struct oprofile_sampling *s);

/* Register and unregister the NMI handler. Unregister it only after all CPUs have stopped
 * counting. */
int oprofile_native_register_nmi(struct native_backend *b);
void oprofile_native_unregister_nmi(struct native_backend *b);

/* Register and unregister the notifier that stops counting during suspends. Return 0 or a negative
 * errno. */
int oprofile_watch_sleep(struct native_backend *b);
void oprofile_unwatch_sleep(struct native_backend *b);
/* Register and unregister the notifiers that stop counting at reboot, kexec and panic. Their
 * callers hold the sampling's lock and wait for running notifiers, so a notifier must not take this
 * lock. */
int oprofile_watch_machine(struct native_backend *b);
void oprofile_unwatch_machine(struct native_backend *b);

/* Create the directories ibs_fetch/ and ibs_op/ if the CPU has IBS. */
void oprofile_ibs_init(struct native_backend *b);
int oprofile_ibs_create_files(struct native_backend *b, struct dentry *root);
/* Return whether user space has enabled fetch or op sampling. */
bool oprofile_ibs_is_enabled(const struct native_backend *b);

/* Save and restore the registers of IBS on the current CPU, with interrupts off.
 * oprofile_ibs_save_here() returns NULL, or a text that says why IBS cannot be used. */
const char *oprofile_ibs_save_here(struct native_backend *b, struct native_cpu *nc);
void oprofile_ibs_start_here(struct native_cpu *nc);
void oprofile_ibs_stop_here(struct native_cpu *nc);

/* Add the pending samples of IBS to the table, in an NMI. Return their number. */
u32 oprofile_ibs_nmi(struct native_backend *b, struct native_cpu *nc, struct pt_regs *regs);

#endif
