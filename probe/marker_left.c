// SPDX-License-Identifier: GPL-2.0-or-later
/* marker_left.c -- functions that remove the marker (marker.h). libopprobe_marker.so calls them
 * before the program jumps out of frames or walks its stack. */
#include "config.h"

#include "probe/arch/trampoline.h"
#include "probe/probe.h"
#include "probe/wrap/calls.h"

#define EXPORT	__attribute__((visibility("default")))

/*
 * Return the thread state whose marker may be on the current stack: the state of the calling thread
 * or, in a child process, the state inherited from the parent's thread. Return NULL if the thread
 * is not sampled or markers are off.
 */
static struct state *marked_state(void)
{
	struct state *s = probe_run()->words.marks ? probe_state() : NULL;

	if (s && !probe_is_here())
		s->marker.counts = &s->marker.uncounted;
	return s;
}

EXPORT void opprobe_jumps(const void *env)
{
	struct state *s = marked_state();

	if (s)
		marker_jumped(&s->marker, &s->bt, arch_jump_sp(env));
}

EXPORT void opprobe_walks(void)
{
	struct state *s = marked_state();
	uint64_t sp = (uintptr_t)__builtin_frame_address(0);

	if (s && !marker_is_busy(&s->marker, &s->bt, sp))
		marker_lift(&s->marker, &s->bt, sp);
}
