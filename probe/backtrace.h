/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backtrace.h -- the frames of a stack, walked anew only as far as it has changed.
 *
 *	btbuf       unwind            bufstk                  btend
 *	|  new frames |                 | the standing stack     |
 *
 * A walk stores its frames from .btbuf on, innermost first; when it is done, they are moved next to those of the last
 * walk that still stand. A frame stands when its pc, sp and frame pointer are those of a
 * kept one, and every word that led from it outwards is what it was. A walk is a function of these, so that is exact.
 * Who knows by a marker (marker.h) that frames stand says so in .held before the walk: a walk that takes its return address from
 * that word has come to those.
 *
 * One thread's, in its signal handler or with that held off. Memory of the program is read directly only between .low
 * and .high, which are known to be its stack; elsewhere the kernel is asked, so that nothing faults.
 */
#ifndef PROBE_BACKTRACE_H
#define PROBE_BACKTRACE_H

#include "probe/arch/registers.h"
#include "probe/epoch.h"
#include "probe/made.h"

#define BACKTRACE_WORDS		4
#define BACKTRACE_DEPTH		65536	/* frames of a stack, at most */

struct backtrace_word {
	uint64_t at, value;
};

struct backtrace_frame {
	uint64_t ip, sp, fp;
	uint64_t slot;			/* the word with the return address to the next frame, if a rule told it; else 0 */
	uint32_t node;			/* of the path up to here, for who inserts it */
	uint32_t calling;		/* the same, of the path that ends here as the frame calls us; 0: not known */
	uint8_t innermost;		/* the leaf, or what a signal interrupted: @ip is not behind a call */
	uint8_t is_unsafe;		/* for who inserts it: no path begins there, so it is not marked */
	uint8_t late;			/* its module was loaded late, and may have gone */
	uint8_t installs;		/* its function goes on where an exception is caught */
	uint8_t reads;			/* its function looks at return addresses: marker_is_never() */
	uint8_t nr_words;		/* that led outwards; more than there is room for: the frame cannot stand */
	struct backtrace_word words[BACKTRACE_WORDS];
};

#define BACKTRACE_RULES		1024

struct backtrace_rule {
	uint64_t code;
	struct oprofile_uw_rule rule;
	struct oprofile_uw_plain plain;	/* the same, if it is as most are */
	uint8_t end;			/* enum oprofile_uw_end */
	uint8_t installs, reads;	/* as of frames */
	uint8_t calls;			/* a module's, and a call ends there */
};

struct backtrace {
	struct backtrace_frame *btbuf, *btend, *bufstk;
	uint64_t low, high;
	uint64_t room;			/* of these bytes from .low on, each begins a whole word */
	const struct epoch *epoch;
	uint32_t pid;
	struct backtrace_rule *rules;	/* what was looked up, by address */
	/* Of the walk that goes on. */
	const void *context;
	const struct arch_caller *from;	/* NULL: it begins at @context */
	struct epoch_found asked;	/* what the loader said last */
	uint64_t stale;			/* code that the epoch does not know; 0: none */
	bool no_row;			/* the last code that the walk looked up has no row */
	struct backtrace_frame *unwind;
	int end;			/* why the standing stack's path ended */
	uint64_t held;			/* this word is a return address to the last @nr_held frames, which stand; 0: none is. Until the next walk */
	uint32_t nr_held;
	bool came_by_held;		/* the last walk did, or stopped at a frame inside of that word: those frames are what they were */
	uint64_t reused;		/* frames that were not walked anew, of all walks */
	struct made made;
};

/* Room for @size frames at first; no stack stands. 0, -ENOMEM. */
int backtrace_init(struct backtrace *bt, uint32_t size, const struct epoch *epoch);
void backtrace_release(struct backtrace *bt);

/* Another epoch: nothing of the last holds. */
void backtrace_set_epoch(struct backtrace *bt, const struct epoch *epoch);

/*
 * Walks the stack that a signal has interrupted, @context. Afterwards the frames are bufstk to btend - 1, innermost first,
 * and *@fresh of them were not there before: nodes are those of the last time for the others. Why the path ends, enum
 * oprofile_uw_end. @from: begin at that frame, if it is told and registers that only @context has are not needed; NULL: never. -ESTALE: bt->stale is in another module than the epoch has there; there are no frames.
 */
int backtrace_walk(struct backtrace *bt, const void *context, const struct arch_caller *from, uint32_t *fresh);

#endif
