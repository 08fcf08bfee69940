/* SPDX-License-Identifier: GPL-2.0 */
/*
 * resolve.h -- from a user address to a place in a file, in the context of the task that was hit.
 *
 * The handler takes an errand from its CPU's pool and adds it to the task's own work; the task runs
 * it before its next user instruction, when nothing of its memory map can have changed by its own
 * doing.
 *
 * An NMI may not do that, and returns to user mode without a look at the task's work. It queues an
 * irq_work, whose interrupt the CPU takes as soon as interrupts are on: in user mode a few
 * instructions later at most, else before the task can have left the CPU. Should another task run
 * there all the same, the sample is lost by name; should the task have got as far as another exec,
 * too.
 */
#ifndef OPROFILE_RESOLVE_H
#define OPROFILE_RESOLVE_H

#include <linux/types.h>

struct irq_work;
struct oprofile_cpu;
struct oprofile_hit;
struct oprofile_sampling;

/* An errand's irq_work, for oprofile_resolver_init(). */
void oprofile_resolve_nmi_is_over(struct irq_work *work);

/* No handler runs any more: gives tasks a second to look up what they were asked for. */
void oprofile_resolver_settle(struct oprofile_sampling *s);

/* Queue the current task: called by the handler, NMI or not. Counts the loss when that fails. */
void oprofile_resolve_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit);
/* Ask the current task to make its program's cookie. Best effort. */
void oprofile_resolve_app_later(struct oprofile_cpu *pcpu);
/* The same, and to complete the path of a kernel hit that is counted, in the book of @epoch. */
void oprofile_resolve_path_later(struct oprofile_cpu *pcpu, const struct oprofile_hit *hit, u32 epoch);

#endif
