/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backtrace.h -- the frames of a stack; only the part that has changed is walked again.
 *
 * btbuf       unwind            bufstk                  btend |  new frames |                 | the
 * standing stack     |
 *
 * A walk stores its frames from .btbuf on, innermost first. At its end they are moved next to the
 * frames of the last walk that still stand. A frame stands when its pc, sp and frame pointer equal
 * those of a kept frame, and every word that was read to unwind from it is unchanged. A walk
 * depends on nothing else, so this is exact. A caller that knows by a marker (marker.h) that frames
 * stand sets .held before the walk: a walk that reads its return address from that word has reached
 * those frames.
 *
 * A struct backtrace belongs to one thread, and is used in that thread's signal handler or with the
 * handler held off. Memory of the program is read directly only between .low and .high, which are
 * known to be the thread's stack. Other memory is read by system calls, so that no read faults.
 */
#ifndef PROBE_BACKTRACE_H
#define PROBE_BACKTRACE_H

#include "probe/arch/registers.h"
#include "probe/epoch.h"
#include "probe/made_code.h"

#define BACKTRACE_WORDS		4
#define BACKTRACE_DEPTH		65536	/* maximum number of frames of a stack */

struct backtrace_word {
	uint64_t at, value;
};

struct backtrace_frame {
	uint64_t ip, sp, fp;
	/* the word with the return address to the next frame, if a rule names it; else 0 */
	uint64_t slot;
	/* the node of the path up to here, for the caller that inserts it */
	uint32_t node;
	/* the node of the path that ends here, for calls from this frame; 0: unknown */
	uint32_t calling;
	/* the leaf, or a frame that a signal interrupted: @ip is not after a call */
	uint8_t innermost;
	/* for the caller that inserts it: no path begins there, so it is not marked */
	uint8_t is_unsafe;
	uint8_t late;			/* its module was loaded late, and may be unloaded */
	uint8_t installs;		/* its function catches exceptions */
	uint8_t reads;			/* its function reads return addresses: marker_is_never() */
	/* number of words read to unwind; above the limit the frame cannot stand */
	uint8_t nr_words;
	struct backtrace_word words[BACKTRACE_WORDS];
};

#define BACKTRACE_RULES		1024

struct backtrace_rule {
	uint64_t code;
	struct oprofile_uw_rule rule;
	struct oprofile_uw_plain plain;	/* the rule in its short form, if it has one */
	uint8_t end;			/* enum oprofile_uw_end */
	uint8_t installs, reads;	/* as in struct backtrace_frame */
	uint8_t calls;			/* code of a module, after a call */
	uint8_t inferred;		/* the rule was inferred from instructions */
};

struct backtrace {
	struct backtrace_frame *btbuf, *btend, *bufstk;
	uint64_t low, high;
	uint64_t room;			/* bytes from .low on at which a whole word can begin */
	const struct epoch *epoch;
	uint32_t pid;
	struct backtrace_rule *rules;	/* rules already looked up, by address */
	/* The current walk. */
	const struct oprofile_uw_frame *frame;	/* the frame that a step leaves */
	const void *context;
	const struct arch_caller *from;	/* NULL: the walk begins at @context */
	struct epoch_found asked;	/* the loader's last answer */
	uint64_t stale;			/* code that the epoch does not have; 0: none */
	bool no_row;			/* the code looked up last has no row */
	struct backtrace_frame *unwind;
	int end;			/* the cause of the end of the standing stack's path */
	/* this word is a return address to the last @nr_held frames, which stand; 0: none. Valid
	 * until the next walk */
	uint64_t held;
	uint32_t nr_held;
	/* the last walk reached that word, or stopped at a frame inside of it: those frames are
	 * unchanged */
	bool came_by_held;
	uint32_t walks;			/* number of walks, from 1 on */
	/* number of frames that were not walked again, of all walks */
	uint64_t reused;
	struct made made;
	struct made_code *made_code;
};

/* Initialize with room for @size frames and no standing stack. Return 0 or -ENOMEM. */
int backtrace_init(struct backtrace *bt, uint32_t size, const struct epoch *epoch);

/* Switch to another epoch and discard the rules and frames of the last one. */
void backtrace_set_epoch(struct backtrace *bt, const struct epoch *epoch);

/* Walk the stack that a signal interrupted at @context. Afterwards the frames are bufstk to btend -
 * 1, innermost first. The first *@fresh of them are new; the others keep their nodes. Return the
 * cause of the path's end, enum oprofile_uw_end. @from: begin at that frame, unless registers are
 * needed that only @context has; NULL: begin at @context. Return -ESTALE, without frames, if
 * bt->stale is in another module than the epoch has there. */
int backtrace_walk(struct backtrace *bt, const void *context, const struct arch_caller *from,
		   uint32_t *fresh);

#endif
