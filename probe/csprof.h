/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csprof.h -- the functions of opprobe.h under the names of the csprof library, for programs
 * written for csprof.
 */
#ifndef CSPROF_H
#define CSPROF_H

#include <opprobe.h>
#include <stddef.h>
#include <ucontext.h>

#define CSPROF_METRIC_ASYNCHRONOUS	OPPROBE_ASYNC

#define csprof_set_max_metrics(max)						opprobe_set_max_metrics(max)
#define csprof_new_metric()							opprobe_new_metric(NULL, 0, 0)
#define csprof_set_metric_info_and_period(metric, name, flags, period)		opprobe_set_metric(metric, name, flags, period)
#define csprof_set_metric_info(metric, name, flags)				opprobe_set_metric(metric, name, flags, 1)
#define csprof_record_metric(metric, value)					opprobe_record(metric, value)
#define csprof_record_metric_with_unwind(metric, value, unwinds)		opprobe_record_with_unwind(metric, value, unwinds)

/* @context: the mcontext_t of a thread that a signal has interrupted. */
static inline __attribute__((always_inline, unused)) int
csprof_sample_callstack(const mcontext_t *context, int metric, uint64_t value)
{
	return opprobe_sample_metric(metric, value,
				     (const char *)context - offsetof(ucontext_t, uc_mcontext));
}

#endif
