/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampler.h -- samples of the own thread for who is in its process: an agent that is loaded into programs.
 *
 * Each thread that is sampled has a sampler. At an overflow counters stop, and the thread gets the signal; the handler
 * asks vperf_sampler_decode() for the events, looks at the stack, which is not counted, and calls
 * vperf_sampler_resume(). Between vperf_sampler_suspend() and _resume() nothing is counted, and no handler runs that
 * was not running: a resume by a handler that comes while it is being suspended leaves it so.
 *
 * In a child of fork a sampler decodes nothing; it is stopped there, and another one started. decode, suspend and resume may
 * be called by signal handlers.
 */
#ifndef VPERF_SAMPLER_H
#define VPERF_SAMPLER_H

#include "libvperf/vperf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vperf_sampler;

/*
 * @events as vperf_add() takes them, each with a period; several need a real-time @signo, whose handler is set already.
 * @flags: VPERF_MODULE, VPERF_PERF or 0. 0, or negative with the reason in @why, if that is not NULL.
 */
int vperf_sampler_start(struct vperf_sampler **ret, const char *const *events, const uint64_t *periods, unsigned int nr,
			int signo, unsigned int flags, char *why, size_t size);
int vperf_sampler_suspend(struct vperf_sampler *s);
int vperf_sampler_resume(struct vperf_sampler *s);
void vperf_sampler_stop(struct vperf_sampler *s);	/* or NULL */

/* A mask of events, in their order; 0: the signal is none of this sampler's. */
uint32_t vperf_sampler_decode(struct vperf_sampler *s, const siginfo_t *info);

/* What has been counted, to compare. */
int vperf_sampler_read(struct vperf_sampler *s, struct vperf_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
