/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backtrace.h -- stack walking in a signal handler. A walk stops at the first frame that is
 * unchanged since the previous walk.
 *
 * One array holds the frames, innermost first: new frames from .btbuf to .unwind, and frames of the
 * previous walk from .bufstk to .btend. At the end of a walk, the new frames are moved next to the
 * unchanged frames of the previous walk. A frame is unchanged ("stands") if its pc, sp and frame
 * pointer equal those of a frame of the previous walk, and if all stack words that were read to
 * unwind the frame have the same values. Unwinding depends on nothing else, so the result is exact.
 *
 * If a marker (marker.h) shows that outer frames are unchanged, the caller sets .held to the
 * address of the marker's stack word. A walk that reads a return address from that word has reached
 * the unchanged frames. A struct backtrace belongs to one thread. It is used in that thread's
 * signal handler, or while the handler is blocked. Only memory between .low and .high, known to be
 * the thread's stack, is read directly. Other memory is read by system calls, so that an invalid
 * address causes no fault.
 */
#ifndef PROBE_CORE_BACKTRACE_H
#define PROBE_CORE_BACKTRACE_H

#include "probe/arch/registers.h"
#include "probe/core/epoch.h"
#include "probe/core/made_code.h"

#define BACKTRACE_WORDS		4
#define BACKTRACE_DEPTH		65536	/* maximum number of frames of a stack */

struct backtrace_word {
	uint64_t at, value;
};

struct backtrace_frame {
	uint64_t ip, sp, fp;
	/* address of the stack word with the frame's return address; 0: unknown */
	uint64_t slot;
	/* node of the tree of call paths: the path from the outermost frame to this frame; set by
	 * state.c */
	uint32_t node;
	/* node of the tree of call paths: the path to this frame, whose last address is a call in
	 * this frame; 0: unknown */
	uint32_t calling;
	/* @ip is not a return address, because the frame is the innermost frame, or was interrupted
	 * by a signal */
	uint8_t innermost;
	/* @ip is in code in which sampling is unsafe (unsafe.h), so a marker is never placed at
	 * this frame; set by state.c */
	uint8_t is_unsafe;
	/* the frame's module was loaded after the program's start, so it may be unloaded */
	uint8_t late;
	/* the frame's function may pass an exception to its handler, by installing the handler's
	 * registers (libcfi/cfi.h) */
	uint8_t installs;
	/* the frame's function reads return addresses: see marker_is_never() */
	uint8_t reads;
	/* number of stack words that were read to unwind the frame. If more than BACKTRACE_WORDS,
	 * the next walk unwinds the frame again */
	uint8_t nr_words;
	struct backtrace_word words[BACKTRACE_WORDS];
};

#define BACKTRACE_RULES		1024

struct backtrace_rule {
	uint64_t code;
	struct oprofile_uw_rule rule;
	/* the rule in a short form for oprofile_uw_step_plain(), if such a form exists */
	struct oprofile_uw_plain plain;
	/* reason why no rule was found, enum oprofile_uw_end; 0: a rule was found */
	uint8_t end;
	/* attributes of the function at the address, as in struct backtrace_frame */
	uint8_t installs, reads;
	/* the address is in a module, and a call instruction ends there */
	uint8_t calls;
	uint8_t inferred;		/* libcfi inferred the rule from instructions */
};

struct backtrace {
	struct backtrace_frame *btbuf, *btend, *bufstk;
	uint64_t low, high;
	/* number of offsets from .low at which a word can be read below .high */
	uint64_t room;
	const struct epoch *epoch;
	uint32_t pid;
	/* cache of unwind rules: a hash table, indexed by address */
	struct backtrace_rule *rules;
	/* State of the current walk. */
	const struct oprofile_uw_frame *frame;	/* the frame that is unwound next */
	const void *context;
	/* frame at which the walk starts; NULL: start at the interrupted frame of .context */
	const struct arch_caller *from;
	/* the dynamic loader's last answer to a walk's query (_dl_find_object()) */
	struct epoch_found asked;
	/* an address at which the dynamic loader has a module, but the epoch has none; 0: no such
	 * address */
	uint64_t stale;
	/* the unwind tables have no row for the address that was looked up last */
	bool no_row;
	struct backtrace_frame *unwind;
	/* reason why the last complete walk ended, enum oprofile_uw_end */
	int end;
	/* address of the stack word with the return address into the outermost .nr_held frames,
	 * which are known to be unchanged; 0: no such word. Valid until the end of the next walk */
	uint64_t held;
	uint32_t nr_held;
	/* the last walk read its return address from .held, or stopped at a frame further
	 * inside, so the outermost .nr_held frames are unchanged */
	bool came_by_held;
	uint32_t walks;			/* number of walks with this struct */
	/* number of frames, in all walks, that were reused from the previous walk */
	uint64_t reused;
	struct made made;
	struct made_code *made_code;
};

/* Initialize @bt with an array for @size frames. Return 0 or -ENOMEM. */
int backtrace_init(struct backtrace *bt, uint32_t size, const struct epoch *epoch);

/* Switch to @epoch. Discard all rules, and the frames of the previous walk. */
void backtrace_set_epoch(struct backtrace *bt, const struct epoch *epoch);

/*
 * Walk the stack of a thread that a signal interrupted at @context. Afterwards, bufstk to btend - 1
 * are the frames, innermost first. The first *@fresh frames are new; the others are unchanged and
 * keep their .node. Return the reason why the path ended, enum oprofile_uw_end. If @from is not
 * NULL, start at that frame, unless unwinding needs registers that only @context has. If the epoch
 * lacks a module of the stack, set bt->stale to an address in this module, discard all frames and
 * return -ESTALE.
 */
int backtrace_walk(struct backtrace *bt, const void *context, const struct arch_caller *from,
		   uint32_t *fresh);

#endif
