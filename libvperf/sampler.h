/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampler.h -- sampling of the calling thread, for an agent that is loaded into other programs.
 *
 * Each sampled thread has a sampler. An overflow stops the counters and sends the signal to the
 * thread. The signal handler calls vperf_sampler_decode() to learn which events overflowed, unwinds
 * the stack while the counters are stopped, and calls vperf_sampler_resume(). Between
 * vperf_sampler_suspend() and vperf_sampler_resume() nothing is counted and no new handler starts.
 * If a handler that was already running calls vperf_sampler_resume() between the two, the sampler
 * stays suspended.
 *
 * In a child of fork, vperf_sampler_decode() always returns 0: stop the sampler there and start a
 * new one. Signal handlers may call decode, suspend and resume.
 */
#ifndef VPERF_SAMPLER_H
#define VPERF_SAMPLER_H

#include "libvperf/vperf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vperf_sampler;

/*
 * Start a sampler of the @nr @events, which are named as for vperf_add(), with the @periods. A
 * handler of @signo must be installed; with several events, @signo must be a real-time signal.
 * @flags: VPERF_MODULE, VPERF_PERF or 0. Return 0, or a negative errno; store a message in @why
 * unless @why is NULL.
 */
int vperf_sampler_start(struct vperf_sampler **ret, const char *const *events,
			const uint64_t *periods, unsigned int nr, int signo, unsigned int flags,
			char *why, size_t size);
int vperf_sampler_suspend(struct vperf_sampler *s);
int vperf_sampler_resume(struct vperf_sampler *s);
void vperf_sampler_stop(struct vperf_sampler *s);	/* Stop and free @s, which may be NULL. */

/* Return the mask of the events that overflowed: bit n for element n of @events in
 * vperf_sampler_start(). 0: the signal was not sent by this sampler. */
uint32_t vperf_sampler_decode(struct vperf_sampler *s, const siginfo_t *info);

/* Read the exact counts of the events, to compare them with the number of samples. */
int vperf_sampler_read(struct vperf_sampler *s, struct vperf_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
