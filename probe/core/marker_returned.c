// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marker_returned.c -- the function that the trampoline calls when a marked frame (marker.h) has
 * returned.
 *
 * Compiled without vector and floating-point registers, because these registers contain the return
 * value of the program's function. Called functions that are compiled with those registers must
 * return a pointer or a bool and use no vector or floating-point values.
 */
#include "config.h"

#include "probe/core/process.h"

#if ARCH_HAS_TRAMPOLINE

static void count_return(struct state *s, uint32_t node, bool is_first)
{
	struct marker *m = &s->marker;

	m->counts->nr[RAW_LIVE_MARKER_RETURNS]++;
	if (m->column >= 0 && node && (is_first || probe_run()->states.marks.counts_all))
		cct_node(&s->cct, node)->metrics[m->column]++;
}

void marker_returned(uint64_t sp)
{
	struct state *s = probe_state();
	struct marker *m;
	bool is_first;
	uint32_t node;

	/* After fork(), a marked frame may return in the child before the probe's fork() handler
	 * has run. */
	if (!s || !probe_is_here())
		return;
	m = &s->marker;
	if (m->busy) {
		m->counts->nr[RAW_LIVE_MARKER_STRAY]++;
		return;
	}
	m->from = sp;
	m->back = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->busy = (uintptr_t)__builtin_frame_address(0);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	is_first = m->is_first;
	if (probe_is_on() &&
	    marker_moves(m, &s->bt, sp, probe_run()->states.marks.counts_all, &node)) {
		m->is_first = false;
		count_return(s, node, is_first);
	} else {
		m->counts->nr[RAW_LIVE_MARKER_STRAY]++;
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	m->busy = 0;
}

#endif
