/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/ibs.h -- AMD's instruction-based sampling: every so many fetches, or cycles or operations, the
 * CPU follows one instruction through and tells what became of it.
 *
 * Like counters.c, this reaches the hardware through hw.h alone. A struct oprofile_ibs belongs to its
 * CPU, whose NMI handler may interrupt at any instruction.
 */
#ifndef OPROFILE_X86_IBS_H
#define OPROFILE_X86_IBS_H

#include <linux/types.h>

#define OPROFILE_IBS_FETCH_MAX	0xffff0UL	/* the largest max_count, of early CPUs' operations too */
#define OPROFILE_IBS_OP_WIDE_MAX	0x7fffff0UL
#define OPROFILE_IBS_WORDS	12	/* of a record, 32 bits each */

/* What to sample, as user space asked for it. */
struct oprofile_ibs_wish {
	unsigned long enable;
	unsigned long max_count;	/* fetches, or cycles or operations, to a sample */
	unsigned long rand_enable;	/* low bits of that are random */
	unsigned long dispatched_ops;	/* operations: count them, not cycles */
	unsigned long kernel, user;	/* keep samples there */
};

struct oprofile_ibs_kind;

/*
 * Nobody keeps a list of who uses IBS, and the kernel's perf may begin to at any time. What the register
 * holds tells: a unit that is enabled when ours would start, or has another count than we gave it, is
 * somebody else's and is left alone until the next start.
 */
struct oprofile_ibs_unit {
	const struct oprofile_ibs_kind *kind;
	u64 control;		/* what is written to start it, but for the count; 0: it is not wanted */
	u64 count, most;
	u64 saved;
	u64 begun;		/* what was written last */
	bool armed;
	bool ending;		/* a sample taken now is the last sample */
};

struct oprofile_ibs {
	u32 caps;		/* CPUID 8000001bh, EAX; 0: no IBS */
	u32 family;
	u32 random;
	u32 shift;		/* counts are doubled so many times: the governor */
	u32 lost;		/* samples whose interrupt did not come in time at a stop */
	u32 taken_away;		/* times that somebody else had, or took, one of the units */
	bool randomise;
	struct oprofile_ibs_unit fetch, op;
};

struct oprofile_ibs_record {
	u64 pc;
	u32 nr;			/* words: low and high half of each register, as the stream has them */
	u32 words[OPROFILE_IBS_WORDS];
};

/* What CPUID says of IBS (leaf 8000001bh, EAX); 0: the CPU has none. */
u32 oprofile_ibs_caps(void);
/* The largest max_count of operations. */
unsigned long oprofile_ibs_op_max(u32 caps);
bool oprofile_ibs_counts_ops(u32 caps);

/* On the CPU. NULL, or why not; what was in the registers is saved, and the interrupt is ours. */
const char *oprofile_ibs_save(struct oprofile_ibs *ibs, const struct oprofile_ibs_wish *fetch,
			      const struct oprofile_ibs_wish *op);
void oprofile_ibs_restore(struct oprofile_ibs *ibs);

/* Called with interrupts off. start returns NULL, or why IBS has no interrupt any more; when stop returns, no sample is
 * left to come. */
const char *oprofile_ibs_start(struct oprofile_ibs *ibs);
/* How many interrupts may still come after stop has begun although there was no sample for them. */
u32 oprofile_ibs_armed(const struct oprofile_ibs *ibs);
void oprofile_ibs_stop(struct oprofile_ibs *ibs);
/* Stops at once, from an NMI at a panic. Returns whether there was anything to stop. */
bool oprofile_ibs_kill(struct oprofile_ibs *ibs);

/*
 * In an NMI: true when there is a sample, which is copied and the next one begun. @pc is used where
 * the hardware does not know. A sample of nothing has no words.
 */
bool oprofile_ibs_take_fetch(struct oprofile_ibs *ibs, struct oprofile_ibs_record *ret);
bool oprofile_ibs_take_op(struct oprofile_ibs *ibs, u64 pc, struct oprofile_ibs_record *ret);

#endif
