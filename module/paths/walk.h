/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/walk.h -- walking of a program's stack from its registers, without page faults and without
 * waiting.
 *
 * The frames of a task's last walk on this CPU are kept (paths/kept.h), and unwind rules are
 * cached.
 */
#ifndef OPROFILE_PATHS_WALK_H
#define OPROFILE_PATHS_WALK_H

#include <linux/build_bug.h>
#include <linux/types.h>

#include "paths/kernel_stack.h"
#include "paths/kept.h"
#include "uapi/unwind_walk.h"

#define OPROFILE_MAX_DEPTH	1024
/* maximum number of new frames in a walk that a handler does */
#define OPROFILE_HANDLER_FRAMES	64
#define OPROFILE_RULE_BITS	12

struct oprofile_path_book;
struct oprofile_path_map;
struct pt_regs;

/* A cached unwind rule. */
struct oprofile_path_rule {
	u64 code;
	/* hash of the map, the machine type, and .turn of struct oprofile_walk; 0: the entry is
	 * empty */
	u64 key;
	u64 offset;			/* the address as an offset in the image */
	/* number of the image; OPROFILE_NO_IMAGE: unknown mapping */
	u32 image;
	/* reason why no rule was found, enum oprofile_uw_end; 0: the rule is valid */
	u8 end;
	/* whether a call instruction ends just after .code: CALL_* */
	u8 call;
	struct oprofile_uw_rule rule;
	struct oprofile_uw_plain plain;
	u64 none;			/* unused; pads the struct to a power of two bytes */
};
static_assert(sizeof(struct oprofile_path_rule) == 64);

/* Return the locations, relative to the next frame's sp, from which a step by @rule reads words. */
static inline struct oprofile_uw_reads oprofile_rule_reads(const struct oprofile_path_rule *rule)
{
	if (rule->end || oprofile_uw_goes_by_fp(&rule->rule))
		return (struct oprofile_uw_reads){ .pc = -1, .fp = -2 };
	return rule->plain.reads;
}

/* A frame that the current walk has found, with its position in an image. */
struct oprofile_fresh_frame {
	struct oprofile_kept_frame frame;
	u64 offset;
	/* image number, combined with method << OPROFILE_HOW_SHIFT */
	u32 image;
};

/* The walkers of a CPU. The context of each walker can be interrupted by the context of the next
 * one. */
enum oprofile_walker_of {
	/* walker in task context with preemption off, only for deep stacks */
	OPROFILE_WALKER_TASK,
	OPROFILE_WALKER_IRQ,		/* walker in contexts with interrupts off */
	OPROFILE_WALKER_NMI,
	OPROFILE_NR_WALKERS,
};

/* The state of one walker on one CPU, which does one walk at a time. */
struct oprofile_walker {
	struct oprofile_path_rule rules[1 << OPROFILE_RULE_BITS];
	struct oprofile_kept_stack stacks[OPROFILE_KEPT_STACKS];
	struct oprofile_kernel_stack kernel;
	/* rule of the current address, if the rule must not be stored in the cache */
	struct oprofile_path_rule unkept;
	/* frames that this walk has found, innermost first */
	struct oprofile_fresh_frame fresh[OPROFILE_MAX_DEPTH];
	/* odd words of the frames in .fresh: words that .reads does not describe */
	struct oprofile_odd_word odd[OPROFILE_ODD_WORDS];
};

struct oprofile_path_stats {
	/* for each reason why a path ends: the number of samples whose paths ended so */
	u64 ends[OPROFILE_UW_NR_ENDS];
	u64 frames_new, frames_known;
};

struct oprofile_walk {
	struct oprofile_path_book *book;
	const struct oprofile_path_map *map;
	struct pt_regs *regs;		/* user-mode registers */
	/* current value of oprofile_path_tables.turn; a rule cached at another value is looked
	 * up again */
	u32 turn;
	u32 depth;			/* maximum number of frames of the path */
	u32 max_new;			/* maximum number of new frames, that is, frames that are
					 * not kept from an earlier walk */
	/* number of new frames after which the walk ends if another task waits for the CPU; 0: no
	 * such limit */
	u32 slice;
	struct oprofile_path_stats *stats;
	/* read user memory by a function that also works in an NMI, when another task's page
	 * tables may be loaded on this CPU */
	bool careful;
};

/* Reason for the end of a walk that stopped because another task waits for the CPU. Such a walk has
 * neither stored frames nor counted samples. */
#define OPROFILE_WALK_PAUSED	OPROFILE_UW_NR_ENDS

/* Walk the current task's user stack for @n samples, and return the node of its path. *@end: the
 * reason for the end of the path. Return OPROFILE_NO_NODE if the task has no path or the book has
 * no room. Called under RCU. */
u32 oprofile_walk_user(struct oprofile_walker *w, const struct oprofile_walk *walk, u64 n,
		       u32 *end);

#endif
