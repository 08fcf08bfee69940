/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86/ibs.h -- AMD's instruction-based sampling (IBS): after each period of fetches, cycles or
 * operations, the CPU records how it processed one instruction.
 *
 * As in counters.c, all access to the hardware is through hw.h. A struct oprofile_ibs belongs to
 * one CPU, and its NMI handler may interrupt the functions at any instruction.
 */
#ifndef OPROFILE_X86_IBS_H
#define OPROFILE_X86_IBS_H

#include <linux/types.h>

/* largest max_count of fetch sampling; also of op sampling on early CPUs */
#define OPROFILE_IBS_FETCH_MAX	0xffff0UL
#define OPROFILE_IBS_OP_WIDE_MAX	0x7fffff0UL
#define OPROFILE_IBS_WORDS	12	/* number of 32-bit words in an IBS record */

/* The settings of fetch or op sampling, from the files in oprofilefs. */
struct oprofile_ibs_wish {
	unsigned long enable;
	/* number of fetches, cycles or operations from one sample to the next */
	unsigned long max_count;
	unsigned long rand_enable;	/* whether to randomize the low bits of max_count */
	unsigned long dispatched_ops;	/* whether to count operations instead of cycles */
	/* whether to keep the samples of kernel mode and of user mode: 1: keep, 0: discard */
	unsigned long kernel, user;
};

struct oprofile_ibs_kind;

/*
 * The state of fetch or op sampling (a "unit" of IBS) on a CPU. IBS cannot be reserved, so the
 * kernel's perf may begin to use a unit at any time. The control register shows such a use: if the
 * unit is enabled before this module starts it, or has a maximum count that this module did not
 * write, it belongs to another user. This module then does not touch the unit until the next start.
 */
struct oprofile_ibs_unit {
	const struct oprofile_ibs_kind *kind;
	/* value written to the control register when sampling starts, without the count; 0: the
	 * unit is not sampled */
	u64 control;
	u64 count, most;
	u64 saved;
	u64 begun;		/* value that was last written to the control register */
	bool armed;
	/* whether the unit is being stopped, so that its next sample is the last one */
	bool ending;
};

struct oprofile_ibs {
	u32 caps;		/* capabilities from CPUID 8000001bh, EAX; 0: this CPU has no IBS */
	u32 family;
	u32 random;
	/* factor of the NMI rate limit: max_count is shifted left by this number of bits */
	u32 shift;
	/* number of samples that were lost at a stop, because their interrupt came too late */
	u32 lost;
	/* number of times that another user has begun to use a unit during sampling */
	u32 taken_away;
	bool randomise;
	struct oprofile_ibs_unit fetch, op;
};

struct oprofile_ibs_record {
	u64 pc;
	/* number of words in the record: for each register the low and the high half, in the
	 * order of the stream */
	u32 nr;
	u32 words[OPROFILE_IBS_WORDS];
};

/* Return the capabilities of IBS from CPUID leaf 8000001bh, EAX; 0: no IBS. */
u32 oprofile_ibs_caps(void);
/* Return the largest valid max_count of op sampling for the capabilities @caps. */
unsigned long oprofile_ibs_op_max(u32 caps);
bool oprofile_ibs_counts_ops(u32 caps);

/* Save the registers of IBS and set up its interrupt. Called on the CPU itself. Return NULL, or
 * the reason for a failure. */
const char *oprofile_ibs_save(struct oprofile_ibs *ibs, const struct oprofile_ibs_wish *fetch,
			      const struct oprofile_ibs_wish *op);
void oprofile_ibs_restore(struct oprofile_ibs *ibs);

/* Start and stop the enabled units, with interrupts off. oprofile_ibs_start() returns NULL, or the
 * reason why IBS has no interrupt. After oprofile_ibs_stop() has returned, no more samples come. */
const char *oprofile_ibs_start(struct oprofile_ibs *ibs);
/* Return how many interrupts without a sample may still arrive after sampling was stopped. */
u32 oprofile_ibs_armed(const struct oprofile_ibs *ibs);
void oprofile_ibs_stop(struct oprofile_ibs *ibs);
/* Stop both units immediately, in an NMI at a panic. Return whether a unit was active. */
bool oprofile_ibs_kill(struct oprofile_ibs *ibs);

/* Called in an NMI. If a sample is pending, store it in *@ret, begin the next period, and return
 * true; otherwise return false. A fetch sample without an address has no words. */
bool oprofile_ibs_read_fetch(struct oprofile_ibs *ibs, struct oprofile_ibs_record *ret);
bool oprofile_ibs_read_op(struct oprofile_ibs *ibs, u64 pc, struct oprofile_ibs_record *ret);

#endif
