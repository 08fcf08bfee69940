/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampler.h -- sampling of the calling thread, for an agent that is loaded into other programs.
 *
 * Each sampled thread has a sampler. An overflow stops the counters and sends the signal to the
 * thread. The handler gets the events from vperf_sampler_decode(), reads the stack, which is not
 * counted, and calls vperf_sampler_resume(). Between vperf_sampler_suspend() and _resume() nothing
 * is counted and no new handler starts. If a handler that was already running calls resume
 * meanwhile, the sampler stays suspended.
 *
 * In a child of fork a sampler decodes nothing: stop it there and start another one. Signal
 * handlers may call decode, suspend and resume.
 */
#ifndef VPERF_SAMPLER_H
#define VPERF_SAMPLER_H

#include "libvperf/vperf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vperf_sampler;

/*
 * Start a sampler of @events, which are named as for vperf_add() and each have a period. The
 * handler of @signo must be installed; several events need a real-time signal. @flags:
 * VPERF_MODULE, VPERF_PERF or 0. Return 0, or a negative errno with a message in @why unless that
 * is NULL.
 */
int vperf_sampler_start(struct vperf_sampler **ret, const char *const *events,
			const uint64_t *periods, unsigned int nr, int signo, unsigned int flags,
			char *why, size_t size);
int vperf_sampler_suspend(struct vperf_sampler *s);
int vperf_sampler_resume(struct vperf_sampler *s);
void vperf_sampler_stop(struct vperf_sampler *s);	/* @s may be NULL */

/* Return a mask of the events that overflowed; bit n stands for the event n of
 * vperf_sampler_start(). 0: the signal does not belong to this sampler. */
uint32_t vperf_sampler_decode(struct vperf_sampler *s, const siginfo_t *info);

/* Read the exact counts of the events, to compare them with the number of samples. */
int vperf_sampler_read(struct vperf_sampler *s, struct vperf_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
