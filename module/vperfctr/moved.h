/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/moved.h -- perf moves and reloads counters while their thread runs: when others come, and when one wraps.
 *
 * It tells its own users' pages of that, in a function that is probed while some page of ours says where a counter is.
 */
#ifndef VPERFCTR_MOVED_H
#define VPERFCTR_MOVED_H

struct kprobe;
struct pt_regs;

/* A probe's handler, of perf_event_update_userpage(). In any context. */
int vperfctr_moved(struct kprobe *probe, struct pt_regs *regs);

#endif
