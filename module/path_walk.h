/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_walk.h -- from a program's registers up its stack, frame by frame, without ever faulting or waiting.
 *
 * What was found last in a task on this CPU is kept (path_kept.h), and so is a rule that was looked up, for a while.
 */
#ifndef OPROFILE_PATH_WALK_H
#define OPROFILE_PATH_WALK_H

#include <linux/build_bug.h>
#include <linux/types.h>

#include "path_kernel.h"
#include "path_kept.h"
#include "uapi/unwind_walk.h"

#define OPROFILE_MAX_DEPTH	1024
#define OPROFILE_HANDLER_FRAMES	64	/* new ones of a walk in a handler */
#define OPROFILE_RULE_BITS	12

struct oprofile_path_book;
struct oprofile_path_map;
struct pt_regs;

/* What holds at an address. */
struct oprofile_path_rule {
	u64 code;
	u64 key;			/* 0: nothing is kept here; else of which map, and from which turn on */
	u64 offset;			/* where that is in its image */
	u32 image;			/* OPROFILE_NO_IMAGE: the mapping is not known */
	u8 end;				/* 0, or NO_ROW */
	u8 call;			/* is what ends behind this address a call? CALL_* */
	struct oprofile_uw_rule rule;
	struct oprofile_uw_plain plain;
	u64 none;			/* for a size that is a power of two */
};
static_assert(sizeof(struct oprofile_path_rule) == 64);

/* How a step from where @rule holds reads what it reads. */
static inline struct oprofile_uw_reads oprofile_rule_reads(const struct oprofile_path_rule *rule)
{
	return rule->end ? (struct oprofile_uw_reads){ .pc = -1, .fp = -2 } : rule->plain.reads;
}

/* A frame that was found by this walk, and where that is. */
struct oprofile_fresh_frame {
	struct oprofile_kept_frame frame;
	u64 offset;
	u32 image;			/* and how */
};

/* Who walks on a CPU. Each may be interrupted by the next one. */
enum oprofile_walker_of {
	OPROFILE_WALKER_TASK,		/* deep stacks only; preemption off */
	OPROFILE_WALKER_IRQ,		/* interrupts off */
	OPROFILE_WALKER_NMI,
	OPROFILE_NR_WALKERS,
};

/* Belongs to one CPU and one of these: one walk at a time. */
struct oprofile_walker {
	struct oprofile_path_rule rules[1 << OPROFILE_RULE_BITS];
	struct oprofile_kept_stack stacks[OPROFILE_KEPT_STACKS];
	struct oprofile_kernel_stack kernel;
	struct oprofile_path_rule unkept;	/* for an address of which nothing may be kept */
	struct oprofile_fresh_frame fresh[OPROFILE_MAX_DEPTH];	/* of this walk, the innermost first */
	struct oprofile_odd_word odd[OPROFILE_ODD_WORDS];	/* the same */
};

struct oprofile_path_stats {
	u64 ends[OPROFILE_UW_NR_ENDS];	/* of walks that gave a node: one for each sample that has a path */
	u64 frames_new, frames_known;
};

struct oprofile_walk {
	struct oprofile_path_book *book;
	const struct oprofile_path_map *map;
	struct pt_regs *regs;		/* of user mode */
	/* rules that were kept in another turn are looked up again */
	u32 turn;
	u32 depth;			/* no more frames than these */
	u32 max_new;			/* nor more new ones */
	u32 slice;			/* new frames after which the walk ends if another task waits for the CPU; 0: it does not end */
	struct oprofile_path_stats *stats;
	bool careful;			/* this CPU may have another task's memory loaded */
};

/* End of a walk that kept and counted nothing, because another task waits for the CPU. */
#define OPROFILE_WALK_PAUSED	OPROFILE_UW_NR_ENDS

/* Walks the current task's user stack and returns its node, for @n samples; *@end: why the walk
 * ends. OPROFILE_NO_NODE: there is no path, or no room. RCU. */
u32 oprofile_walk_user(struct oprofile_walker *w, const struct oprofile_walk *walk, u64 n, u32 *end);

#endif
