/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/held.h -- delayed disabling of static keys and probes, because changing them patches
 * kernel text.
 *
 * perf has a static key for each kind of software event: the first event of a kind enables code,
 * and the last one disables it. Each change patches text and interrupts all CPUs, and any user may
 * create and free slots. So the first slot of a kind also creates a "held" event, which never
 * counts. It exists until some seconds after the last slot was freed. The probe for moved counters
 * is disabled with the same delay.
 */
#ifndef VPERFCTR_HELD_H
#define VPERFCTR_HELD_H

#include <linux/types.h>

struct perf_event;
struct vperfctr_control;

/* Keep the static keys for the slots of @control enabled; called before the slots are created.
 * Sleeps. Return 0 or a negative errno. */
int vperfctr_hold(const struct vperfctr_control *control);
/* Enable the probe for moved counters (state.h); called after vperfctr_hold(). Sleeps. Return
 * false on failure. */
bool vperfctr_hold_probe(void);
/* Allow the static keys and the probe to be disabled later; called after the slots of an object
 * have been freed. */
void vperfctr_unhold(void);

/* Set the function that the probe calls; see vperfctr_probe_begin(). */
void vperfctr_held_init(void (*moved)(struct perf_event *event));
void vperfctr_held_exit(void);

#endif
