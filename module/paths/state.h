/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/state.h -- state of one stack walk, and its reads of the program's memory. Only
 * paths/walk.c includes this file, after paths/walk.h.
 */
#ifndef OPROFILE_PATHS_STATE_H
#define OPROFILE_PATHS_STATE_H

#include <linux/types.h>
#include <linux/uaccess.h>

#include "paths/kept.h"
#include "paths/regs.h"

struct state {
	struct oprofile_walker *w;
	const struct oprofile_walk *walk;
	/* Part of the key of cached rules. This walk uses only rules that were cached with this
	 * key. */
	u64 key;
	/* number of odd words (kept.h), including words for which w->odd had no room */
	u32 nr_odd;
	/* index of the frame whose words are being read */
	u32 frame;
	/* number of new frames after which the walk ends, or checks whether other tasks wait for
	 * the CPU */
	u32 limit;
	unsigned int machine;
	struct oprofile_path_rule *last;	/* the unwind rule that was looked up last */
	/* the code before a return address was not readable */
	bool unread;
	/* number of failed reads; failed reads of walk_plain() are not counted, because step()
	 * retries them */
	u32 faults;
	/* pc of the next frame, if walk_plain() stopped because that pc has no cached rule */
	u64 missing;
};

static __always_inline int read_user(struct state *s, u64 address, void *to, unsigned int size)
{
	const void __user *from = (const void __user *)(unsigned long)address;

	if (unlikely(s->walk->careful)) {
		if (!oprofile_copy_from_user_carefully(to, from, size))
			return 0;
		s->faults++;
		return OPROFILE_UW_STACK;
	}
	if (!user_access_begin(from, size))
		return OPROFILE_UW_STACK;
	if (size == 8)
		unsafe_get_user(*(u64 *)to, (const u64 __user *)from, fault);
	else
		unsafe_get_user(*(u32 *)to, (const u32 __user *)from, fault);
	user_access_end();
	return 0;
fault:
	user_access_end();
	s->faults++;
	return OPROFILE_UW_STACK;
}

static __always_inline int word(void *data, __u64 address, unsigned int size, __u64 *value)
{
	struct state *s = data;
	u32 half = 0;
	int end;

	if (size == 8) {
		end = read_user(s, address, value, 8);
	} else {
		end = read_user(s, address, &half, 4);
		if (!end)
			*value = half;
	}
	if (!end && s->nr_odd++ < OPROFILE_ODD_WORDS)
		s->w->odd[s->nr_odd - 1] = (struct oprofile_odd_word){ address, *value, s->frame };
	return end;
}

static inline int read_code(struct state *s, u64 address, u8 *code)
{
	return read_user(s, address, code, 8);
}

#endif
