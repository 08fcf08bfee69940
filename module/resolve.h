/* SPDX-License-Identifier: GPL-2.0 */
/*
 * resolve.h -- resolution of a user address to an offset in a file, by the sampled task.
 *
 * The handler gets a look-up from its CPU's pool and queues it as task work. The task runs the work
 * before its next user instruction, so it cannot have changed its memory map.
 *
 * An NMI handler may not queue task work, and the return from an NMI to user mode does not run it.
 * So the handler queues an irq_work. The CPU takes its interrupt when interrupts are enabled: after
 * a few instructions in user mode, otherwise before the task leaves the CPU. If another task runs
 * then, or the task has executed another program, the sample is counted as lost.
 */
#ifndef OPROFILE_RESOLVE_H
#define OPROFILE_RESOLVE_H

#include <linux/types.h>

struct irq_work;
struct oprofile_cpu;
struct oprofile_hit;
struct oprofile_sampling;

/* The function of a lookup's irq_work, for oprofile_resolver_init(). */
void oprofile_resolve_nmi_is_over(struct irq_work *work);

/* Wait until tasks have finished their look-ups for samples, but at most one second. No handler may
 * be running any more. */
void oprofile_resolver_settle(struct oprofile_sampling *s);

/* Queue a look-up of the hit on the current task, and count the loss if that fails. May be called
 * by handlers, also in NMIs. */
void oprofile_resolve_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit);
/* Request the cookie of the current task's program. The request may fail without notice. */
void oprofile_resolve_app_later(struct oprofile_cpu *pcpu);
/* Request the cookie of the program, and the completion of the call path of a counted kernel hit,
 * in the book of @epoch. The request may fail without notice. */
void oprofile_resolve_path_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit,
				 u32 epoch);

#endif
