/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/held.h -- static keys and probes that are kept enabled for a while, because changing
 * them patches kernel text.
 *
 * perf has a static key for each kind of software event: the first event of a kind enables code,
 * and the last one disables it. Each change patches text and interrupts all CPUs, and any user may
 * make and free slots. So the first slot of a kind makes an additional event, which never counts
 * and is kept until there have been no slots for some seconds. The probe for moved counters is kept
 * in the same way.
 */
#ifndef VPERFCTR_HELD_H
#define VPERFCTR_HELD_H

#include <linux/types.h>

struct perf_event;
struct vperfctr_control;

/* Called before the slots of @control are made. Sleeps. Return 0 or a negative errno. */
int vperfctr_hold(const struct vperfctr_control *control);
/* Enable the probe for moved counters, after vperfctr_hold(). Sleeps. Return false if that is
 * not possible. */
bool vperfctr_hold_probe(void);
/* Called after the slots of an object have been freed. */
void vperfctr_unhold(void);

/* Set the function @moved for vperfctr_probe_begin(). */
void vperfctr_held_init(void (*moved)(struct perf_event *event));
void vperfctr_held_exit(void);

#endif
