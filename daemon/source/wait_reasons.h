/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_reasons.h -- reason and place of a wait, from the kernel functions on the thread's stack.
 *
 * perf_events does not record the system call in which a thread waits. The functions on the
 * kernel's stack identify the call: __x64_sys_futex, ksys_read, ... /proc/kallsyms has their
 * addresses.
 */
#ifndef OPD_WAIT_REASONS_H
#define OPD_WAIT_REASONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opd_perf_regs;
struct opd_wait_reasons;

/* Read the addresses of functions from @kallsyms, a file in the format of /proc/kallsyms. Return 0
 * or a negative errno; -ENODATA: the file does not show addresses to this process. */
int opd_wait_reasons_create(struct opd_wait_reasons **ret, const char *kallsyms);
void opd_wait_reasons_destroy(struct opd_wait_reasons *r);	/* @r may be NULL. */

/* Return the reason of a wait, an enum oprofile_offcpu_reason. @stack: the @nr return addresses of
 * the kernel's stack, innermost first. @user: the thread belongs to a program. @regs: its user-mode
 * registers, or NULL. */
unsigned int opd_wait_reason(const struct opd_wait_reasons *r, const uint64_t *stack, size_t nr,
			     bool user, const struct opd_perf_regs *regs);

/* Return the index of the innermost function of @stack that called the scheduler: the frames before
 * this index belong to the scheduler. Return 0 if the stack has no function of the scheduler, or
 * only such functions. */
size_t opd_wait_place(const struct opd_wait_reasons *r, const uint64_t *stack, size_t nr);

/* Return whether the thread with this stack has exited and leaves its CPU for the last time. */
bool opd_wait_is_death(const struct opd_wait_reasons *r, const uint64_t *stack, size_t nr);

/* Set *@start and *@end to the addresses of the section of the functions that wait on behalf of
 * their callers; 0: unknown. */
void opd_wait_scheduler(const struct opd_wait_reasons *r, uint64_t *start, uint64_t *end);

/* Set *@start and *@end to the addresses of the kernel's functions that wake threads on behalf of
 * their callers: try_to_wake_up(), complete(), ...; 0: unknown. */
void opd_wait_waking(const struct opd_wait_reasons *r, uint64_t *start, uint64_t *end);

#endif
