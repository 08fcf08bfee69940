// SPDX-License-Identifier: LGPL-2.1-or-later
/* sampler.c -- sampling of the calling thread at overflows of libvperf's counters. */
#include "config.h"
#include "libvperf/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libvperf/read.h"

/* A sampler, used only by the thread that has started it and by its signal handlers. Fields that a
 * handler may read during an update are volatile. */
struct vperf_sampler {
	struct vperf *v;
	/* set before counting stops, so that a handler that is already running does not resume
	 * counting */
	volatile sig_atomic_t suspended;
	/* set when vperf_sampler_decode() decodes an overflow, cleared when counting is resumed */
	volatile sig_atomic_t handling;
};

int vperf_sampler_start(struct vperf_sampler **ret, const char *const *events,
			const uint64_t *periods, unsigned int nr, int signo, unsigned int flags,
			char *why, size_t size)
{
	struct vperf_sampler *s = calloc(1, sizeof(*s));
	int err = s ? vperf_open(&s->v, flags) : -ENOMEM;

	for (unsigned int i = 0; i < nr && err >= 0; i++)
		err = vperf_add(s->v, events[i]);
	for (unsigned int i = 0; i < nr && err >= 0; i++)
		err = vperf_on_overflow(s->v, i, periods[i], signo);
	if (err >= 0) {
		*ret = s;	/* the first signal may arrive before this function returns */
		err = vperf_start(s->v);
	}
	if (err < 0) {
		if (why)
			snprintf(why, size, "%s", vperf_error(s ? s->v : NULL));
		vperf_sampler_stop(s);
		*ret = NULL;
	}
	return err;
}

int vperf_sampler_suspend(struct vperf_sampler *s)
{
	s->suspended = 1;
	VPERF_BARRIER();
	return vperf_stop(s->v);
}

int vperf_sampler_resume(struct vperf_sampler *s)
{
	if (s->handling) {
		s->handling = 0;
		/* do not resume if vperf_sampler_suspend() was called during the handler: the
		 * caller of vperf_sampler_suspend() will resume counting */
		return s->suspended ? 0 : vperf_resume(s->v);
	}
	s->suspended = 0;
	VPERF_BARRIER();
	return vperf_start(s->v);
}

void vperf_sampler_stop(struct vperf_sampler *s)
{
	if (!s)
		return;
	s->suspended = 1;
	vperf_close(s->v);
	free(s);
}

uint32_t vperf_sampler_decode(struct vperf_sampler *s, const siginfo_t *info)
{
	const uint32_t mask = vperf_overflow(s->v, info);

	if (mask)
		s->handling = 1;
	return mask;
}

int vperf_sampler_read(struct vperf_sampler *s, struct vperf_counts *counts)
{
	return vperf_read(s->v, counts);
}
