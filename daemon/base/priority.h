/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * priority.h -- priority of the thread that drains buffers of samples.
 */
#ifndef OPD_PRIORITY_H
#define OPD_PRIORITY_H

#define OPD_PRIORITY_NICE	(-10)

/*
 * Give the calling thread the nice value OPD_PRIORITY_NICE. Threads and processes that the thread
 * starts have the nice value 0. Return 0, -EPERM or -EACCES if the caller lacks the right, or
 * -EALREADY if the thread has a nice value other than 0 or a scheduling policy other than
 * SCHED_OTHER: the thread then keeps them, because somebody chose them.
 */
int opd_priority_raise(void);

/* Undo a successful call of opd_priority_raise(). */
void opd_priority_restore(void);

#endif
