/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marker.h -- markers: addresses of the trampoline that replace return addresses on the stack, to
 * notice returns and to end the next stack walk early.
 *
 * After a sample, the probe replaces the return address of the innermost frame that can be marked
 * by the address of a stub in the trampoline (arch/.../trampoline.S). When the frame returns, the
 * stub calls marker_returned(), which counts the return and places the marker one frame further
 * out; then the stub jumps to the real return address. If the marker is still in place at the next
 * sample, all frames outside of it are unchanged. If only the first return after each sample is
 * counted, each further noticed return places the marker about twice as far out. So a deep stack
 * returns with few calls of marker_returned(), and the next walk unwinds at most as many frames
 * again as have returned.
 *
 * A stub belongs to a return address, not to a thread or a frame: the slot with the stub's target
 * is written once, and every thread that reaches the stub continues at the same address. So a
 * marker never leads a program to a wrong address, even if frames were left by longjmp() or an
 * exception, if a stack was copied, switched or moved to another thread, or if setjmp() or vfork()
 * saved the return address. An unexpected return is counted as a stray, and a missing marker as a
 * loss. A marker belongs to one thread. A signal handler may interrupt the functions here: while
 * .busy is not 0, only the interrupted function changes the marker.
 */
#ifndef PROBE_CORE_MARKER_H
#define PROBE_CORE_MARKER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/live.h"
#include "probe/core/backtrace.h"
#include "probe/core/marker_code.h"

struct marker {
	/* address of the stack word that the marker replaces; 0: no marker */
	uint64_t at;
	/* stack pointer of the caller after the marked frame has returned */
	uint64_t sp;
	/* the original stack word: the return address, with a signature if the frame signs it */
	uint64_t was;
	uint64_t is;			/* the value that replaces the stack word: the address of
					 * a stub */
	uint64_t stub;			/* address of the stub to which the marked frame returns */
	/* number of frames of the last walk that are outside of the marked frame (its callers) */
	uint32_t nr_outside;
	uint32_t node;			/* tree node of the marked frame; 0: unknown */
	/* tree node of the frame to which the thread returned at the last noticed return; 0: no
	 * return was noticed, or an unexpected return */
	uint32_t back;
	uint64_t from;	/* stack pointer at the last return that the probe noticed */
	bool is_first;			/* the probe has noticed no return since the last sample */
	/* number of frames to skip when the marker is placed next */
	uint32_t outwards;
	/* stack pointer of the running call of marker_returned(); 0: marker_returned() is not
	 * running */
	uint64_t busy;
	/* index of the metric of returns among the counts of tree nodes; negative: returns are
	 * not counted */
	int column;
	struct raw_live_marker *counts;
	/* counters to which .counts points in a child process without a file */
	struct raw_live_marker uncounted;
};

/* Options of markers, common to all threads of the process. */
struct marker_rules {
	bool is_on;
	/* count all noticed returns; false: count only the first return after each sample */
	bool counts_all;
	/* index of the metric that counts returns; RAW_LIVE_MAX_METRICS: returns are not counted */
	uint32_t metric;
};

#if ARCH_HAS_TRAMPOLINE

/* Allocate the slots of the stubs, and find the code that must not be marked. The trampoline calls
 * @handler, marker_returned(), when a marked frame has returned. Must be called once per process,
 * before the first marker is placed. Return 0; -ENOMEM; or -EPERM if the CPU uses a shadow stack or
 * marker_code_find() forbids marking. */
int marker_begin(void (*handler)(uint64_t sp));

/* Return whether @pc is in a stub of the trampoline. */
bool marker_is_trampoline(uint64_t pc);

/* Return the tree node of the frame to which a thread is returning, if it was interrupted at @pc
 * and @sp in the trampoline or in a function that the trampoline calls. Return 0 if the node is
 * unknown. */
uint32_t marker_goes_to(const struct marker *m, const struct backtrace *bt, uint64_t pc,
			uint64_t sp);

/* Return whether code with the stack pointer @sp has interrupted marker_returned(). */
bool marker_is_busy(struct marker *m, const struct backtrace *bt, uint64_t sp);

/* Remove the marker and restore the return address. @sp: current stack pointer; 0: unknown. */
void marker_lift(struct marker *m, struct backtrace *bt, uint64_t sp);

/*
 * Prepare a stack walk from @sp: set bt->held, so that the walk reads the real return address and
 * may stop at the marker. @link: register that may contain a return address (0: none). If @link
 * contains the marker, the marked frame is about to return, so do not change the marker. Return
 * whether marker_finish_walk() must be called after the walk.
 */
bool marker_hold(struct marker *m, struct backtrace *bt, uint64_t sp, uint64_t link);

/* Remove the marker after a stack walk. But keep the marker if a function between the innermost
 * frame and the marked frame reads return addresses, because it may already have read the
 * marker. */
void marker_finish_walk(struct marker *m, struct backtrace *bt);

/* Place the marker after a stack walk from @sp: at frame @first of the walk, whose tree node is
 * @node, or at the nearest outer frame that can be marked. */
void marker_place(struct marker *m, struct backtrace *bt, uint32_t first, uint32_t node,
		  uint64_t sp);

/* Prepare for a jump, such as longjmp(), to the stack pointer @sp (0: unknown). Frames at
 * addresses below @sp will not return. */
void marker_jumped(struct marker *m, struct backtrace *bt, uint64_t sp);

/*
 * Handle a return to a caller with the stack pointer @sp: place the marker at a frame further out.
 * @each: place it at the next frame, because each return is counted. Set *@returned to the tree
 * node of the frame that returned. Return false if this frame is not the marked frame.
 */
bool marker_moves(struct marker *m, struct backtrace *bt, uint64_t sp, bool each,
		  uint32_t *returned);

/* The trampoline calls this function when a marked frame has returned. @sp: the caller's stack
 * pointer. */
void marker_returned(uint64_t sp);

#else

static inline void marker_returned(uint64_t sp)
{
	(void)sp;
}

static inline int marker_begin(void (*handler)(uint64_t sp))
{
	(void)handler;
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

static inline void marker_finish_walk(struct marker *m, struct backtrace *bt)
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
