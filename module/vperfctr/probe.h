/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/probe.h -- told whenever perf moves or reloads a counter, its own users' or ours, in any context.
 *
 * It then calls perf_event_update_userpage(), which is traced. A user who reads counters himself gets wrong numbers when one
 * call is missed, so the tracing must not be one that stops: kernel.ftrace_enabled=0 is refused while it is on, and it is not had
 * while that holds. Nor one that lets go what comes while another probe's handler runs, as kprobes do: an NMI may.
 */
#ifndef VPERFCTR_PROBE_H
#define VPERFCTR_PROBE_H

struct perf_event;

/* Calls @moved, with preemption off, from now on; 0 or an error. One caller at a time; sleep. */
int vperfctr_probe_begin(void (*moved)(struct perf_event *event));
void vperfctr_probe_end(void);
void vperfctr_probe_exit(void);	/* for good */

#endif
