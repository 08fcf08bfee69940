/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * priority.h -- CPU priority of the thread that reads the buffers of samples.
 */
#ifndef OPD_PRIORITY_H
#define OPD_PRIORITY_H

#define OPD_PRIORITY_NICE	(-10)

/*
 * Set the nice value of the calling thread to OPD_PRIORITY_NICE. Threads and processes that it
 * starts have the nice value 0. Return 0; -EPERM or -EACCES if the caller lacks the privilege; or
 * -EALREADY if the thread already has a nice value other than 0 or a policy other than
 * SCHED_OTHER, which an administrator must have chosen: the function then changes nothing.
 */
int opd_priority_raise(void);

/* Undo a successful opd_priority_raise(). */
void opd_priority_restore(void);

#endif
