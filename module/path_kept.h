/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_kept.h -- the last stack of a task on a CPU, with all words that led from frame to frame.
 *
 * A walk that comes upon one of its frames, with the same pc, sp and frame pointer, and reads the same from there on, is at
 * its end: the rest is a function of just these. Nearly all words that are read are the pc or frame pointer of the next frame,
 * at a distance from its sp; the others are kept by themselves. Inline, as this is most of what a sample costs.
 */
#ifndef OPROFILE_PATH_KEPT_H
#define OPROFILE_PATH_KEPT_H

#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "path_regs.h"
#include "uapi/unwind_walk.h"

#define OPROFILE_KEPT_FRAMES	128	/* of a stack, the outermost */
#define OPROFILE_ODD_WORDS	16
#define OPROFILE_KEPT_STACKS	16

struct oprofile_kept_frame {
	u64 pc, sp, fp;
	u32 node;
	/* what was read for the next frame: its pc and fp, from its sp; and what else this one is known by */
	struct oprofile_uw_reads reads;
};

/* A word that was read on the way up a stack, by a step that is not told by reads. */
struct oprofile_odd_word {
	u64 address, value;
	u32 frame;
};

/* The innermost frame comes first. The last frame is none: it ends a search. */
struct oprofile_kept_stack {
	const void *task;		/* only compared, because the task may be gone */
	u64 start_time;
	u32 map;
	u32 kind;			/* book and machine of the walk: programs may jump between code of 32 and 64 bits */
	u32 first;			/* frames from here on are kept */
	u32 nr_odd;
	struct oprofile_kept_frame frame[OPROFILE_KEPT_FRAMES + 1];
	struct oprofile_odd_word odd[OPROFILE_ODD_WORDS];	/* the outermost first; frame: index in the above */
};

/* The last stack of the current task on this CPU, or an empty one. */
static inline struct oprofile_kept_stack *oprofile_kept_stack(struct oprofile_kept_stack *stacks, u32 map, u32 kind)
{
	struct oprofile_kept_stack *kept = &stacks[hash_ptr(current, ilog2(OPROFILE_KEPT_STACKS))];

	if (likely(kept->task == current && kept->start_time == current->start_time && kept->map == map &&
		   kept->kind == kind))
		return kept;
	kept->task = current;
	kept->start_time = current->start_time;
	kept->map = map;
	kept->kind = kind;
	kept->first = OPROFILE_KEPT_FRAMES;
	kept->nr_odd = 0;
	/* No frame is like this one, nor has a higher stack pointer. */
	kept->frame[OPROFILE_KEPT_FRAMES] = (struct oprofile_kept_frame){ .sp = ~0ULL, .reads.state = -1 };
	return kept;
}

/* What else than pc, sp and frame pointer must be the same, for a frame to lead on in the same way. */
#define STATE_USUAL		0	/* sp and frame pointer are known */
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

/* Between user_access_begin() and user_access_end(), of what could be read once. */
static __always_inline bool oprofile_still_reads(unsigned int machine, u64 address, u64 value, bool strip)
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

/* A frame, from @k on, with which something else would be read now. NULL: there is none. */
static __always_inline const struct oprofile_kept_frame *
oprofile_changed_frame(unsigned int machine, const struct oprofile_kept_stack *kept, const struct oprofile_kept_frame *k)
{
	const struct oprofile_kept_frame *next, *outermost = &kept->frame[OPROFILE_KEPT_FRAMES - 1];
	const int word = oprofile_uw_word(machine);
	u32 i;

	/* By pointers: nothing may be called here, and checks of indexes call what tells of them. */
	for (i = 0; unlikely(i < kept->nr_odd) && k <= kept->frame + (kept->odd + i)->frame; i++) {
		if (!oprofile_still_reads(machine, (kept->odd + i)->address, (kept->odd + i)->value, false))
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

/* How many of the kept frames, from the outermost on, are still right. @frame must be one of
 * them, with the same words on the stack from there on; *@at is where to look for it. Between
 * user_access_begin() and user_access_end(). */
static __always_inline u32 oprofile_kept_known(unsigned int machine, const struct oprofile_kept_stack *kept,
					       const struct oprofile_kept_frame **at,
					       const struct oprofile_uw_frame *frame, int state)
{
	const struct oprofile_kept_frame *k = *at, *changed;

	while (k->sp < frame->sp)
		k++;
	*at = k;
	if (k->sp != frame->sp || k->pc != frame->pc || k->fp != frame->fp || k->reads.state != state)
		return 0;
	changed = oprofile_changed_frame(machine, kept, k);
	if (!changed)
		return kept->frame + OPROFILE_KEPT_FRAMES - k;
	*at = changed + 1;
	return 0;
}

/*
 * Forgets all but @known frames, for which there are @nr new ones. Returns how many of those, the outermost, are to be kept
 * before the others: not the innermost, whose rule may need registers. @odd: words of those, by number of the new frame, 0 is
 * the innermost; there may have been more than there is room for.
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
