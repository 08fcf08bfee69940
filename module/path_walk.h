/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_walk.h -- from a program's registers up its stack, frame by frame, without ever faulting or waiting.
 *
 * What was found last in a task on this CPU is kept with the addresses of all words that led from frame to frame. A walk
 * that comes upon one of its frames, with the same pc, sp and frame pointer, and reads the same from there on, is at
 * its end: the rest is a function of just these. A rule that was looked up is kept for a while, too.
 */
#ifndef OPROFILE_PATH_WALK_H
#define OPROFILE_PATH_WALK_H

#include <linux/types.h>

#include "uapi/unwind.h"

#define OPROFILE_MAX_DEPTH	1024
#define OPROFILE_HANDLER_FRAMES	64	/* new ones of a walk in a handler */
#define OPROFILE_KEPT_FRAMES	128	/* of a stack, the outermost */
#define OPROFILE_KEPT_STACKS	16
#define OPROFILE_RULE_BITS	12

struct oprofile_path_book;
struct oprofile_path_map;
struct pt_regs;

/* What holds at an address. */
struct oprofile_path_rule {
	u64 code;
	u32 map;			/* number of the map; 0: nothing is kept here */
	u32 turn;
	u32 area;			/* in the map */
	u8 end;				/* 0, or NO_ROW */
	u8 call;			/* is what ends behind this address a call? CALL_* */
	struct oprofile_uw_rule rule;
};

struct oprofile_kept_frame {
	u64 pc, sp, fp;
	u64 pc_slot, fp_slot;		/* read to get to the next outer one; pc_slot 0: more than these was */
	u64 offset;
	u32 image;			/* and how */
	u32 node;
	u32 registers;			/* that are known */
};

struct oprofile_kept_stack {
	const void *task;		/* only compared, because the task may be gone */
	u64 start_time;
	u32 map, epoch;
	u32 nr;
	struct oprofile_kept_frame frame[OPROFILE_KEPT_FRAMES];	/* outermost first */
};

/* Belongs to one CPU, for walks in NMIs or for all others: one walk at a time, interrupts off. */
struct oprofile_walker {
	struct oprofile_path_rule rules[1 << OPROFILE_RULE_BITS];
	struct oprofile_kept_stack stacks[OPROFILE_KEPT_STACKS];
	struct oprofile_kept_frame fresh[OPROFILE_MAX_DEPTH];	/* innermost first */
};

struct oprofile_path_stats {
	u64 ends[OPROFILE_UW_NR_ENDS];	/* what became of walks */
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
	struct oprofile_path_stats *stats;
	bool careful;			/* this CPU may have another task's memory loaded */
};

/* Walks the current task's user stack and returns its node, for @n samples; *@end: why the walk
 * ends. OPROFILE_NO_NODE: there is no path, or no room. RCU; interrupts off, or NMI. */
u32 oprofile_walk_user(struct oprofile_walker *w, const struct oprofile_walk *walk, u64 n, u32 *end);

#endif
