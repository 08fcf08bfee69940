/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/held.h -- what makes the kernel patch its own text is kept for a while.
 *
 * perf has a static key for each kind of software event: the first event of a kind turns code on, and the last one off. Each
 * turn patches text and interrupts every CPU, and slots are everybody's to make and drop. So the first slot of a kind
 * makes an event beside it, which never counts, and stays until nobody has had slots for some seconds. The same holds
 * for the probe by which pages follow counters that move.
 */
#ifndef VPERFCTR_HELD_H
#define VPERFCTR_HELD_H

#include <linux/types.h>

struct perf_event;
struct vperfctr_control;

/* Before slots of @control are made; 0 or an error. Sleeps. */
int vperfctr_hold(const struct vperfctr_control *control);
/* For whoever holds already: counters are followed. False: that cannot be. Sleeps. */
bool vperfctr_hold_probe(void);
/* After they are gone. */
void vperfctr_let_go(void);

void vperfctr_held_init(void (*moved)(struct perf_event *event));	/* as vperfctr_probe_begin() */
void vperfctr_held_exit(void);

#endif
