/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_kept.h -- the last stack of a task on a CPU, with all words that led from frame to frame.
 *
 * A walk that comes upon one of its frames, with the same pc, sp and frame pointer, and reads the same from there on, is at
 * its end: the rest is a function of just these. Inline, as this is most of what a sample costs.
 */
#ifndef OPROFILE_PATH_KEPT_H
#define OPROFILE_PATH_KEPT_H

#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "uapi/unwind_walk.h"

#define OPROFILE_KEPT_FRAMES	128	/* of a stack, the outermost */
#define OPROFILE_KEPT_WORDS	(2 * OPROFILE_KEPT_FRAMES)
#define OPROFILE_KEPT_STACKS	16

/* A word that was read on the way up a stack. */
struct oprofile_kept_word {
	u64 address, value;
};

struct oprofile_kept_frame {
	u64 pc, sp, fp;
	u32 state;			/* what else a frame is known by */
	u32 image;			/* and how */
	u64 offset;
	u32 node;
	u32 words;			/* where those begin that were read from here on */
};

/* The innermost frame comes first, and so do its words. The last frame is none: it ends a search. */
struct oprofile_kept_stack {
	const void *task;		/* only compared, because the task may be gone */
	u64 start_time;
	u32 map, epoch;
	u32 first;			/* frames from here on are kept */
	struct oprofile_kept_frame frame[OPROFILE_KEPT_FRAMES + 1];
	struct oprofile_kept_word word[OPROFILE_KEPT_WORDS];
};

/* The last stack of the current task on this CPU, or an empty one. */
static inline struct oprofile_kept_stack *oprofile_kept_stack(struct oprofile_kept_stack *stacks, u32 map, u32 epoch)
{
	struct oprofile_kept_stack *kept = &stacks[hash_ptr(current, ilog2(OPROFILE_KEPT_STACKS))];

	if (likely(kept->task == current && kept->start_time == current->start_time && kept->map == map &&
		   kept->epoch == epoch))
		return kept;
	kept->task = current;
	kept->start_time = current->start_time;
	kept->map = map;
	kept->epoch = epoch;
	kept->first = OPROFILE_KEPT_FRAMES;
	/* No frame is like this one, nor has a higher stack pointer. */
	kept->frame[OPROFILE_KEPT_FRAMES] = (struct oprofile_kept_frame){
		.sp = ~0ULL, .state = ~0U, .words = OPROFILE_KEPT_WORDS,
	};
	return kept;
}

/* The first of the kept words from @w on, up to @behind, that is not or cannot be told to be what it was, or @behind. All
 * could be read once. */
static __always_inline const struct oprofile_kept_word *
oprofile_changed_word(unsigned int machine, const struct oprofile_kept_word *w, const struct oprofile_kept_word *behind)
{
	u64 value;
	u32 half;

	for (; w != behind; w++) {
		unsigned long from = w->address;

		if (machine == OPROFILE_UW_I386) {
			unsafe_get_user(half, (const u32 __user *)from, changed);
			value = half;
		} else {
			unsafe_get_user(value, (const u64 __user *)from, changed);
		}
		if (value != w->value)
			break;
	}
changed:
	return w;
}

/* How many of the kept frames, from the outermost on, are still right. @frame must be one of
 * them, with the same words on the stack from there on; *@at is where to look for it. Between
 * user_access_begin() and user_access_end(). */
static __always_inline u32 oprofile_kept_known(unsigned int machine, const struct oprofile_kept_stack *kept,
					       const struct oprofile_kept_frame **at,
					       const struct oprofile_uw_frame *frame, u32 state)
{
	const struct oprofile_kept_word *behind = kept->word + OPROFILE_KEPT_WORDS, *changed;
	const struct oprofile_kept_frame *k = *at;

	while (k->sp < frame->sp)
		k++;
	*at = k;
	if (k->sp != frame->sp || k->pc != frame->pc || k->fp != frame->fp || k->state != state)
		return 0;
	changed = oprofile_changed_word(machine, kept->word + k->words, behind);
	if (changed == behind)
		return kept->frame + OPROFILE_KEPT_FRAMES - k;
	while (kept->word + k->words <= changed)
		k++;
	*at = k;
	return 0;
}

/*
 * Keeps the @nr @fresh frames of a whole path before those that are kept already: but for the innermost, whose
 * rule may need registers, and those for which there is no room. The @words were read on the way.
 */
static __always_inline void oprofile_keep(struct oprofile_kept_stack *kept, const struct oprofile_kept_frame *fresh, u32 nr,
					  const struct oprofile_kept_word *words, u32 nr_words)
{
	u32 to = kept->first, room = kept->frame[to].words, inner = nr > to ? nr - to : 1, i;

	while (inner < nr && unlikely(nr_words - fresh[inner].words > room))
		inner++;
	if (inner >= nr)
		return;
	to -= nr - inner;
	kept->first = to;
	for (i = inner; i < nr; i++, to++) {
		kept->frame[to] = fresh[i];
		kept->frame[to].words += room - nr_words;
	}
	for (i = fresh[inner].words; i < nr_words; i++)
		kept->word[i + room - nr_words] = words[i];
}

#endif
