/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/probe.h -- a probe that is called, in any context, when perf moves an event of any user
 * to another counter, or reloads its counter.
 *
 * perf then calls perf_event_update_userpage(), which the probe traces with ftrace. After a missed
 * call, users who read counters directly would get wrong numbers, so tracing must not stop:
 * kernel.ftrace_enabled=0 is refused while the probe is enabled, and the probe cannot be enabled
 * with this setting. Kprobes are not suitable, because they skip calls during another probe's
 * handler, for example in an NMI.
 */
#ifndef VPERFCTR_PROBE_H
#define VPERFCTR_PROBE_H

struct perf_event;

/* Enable the probe. It calls @moved, with preemption off, for each event that perf moves to another
 * hardware counter or whose counter it reloads. Must not be called concurrently. Sleeps. Return 0
 * or a negative errno. */
int vperfctr_probe_begin(void (*moved)(struct perf_event *event));
void vperfctr_probe_end(void);
void vperfctr_probe_exit(void);	/* Disable the probe permanently, when the module is unloaded. */

#endif
