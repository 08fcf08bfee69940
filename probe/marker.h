/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marker.h -- a return address on the stack that is ours, so that a return is noticed and the next walk stops there.
 *
 * The innermost frame of a sample returns to a stub of the trampoline (arch/.../trampoline.S), which goes to where the frame
 * returned to by way of marker_returned(): that counts the return and puts the marker a frame further out. Frames outside of
 * a marker that stands where it was put are what they were.
 *
 * Where not every return is to be counted, each return since the last sample puts the marker twice as far out as the one before: of
 * a stack that is left as a whole, few returns are noticed, and what the next walk has to look at again is no more than has gone.
 *
 * A stub belongs to a return address, not to a thread or a frame: its slot is written once, and whoever comes to it goes
 * there. So nothing that becomes of a marker can lead a program astray: frames that longjmp() or an exception has left, stacks
 * that are copied, switched, or go on in another thread, return addresses that setjmp() or vfork() has kept. When a return is
 * not the one that was waited for it is a counted stray, and when the marker is not where it was put it is a counted loss.
 *
 * A marker is its thread's, of which a signal handler may interrupt what is done here: .busy says so, and meanwhile nobody
 * else touches it.
 */
#ifndef PROBE_MARKER_H
#define PROBE_MARKER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/live.h"
#include "probe/backtrace.h"
#include "probe/marker_stubs.h"

struct marker {
	uint64_t at;			/* the word where it stands; 0: nowhere */
	uint64_t sp;			/* of the caller once that frame has returned */
	uint64_t was;			/* the word that stood there: the return address, signed where frames keep it so */
	uint64_t is;			/* what stands there instead */
	uint64_t stub;			/* where the frame returns to by that */
	uint32_t nr_outside;		/* frames of the backtrace that it returns to */
	uint32_t node;			/* of the frame that returns; 0: none */
	uint32_t back;			/* where the last return went: that frame's node; 0: it is not noticed yet, or a stray */
	uint64_t from;			/* the stack pointer that it came with */
	bool is_first;			/* nothing has returned there since the sample */
	uint32_t outwards;		/* frames that the next return puts it further out, beside one */
	uint64_t busy;			/* a stack pointer in marker_returned(), which is not done yet; 0 */
	int column;			/* of a node's metrics, that counts returns; negative: none does */
	struct raw_live_marker *counts;
	struct raw_live_marker uncounted;	/* where .counts leads in a child that has no file of its own (yet) */
};

/* What one process wants of markers. */
struct marker_rules {
	bool is_on;
	bool counts_all;		/* returns: not only the first after each sample */
	uint32_t metric;		/* that counts returns; RAW_LIVE_MAX_METRICS: none does */
};

#if ARCH_HAS_TRAMPOLINE

/* Once in a process, before there are markers: room for slots is made, and code found that may not be marked. 0; -ENOMEM;
 * -EPERM: the CPU keeps a shadow stack, or marker_code_find() says so. */
int marker_begin(void);

/* The address is in the trampoline. */
bool marker_is_trampoline(uint64_t pc);

/* The node where a thread goes on that was interrupted at @pc, @sp in the trampoline or while marker_returned() is busy. 0: that is
 * not known. */
uint32_t marker_goes_to(const struct marker *m, const struct backtrace *bt, uint64_t pc, uint64_t sp);

/* Whether marker_returned() was interrupted by what has now the stack pointer @sp. */
bool marker_is_busy(struct marker *m, const struct backtrace *bt, uint64_t sp);

/* Takes the marker away, as the stack is at @sp (0: it is not known where). */
void marker_lift(struct marker *m, struct backtrace *bt, uint64_t sp);

/*
 * Before a walk from @sp, which reads through the marker and may stop there: bt->held. @link: what the register has that a frame
 * returns by (0: none). A marker there has left the stack, and is not lost: it stays, as its frame is about to return. True: the
 * walk is to be followed by marker_settle().
 */
bool marker_hold(struct marker *m, struct backtrace *bt, uint64_t sp, uint64_t link);

/* Behind the walk: takes the marker away, but where a frame inside of it is of what looks at return addresses, and may have read it. */
void marker_settle(struct marker *m, struct backtrace *bt);

/* Puts it at frame @first of the stack that was walked from @sp, whose node is @node, or at the next one outside that may be marked. */
void marker_place(struct marker *m, struct backtrace *bt, uint32_t first, uint32_t node, uint64_t sp);

/* The stack pointer becomes @sp by a jump (0: it is not known what): frames below have gone without a return. */
void marker_jumped(struct marker *m, struct backtrace *bt, uint64_t sp);

/* The marked frame has returned to where the caller has the stack pointer @sp: puts the marker further out; a frame, where @each
 * return is waited for. False: it is not that frame which was waited for. *@returned: the node of the frame that has returned. */
bool marker_moves(struct marker *m, struct backtrace *bt, uint64_t sp, bool each, uint32_t *returned);

/* Called by the trampoline. */
void marker_returned(uint64_t sp) __attribute__((visibility("hidden")));

#else

static inline int marker_begin(void)
{
	return -ENOSYS;
}

static inline bool marker_is_trampoline(uint64_t pc)
{
	(void)pc;
	return false;
}

static inline uint32_t marker_goes_to(const struct marker *m, const struct backtrace *bt, uint64_t pc, uint64_t sp)
{
	(void)m, (void)bt, (void)pc, (void)sp;
	return 0;
}

static inline bool marker_is_busy(struct marker *m, const struct backtrace *bt, uint64_t sp)
{
	(void)m, (void)bt, (void)sp;
	return false;
}

static inline void marker_lift(struct marker *m, struct backtrace *bt, uint64_t sp)
{
	(void)m, (void)bt, (void)sp;
}

static inline bool marker_hold(struct marker *m, struct backtrace *bt, uint64_t sp, uint64_t link)
{
	(void)m, (void)bt, (void)sp, (void)link;
	return false;
}

static inline void marker_settle(struct marker *m, struct backtrace *bt)
{
	(void)m, (void)bt;
}

static inline void marker_place(struct marker *m, struct backtrace *bt, uint32_t first, uint32_t node, uint64_t sp)
{
	(void)m, (void)bt, (void)first, (void)node, (void)sp;
}

static inline void marker_jumped(struct marker *m, struct backtrace *bt, uint64_t sp)
{
	(void)m, (void)bt, (void)sp;
}

#endif
#endif
