/* SPDX-License-Identifier: GPL-2.0 */
/*
 * resolve.h -- resolution of a user address to an offset in a file, by the sampled task.
 *
 * The handler allocates a lookup from its CPU's pool and queues it as task_work. The task runs the
 * lookup before its next user instruction, so the task cannot have changed its memory map since the
 * sample.
 *
 * An NMI handler may not queue task_work, and the return from an NMI to user mode does not run
 * task_work. So the handler queues an irq_work. Its interrupt comes as soon as interrupts are
 * enabled: after a few instructions in user mode, otherwise before the task leaves the CPU. If
 * another task is running then, or the task has executed another program, the sample is counted as
 * lost.
 */
#ifndef OPROFILE_RESOLVE_H
#define OPROFILE_RESOLVE_H

#include <linux/types.h>

#include "hit.h"

struct irq_work;
struct mm_struct;
struct oprofile_cpu;
struct oprofile_hit;
struct oprofile_lookup;
struct oprofile_sampling;

/* Function of a lookup's irq_work. Declared here for oprofile_resolver_init(). */
void oprofile_resolve_nmi_is_over(struct irq_work *work);

/* Wait at most one second until tasks have finished the lookups of samples. No handler may run any
 * more. */
void oprofile_resolver_wait(struct oprofile_sampling *s);

/* Queue a lookup of the hit on the current task; if that fails, count the sample as lost. May be
 * called by handlers, also in NMIs. */
void oprofile_resolve_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit);
/* If the lookup @p is queued on the current task for a sample of the event @event at the user-mode
 * address @pc, add @n to that sample and return true. @p may be NULL, or a lookup of this run that
 * has ended. Called with interrupts off. */
bool oprofile_resolve_again(struct oprofile_lookup *p, unsigned long pc, u32 event, u64 n);
/* Queue a lookup on the current task that finds the cookie of the task's program. This may fail
 * silently. */
void oprofile_resolve_app_later(struct oprofile_cpu *pcpu);
/*
 * Queue a lookup on the current task that finds the cookie of the task's program and completes the
 * call path of a kernel hit. The hit is counted already, with the known part of its path in the
 * book of @epoch. This may fail silently.
 */
void oprofile_resolve_path_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit,
				 u32 epoch);

/* The mapping of an address of a program, the generation of the memory map for which it is valid,
 * and the cookie of the program. */
struct oprofile_resolved {
	struct oprofile_place place;
	u64 generation;
	u64 app;
};

/*
 * Find the program of @mm, and the mapping of @pc in it; with call paths, read all mappings
 * instead. @mm belongs to another process, @tgid, with the current task's root directory. @payer:
 * its payer (payer.h). Process context; does not wait for the other process. Return false if the
 * mapping is unknown, or the map is being changed.
 */
bool oprofile_resolve_other(struct oprofile_sampling *s, struct mm_struct *mm, unsigned long pc,
			    u64 payer, pid_t tgid, struct oprofile_resolved *to);

#endif
