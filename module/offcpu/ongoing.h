/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu/ongoing.h -- samples of waits that go on at a dump or at the stop, for their time so far.
 *
 * A dump walks the table of threads. It finds the place of a wait without the entry's lock, because
 * reading the mappings of the thread's program may sleep. Then it locks the entry, checks that the
 * wait is still the same, adds the time so far to the account, and sets the begin of the wait to
 * the present.
 *
 * The stop does the same before it detaches the probe of context switches. Without the probe, the
 * thread of an entry could run and end without a change of the entry, whose pointer to the task
 * would then be invalid.
 */
#ifndef OPROFILE_OFFCPU_ONGOING_H
#define OPROFILE_OFFCPU_ONGOING_H

#include <linux/types.h>

struct oprofile_sampling;

/*
 * Add the due samples of waits that go on to this CPU's table. @begin: walk the whole table of
 * threads; otherwise complete an incomplete walk, if there is one. Return true if the walk is
 * incomplete because the CPU's table needs to be drained: the caller drains it and calls again,
 * with @begin false. Process context; the sampling's lock is held, and the probe is attached.
 */
bool oprofile_ongoing_sample(struct oprofile_sampling *s, bool begin);

#endif
