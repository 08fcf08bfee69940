// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marker.c -- markers: addresses of the trampoline that replace return addresses on the stack.
 *
 * Compiled without vector and floating-point registers, because marker_moves() runs while these
 * registers contain the return value of a function of the program. marker_moves() may only call
 * functions that are compiled in the same way.
 */
#include "config.h"

#include "probe/core/marker.h"

#include <errno.h>

#include "module/uapi/unwind_walk.h"
#include "probe/arch/registers.h"
#include "probe/core/marker_code.h"
#include "probe/linux/calls.h"

#if ARCH_HAS_TRAMPOLINE

/* maximum number of hash table slots that are tried for one address */
#define MOST_PROBES	16
/* maximum number of frames that are skipped because they cannot be marked */
#define MOST_OUTWARDS	32

/* Return the address of the stub that jumps to @to. If no stub does so, assign a free stub. Return
 * 0 if all stubs that the hash of @to allows are in use. */
static uint64_t stub_for(uint64_t to)
{
	uint64_t first = to * 0x9e3779b97f4a7c15u >> 40;

	for (uint32_t i = 0; i < MOST_PROBES; i++) {
		uint64_t offset = (first + i) % ARCH_STUBS * ARCH_STUB_SIZE, had;
		uint64_t *slot = (uint64_t *)(marker_slots + offset);

		had = __atomic_load_n(slot, __ATOMIC_RELAXED);
		if (had == to ||
		    (!had && (__atomic_compare_exchange_n(slot, &had, to, false, __ATOMIC_RELAXED,
							  __ATOMIC_RELAXED) ||
			      had == to)))
			return (uintptr_t)marker_stubs + offset + ARCH_STUB_ENTRY;
	}
	return 0;
}

int marker_begin(void (*handler)(uint64_t sp))
{
	long at;

	if (arch_has_shadow_stack() || marker_code_find())
		return -EPERM;
	marker_handler = handler;
	at = arch_call(SYS_mmap, (long)marker_slots, ARCH_STUBS_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return call_failed(at) ? -ENOMEM : 0;
}

static bool is_after_call(uint64_t to)
{
	/* Do not read the page before @to, which may not be mapped. */
	return to % 4096 >= 8 &&
	       oprofile_uw_is_call(ARCH_MACHINE, (const unsigned char *)(uintptr_t)(to - 8)) &&
	       !arch_splits_stack(to);
}

/*
 * Return whether a marker may replace the return address of @f: @f and its caller are at return
 * addresses after calls, the stack word is on the known stack, and neither frame is main() or the
 * start of a thread.
 */
static bool may_mark(const struct backtrace *bt, const struct backtrace_frame *f)
{
	const struct backtrace_frame *caller = f + 1;

	return f->slot >= bt->low && f->slot < bt->high && caller->slot && !caller->innermost &&
	       is_after_call(caller->ip) && !f->is_unsafe;
}

static bool exchange(uint64_t at, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n((uint64_t *)(uintptr_t)at, &from, to, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/*
 * Place the marker at frame @first, whose tree node is @node, or at the nearest outer frame that
 * can be marked. Do not place a marker if a frame between @first and that frame belongs to a
 * function that reads return addresses.
 */
static void place(struct marker *m, const struct backtrace *bt, const struct backtrace_frame *first,
		  uint32_t node)
{
	const struct backtrace_frame *f = first;

	for (uint32_t i = 0; i < MOST_OUTWARDS && bt->btend - f > 3; i++, f++) {
		if (f->reads || f[1].reads)
			return;
		if (!may_mark(bt, f))
			continue;
		m->stub = stub_for(f[1].ip);
		if (!m->stub) {
			m->counts->nr[RAW_LIVE_MARKER_NO_STUB]++;
			return;
		}
		m->was = __atomic_load_n((uint64_t *)(uintptr_t)f->slot, __ATOMIC_RELAXED);
		m->is = arch_keeps_like(m->was, f[1].ip, f[1].sp, m->stub);
		m->sp = f[1].sp;
		m->nr_outside = bt->btend - (f + 1);
		m->node = f == first ? node : f->node;
		if (!m->is)
			continue;
		if (exchange(f->slot, m->was, m->is)) {
			__atomic_store_n(&m->at, f->slot, __ATOMIC_RELEASE);
			m->counts->nr[RAW_LIVE_MARKER_SET]++;
		}
		return;
	}
}

static bool is_on_stack(const struct backtrace *bt, uint64_t sp)
{
	return sp >= bt->low && sp < bt->high;
}

bool marker_is_trampoline(uint64_t pc)
{
	return pc - (uintptr_t)marker_stubs <
	       (uintptr_t)marker_trampoline_end - (uintptr_t)marker_stubs;
}

uint32_t marker_goes_to(const struct marker *m, const struct backtrace *bt, uint64_t pc,
			uint64_t sp)
{
	/* tree node of the frame to which the marked frame will return; 0: no marker is placed */
	uint32_t awaited = m->at ? (bt->btend - m->nr_outside)->node : 0;

	if (m->busy)
		return m->back ? m->back : m->sp == m->from ? awaited : 0;
	if (pc >= (uintptr_t)marker_called)
		return m->back;
	return sp <= m->sp && m->sp - sp < 256 ? awaited : 0;
}

bool marker_is_busy(struct marker *m, const struct backtrace *bt, uint64_t sp)
{
	if (m->busy && is_on_stack(bt, sp) && sp > m->busy) {
		/* A signal handler has interrupted marker_returned() and left it by longjmp():
		 * forget the marker. */
		m->at = 0;
		m->busy = 0;
	}
	return m->busy;
}

void marker_lift(struct marker *m, struct backtrace *bt, uint64_t sp)
{
	uint64_t at = m->at;

	m->at = 0;
	if (at && ((is_on_stack(bt, sp) && sp > at) || !exchange(at, m->is, m->was)))
		m->counts->nr[RAW_LIVE_MARKER_LOST]++;
}

bool marker_hold(struct marker *m, struct backtrace *bt, uint64_t sp, uint64_t link)
{
	bt->held = 0;
	if (!m->at)
		return false;
	if (!is_on_stack(bt, sp)) {
		marker_lift(m, bt, sp);
		return false;
	}
	if (sp > m->at && link && (link == m->is || link == m->stub))
		return false;
	if (sp > m->at ||
	    __atomic_load_n((uint64_t *)(uintptr_t)m->at, __ATOMIC_RELAXED) != m->is) {
		m->at = 0;
		m->counts->nr[RAW_LIVE_MARKER_LOST]++;
		return false;
	}
	bt->held = m->at;
	bt->nr_held = m->nr_outside;
	return true;
}

void marker_finish_walk(struct marker *m, struct backtrace *bt)
{
	const struct backtrace_frame *outside = bt->btend - m->nr_outside;

	for (const struct backtrace_frame *f = bt->bufstk; bt->came_by_held && f < outside; f++)
		if (f->reads)
			return;
	marker_lift(m, bt, 0);
}

void marker_place(struct marker *m, struct backtrace *bt, uint32_t first, uint32_t node,
		  uint64_t sp)
{
	if (!is_on_stack(bt, sp)) {
		m->counts->nr[RAW_LIVE_MARKER_OTHER_STACK]++;
		return;
	}
	if (bt->end != OPROFILE_UW_WHOLE)
		return;
	m->is_first = true;
	m->outwards = 0;
	if (!m->at)
		place(m, bt, bt->bufstk + first, node);
}

void marker_jumped(struct marker *m, struct backtrace *bt, uint64_t sp)
{
	const struct backtrace_frame *f;

	if (marker_is_busy(m, bt, sp) || !m->at || (is_on_stack(bt, sp) && sp <= m->at))
		return;
	exchange(m->at, m->is, m->was);
	m->at = 0;
	m->counts->nr[RAW_LIVE_MARKER_JUMPS]++;
	if (!is_on_stack(bt, sp))
		return;
	for (f = bt->btend - m->nr_outside; f < bt->btend && f->slot < sp; f++)
		m->counts->nr[RAW_LIVE_MARKER_JUMPS]++;
	bt->bufstk = (struct backtrace_frame *)f;
	if (f < bt->btend)
		place(m, bt, f, f->node);
}

/* Return the distance in frames from @from to the outermost frame at which the next marker may be
 * placed, at most @nr. Stop at a function that reads return addresses. */
static uint32_t furthest(const struct backtrace *bt, const struct backtrace_frame *from,
			 uint32_t nr)
{
	uint32_t i = 0;

	while (i < nr && bt->btend - (from + i) > 4 && !from[i].reads && !from[i + 1].reads)
		i++;
	return i;
}

bool marker_moves(struct marker *m, struct backtrace *bt, uint64_t sp, bool each,
		  uint32_t *returned)
{
	const struct backtrace_frame *to;
	uint32_t nr;

	if (!m->at || m->sp != sp)
		return false;
	to = bt->btend - m->nr_outside;
	m->back = to->node;
	*returned = m->node;
	m->at = 0;
	/* If no frame at this distance can be marked, for example near the outermost frame, try
	 * half the distance. */
	for (nr = furthest(bt, to, m->outwards); ; nr /= 2) {
		place(m, bt, to + nr, to[nr].node);
		if (m->at || !nr)
			break;
	}
	if (!each)
		m->outwards = 2 * m->outwards + 1;
	return true;
}

#endif
