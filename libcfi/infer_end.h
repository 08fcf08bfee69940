/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * infer_end.h -- inference of rules from the instructions between a position and the end of the
 * function that contains the position.
 *
 * The search follows one execution path (struct way) through the code. If the path gives no rule,
 * the search tries the other directions of its branches. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_INFER_END_H
#define LIBCFI_INFER_END_H

#include <stdbool.h>

#include "libcfi/infer.h"
#include "libcfi/insn.h"

/* maximum number of branches that are stored to try their other direction later */
#define MAX_BRANCHES 16
#define NR_SEEN 8    /* number of jump targets that a path remembers to detect loops */
#define NR_PASSED 16 /* maximum number of calls on a path that are stored in search.passed */

static inline unsigned int word_of(const struct cfi_code *code)
{
	return code->machine == OPROFILE_UW_I386 ? 4 : 8;
}

static inline bool is_arm(const struct cfi_code *code)
{
	return code->machine == OPROFILE_UW_AARCH64;
}

/* The base of an address: the value that sp or fp had at the start of the path. NOTHING: the
 * address is unknown. */
enum base { NOTHING, START_SP, START_FP };

/* Location of the value that a register had at the start of the path. */
enum where { IN_REGISTER, IN_STACK, NOWHERE };

struct place {
	__u8 base; /* base of the address, enum base */
	__s32 at;
};

/* An execution path through the code. All addresses are relative to the values of sp and fp at its
 * start. */
struct way {
	__u64 pc;
	struct place sp;
	/* enum where: the location of the values that fp and (on aarch64) lr had at the start of
	 * the path */
	__u8 fp_is, lr_is;
	/* IN_STACK: address from which the path has loaded fp. NOWHERE: current value of fp, if
	 * known. */
	struct place fp;
	struct place lr; /* IN_STACK: address from which the path has loaded lr */
	/* addresses at which this path has stored fp and lr; .had_fp and .had_lr: location of the
	 * stored values before the store */
	struct place saved_fp, saved_lr;
	struct {
		__u8 is;
		struct place from;
	} had_fp, had_lr;
	bool called;
	/* stack pointer at the outermost call on this path (the call with the highest stack
	 * pointer), relative to the stack pointer at the start of the path */
	__s32 called_at;
	__u8 nr_passed;	 /* number of elements that this path has stored in search.passed */
	__u8 next_seen;
	/* jump targets on this path: offsets plus 1; 0: the element is empty */
	__u32 seen[NR_SEEN];
};

/* The state just after a call on a path. */
struct passed {
	__u64 pc;
	struct place sp;
	bool keeps_fp; /* fp has the same value as at the start of the path */
};

struct search {
	struct way branches[MAX_BRANCHES];
	unsigned int nr_branches, left;
	struct passed passed[NR_PASSED]; /* calls on the path that the search followed last */
	unsigned int nr_passed;
	/* a path has reached the end of another function, because the path has passed a call
	 * that never returns */
	bool found_other;
};

/* The result of a search from a position to the end of its function. */
enum by_end {
	END_UNKNOWN,
	/* another function starts at the position, because the call before the position never
	 * returns */
	END_OTHER,
	END_WEAK,  /* a rule was found, but on a path that passes a call, which may never return */
	END_KNOWN, /* a rule was found on a path without calls */
};

/* Decode the instruction at the offset @at, or copy it from the cache code->decoded. */
void cfi_infer_decode(const struct cfi_code *code, __u64 at, struct cfi_insn *insn);

/* Return whether the bytes at @at, just after a call, are padding or an endbr. If so, the called
 * function never returns. */
bool cfi_infer_is_after_end(const struct cfi_code *code, __u64 at);

/*
 * Search the code from the offset @at to the end of its function. At most *@steps instructions are
 * decoded; their number is subtracted from *@steps. @is_after_call: a call ends at @at. Set *@rule
 * if the result is END_WEAK or END_KNOWN.
 */
enum by_end cfi_infer_from_end(const struct cfi_code *code, __u64 at, bool is_after_call,
			       __u64 *steps, struct search *s, struct oprofile_uw_rule *rule);

#endif
