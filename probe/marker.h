/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marker.h -- a return address of ours on the stack, by which a return is noticed and the next walk
 * can stop early.
 *
 * The innermost frame of a sample returns to a stub of the trampoline (arch/.../trampoline.S),
 * which jumps to the frame's real return address by way of marker_returned(). That counts the
 * return and moves the marker one frame further out. While the marker is still where it was put,
 * the frames outside of it are unchanged.
 *
 * Where only the first return after a sample is counted, each return since the last sample moves
 * the marker twice as far out as the one before. When a whole stack returns, few returns are
 * noticed, and the next walk repeats at most as many frames as have returned.
 *
 * A stub belongs to a return address, not to a thread or a frame: its slot is written once, and
 * every thread that reaches it goes to the same address. So a marker can never lead a program to a
 * wrong address: not after frames were left by longjmp() or an exception; not when a stack was
 * copied, switched or moved to another thread; and not when setjmp() or vfork() saved the return
 * address. An unexpected return is counted as a stray. A marker that is missing is counted as a
 * loss.
 *
 * A marker belongs to one thread. A signal handler may interrupt the functions here: .busy shows
 * that, and until it is cleared nobody else changes the marker.
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
	uint64_t at;			/* address of the marked word; 0: not placed */
	uint64_t sp;			/* the stack pointer of the caller after the return */
	/* the word before marking: the return address, signed if the frame keeps it signed */
	uint64_t was;
	uint64_t is;			/* the word now */
	uint64_t stub;			/* the stub to which the frame returns */
	/* number of frames of the backtrace outside of the return */
	uint32_t nr_outside;
	uint32_t node;			/* the node of the marked frame; 0: none */
	/* the node of the frame that the last return went to; 0: not noticed yet, or a stray */
	uint32_t back;
	uint64_t from;			/* the stack pointer of that return */
	bool is_first;			/* no return since the sample */
	uint32_t outwards;		/* extra distance in frames for the next placement */
	/* the stack pointer in an unfinished marker_returned(); else 0 */
	uint64_t busy;
	int column;			/* the node's column that counts returns; negative: none */
	struct raw_live_marker *counts;
	/* target of .counts in a child without a file of its own */
	struct raw_live_marker uncounted;
};

/* A process' options for markers. */
struct marker_rules {
	bool is_on;
	/* returns: count all of them, not only the first after each sample */
	bool counts_all;
	/* the metric of returns; RAW_LIVE_MAX_METRICS: returns are not counted */
	uint32_t metric;
};

#if ARCH_HAS_TRAMPOLINE

/* Allocate the slots and find code that must not be marked. Called once in a process, before any
 * marker is placed. Return 0; -ENOMEM; or -EPERM if the CPU uses a shadow stack or
 * marker_code_find() forbids marking. */
int marker_begin(void);

/* Return whether @pc is in the trampoline. */
bool marker_is_trampoline(uint64_t pc);

/* Return the node at which a thread continues that was interrupted at @pc, @sp in the trampoline or
 * while marker_returned() is busy, or 0 if it is unknown. */
uint32_t marker_goes_to(const struct marker *m, const struct backtrace *bt, uint64_t pc,
			uint64_t sp);

/* Return whether the code that now has the stack pointer @sp interrupted marker_returned(). */
bool marker_is_busy(struct marker *m, const struct backtrace *bt, uint64_t sp);

/* Remove the marker. @sp: the stack pointer; 0: unknown. */
void marker_lift(struct marker *m, struct backtrace *bt, uint64_t sp);

/* Prepare for a walk from @sp: set bt->held, so that the walk reads through the marker and may stop
 * there. @link: the register that holds a return address (0: none). A marker in it has left the
 * stack but is not lost: leave it, because its frame is about to return. Return whether
 * marker_settle() must be called after the walk. */
bool marker_hold(struct marker *m, struct backtrace *bt, uint64_t sp, uint64_t link);

/* Remove the marker after the walk, unless a frame inside of it is of a function that reads return
 * addresses and may have read this one. */
void marker_settle(struct marker *m, struct backtrace *bt);

/* Place the marker at frame @first of the stack that was walked from @sp, or at the next frame
 * outside of it that may be marked. */
void marker_place(struct marker *m, struct backtrace *bt, uint32_t first, uint32_t node,
		  uint64_t sp);

/* Handle a jump to the stack pointer @sp (0: unknown): frames below it are gone without a
 * return. */
void marker_jumped(struct marker *m, struct backtrace *bt, uint64_t sp);

/* Handle the return of a frame to a caller with the stack pointer @sp: move the marker further out,
 * by one frame if @each return is counted. Return false if it is not the marked frame that
 * returned. *@returned: the node of the frame that returned. */
bool marker_moves(struct marker *m, struct backtrace *bt, uint64_t sp, bool each,
		  uint32_t *returned);

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

static inline uint32_t marker_goes_to(const struct marker *m, const struct backtrace *bt,
				      uint64_t pc, uint64_t sp)
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

static inline void marker_place(struct marker *m, struct backtrace *bt, uint32_t first,
				uint32_t node, uint64_t sp)
{
	(void)m, (void)bt, (void)first, (void)node, (void)sp;
}

static inline void marker_jumped(struct marker *m, struct backtrace *bt, uint64_t sp)
{
	(void)m, (void)bt, (void)sp;
}

#endif
#endif
