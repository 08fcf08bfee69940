/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/kept.h -- a cache of the user stack that was last walked for a task on a CPU, with all
 * words that the walk has read.
 *
 * A later walk compares its frames with the kept ones. If pc, sp and frame pointer of a frame are
 * equal, and all words that the earlier walk read from this frame outwards are unchanged, the walk
 * ends there, because the outer frames depend only on these values. Nearly all of these words are
 * the pc or frame pointer of the next frame, at a fixed distance from the next frame's sp; all
 * other words are stored separately. The code is inline, because it is most of a sample's cost.
 */
#ifndef OPROFILE_PATHS_KEPT_H
#define OPROFILE_PATHS_KEPT_H

#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "paths/regs.h"
#include "uapi/unwind_walk.h"

/* maximum number of kept frames; the outermost frames of a stack are kept */
#define OPROFILE_KEPT_FRAMES	128
#define OPROFILE_ODD_WORDS	16
#define OPROFILE_KEPT_STACKS	16

struct oprofile_kept_frame {
	u64 pc, sp, fp;
	u32 node;
	/* where the walk read the next frame's pc and frame pointer, relative to the next
	 * frame's sp; and the state of this frame, STATE_* */
	struct oprofile_uw_reads reads;
};

/* A word that a walk has read by a step that struct oprofile_uw_reads cannot describe. */
struct oprofile_odd_word {
	u64 address, value;
	u32 frame;
};

/* A cached stack. The innermost frame comes first. The last entry of .frame is a sentinel at which
 * a search ends. */
struct oprofile_kept_stack {
	/* the task to which the stack belongs; the pointer is compared, but never dereferenced */
	const void *task;
	u64 start_time;
	u32 map;
	/* the epoch (number) of the book of call paths, combined with the machine type of the
	 * walked code, because a program may switch between 32- and 64-bit code */
	u32 kind;
	/* index of the innermost kept frame in .frame */
	u32 first;
	u32 nr_odd;
	struct oprofile_kept_frame frame[OPROFILE_KEPT_FRAMES + 1];
	/* odd words (struct oprofile_odd_word), sorted from the outermost frame inwards; .frame:
	 * index of the word's frame in .frame[] */
	struct oprofile_odd_word odd[OPROFILE_ODD_WORDS];
};

/* Return the entry of @stacks for the current task. If the entry contains the stack of another
 * task, map or kind, discard that stack. */
static inline struct oprofile_kept_stack *oprofile_kept_stack(struct oprofile_kept_stack *stacks,
							      u32 map, u32 kind)
{
	struct oprofile_kept_stack *kept = &stacks[hash_ptr(current, ilog2(OPROFILE_KEPT_STACKS))];

	if (likely(kept->task == current && kept->start_time == current->start_time &&
		   kept->map == map && kept->kind == kind))
		return kept;
	kept->task = current;
	kept->start_time = current->start_time;
	kept->map = map;
	kept->kind = kind;
	kept->first = OPROFILE_KEPT_FRAMES;
	kept->nr_odd = 0;
	/* The sentinel: no real frame equals it, and its stack pointer is higher than those of
	 * all real frames. */
	kept->frame[OPROFILE_KEPT_FRAMES] =
		(struct oprofile_kept_frame){.sp = ~0ULL, .reads.state = -1};
	return kept;
}

/* State of a frame, besides pc, sp and frame pointer, that determines the next frame. */
#define STATE_USUAL		0	/* the usual state: only sp and frame pointer are known */
#define STATE_INNERMOST		8
#define STATE_BY_FP		16

static inline int oprofile_frame_state(const struct oprofile_uw_frame *frame)
{
	return (frame->known ^ (OPROFILE_UW_KNOWS_SP | OPROFILE_UW_KNOWS_FP)) |
	       (frame->innermost ? STATE_INNERMOST : 0) | (frame->by_fp ? STATE_BY_FP : 0);
}

static inline bool oprofile_frame_usual(const struct oprofile_uw_frame *frame)
{
	return !(oprofile_frame_state(frame) & ~STATE_INNERMOST) && !frame->context;
}

/* Return whether the user word at @address still has the value @value. Called between
 * user_access_begin() and user_access_end(). */
static __always_inline bool oprofile_still_reads(unsigned int machine, u64 address, u64 value,
						 bool strip)
{
	u64 now;
	u32 half;

	if (machine == OPROFILE_UW_I386) {
		unsafe_get_user(half, (const u32 __user *)(unsigned long)address, fault);
		now = half;
	} else {
		unsafe_get_user(now, (const u64 __user *)(unsigned long)address, fault);
	}
	return (strip ? oprofile_strip_user(now) : now) == value;
fault:
	return false;
}

/* Compare the words that the earlier walk read from frame @k outwards with the current words.
 * Return a frame with a changed word, or NULL if all words are unchanged. */
static __always_inline const struct oprofile_kept_frame *
oprofile_changed_frame(unsigned int machine, const struct oprofile_kept_stack *kept,
		       const struct oprofile_kept_frame *k)
{
	const struct oprofile_kept_frame *next, *outermost = &kept->frame[OPROFILE_KEPT_FRAMES - 1];
	const int word = oprofile_uw_word(machine);
	u32 i;

	/* Use pointers instead of indexes: a failed bounds check of an index calls a function,
	 * which is not allowed between user_access_begin() and user_access_end(). */
	for (i = 0; unlikely(i < kept->nr_odd) && k <= kept->frame + (kept->odd + i)->frame; i++) {
		if (!oprofile_still_reads(machine, (kept->odd + i)->address, (kept->odd + i)->value,
					  false))
			return kept->frame + (kept->odd + i)->frame;
	}
	for (; k != outermost; k = next) {
		int pc = machine == OPROFILE_UW_AARCH64 ? k->reads.pc : -1, fp = k->reads.fp;

		next = k + 1;
		if (unlikely(!k->reads.pc))
			continue;
		if (!oprofile_still_reads(machine, next->sp + pc * word, next->pc, true) ||
		    (fp && !oprofile_still_reads(machine, next->sp + fp * word, next->fp, false)))
			return k;
	}
	return NULL;
}

/*
 * Search the kept frames for @frame. Begin at the index *@at, search outwards, and store in *@at
 * where to begin the next search. If @frame equals a kept frame, and the words of this frame and of
 * all outer frames are unchanged, return the number of frames from this frame to the outermost one;
 * otherwise return 0. Called between user_access_begin() and user_access_end().
 */
static __always_inline u32 oprofile_kept_known(unsigned int machine,
					       const struct oprofile_kept_stack *kept,
					       const struct oprofile_kept_frame **at,
					       const struct oprofile_uw_frame *frame, int state)
{
	const struct oprofile_kept_frame *k = *at, *changed;

	while (k->sp < frame->sp)
		k++;
	*at = k;
	if (k->sp != frame->sp || k->pc != frame->pc || k->fp != frame->fp ||
	    k->reads.state != state)
		return 0;
	changed = oprofile_changed_frame(machine, kept, k);
	if (!changed)
		return kept->frame + OPROFILE_KEPT_FRAMES - k;
	*at = changed + 1;
	return 0;
}

/*
 * Discard all kept frames except the @known outermost ones, to make room for @nr new inner frames.
 * Return how many of the new frames to keep. These are the outermost new frames; the innermost
 * frame is never kept, because its rule may need registers. @odd: odd words of the new frames, with
 * .frame counted from the innermost frame (0). @nr_odd may exceed the size of @odd: the excess
 * words were not stored.
 */
static __always_inline u32 oprofile_keep(struct oprofile_kept_stack *kept, u32 known, u32 nr,
					 const struct oprofile_odd_word *odd, u32 nr_odd)
{
	u32 first = OPROFILE_KEPT_FRAMES - known, keep = min(nr ? nr - 1 : 0, first);

	kept->first = first;
	while (unlikely(kept->nr_odd) && kept->odd[kept->nr_odd - 1].frame < first)
		kept->nr_odd--;
	if (likely(!nr_odd))
		return keep;
	if (nr_odd > OPROFILE_ODD_WORDS)
		return 0;
	while (nr_odd--) {
		u32 further_out = nr - 1 - odd[nr_odd].frame;

		if (further_out >= keep)
			return keep;
		if (kept->nr_odd == OPROFILE_ODD_WORDS)
			return further_out;
		kept->odd[kept->nr_odd] = odd[nr_odd];
		kept->odd[kept->nr_odd++].frame = first - 1 - further_out;
	}
	return keep;
}

#endif
