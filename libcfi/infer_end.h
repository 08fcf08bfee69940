/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * infer_end.h -- inference of rules from the instructions between a position and the end of its
 * function.
 *
 * The instructions are followed on a way through the code. If one way after a branch gives no rule,
 * the other way is tried. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_INFER_END_H
#define LIBCFI_INFER_END_H

#include <stdbool.h>

#include "libcfi/infer.h"
#include "libcfi/insn.h"

/* on one way, limit of the branches for which the other direction is tried, too */
#define MAX_BRANCHES 16
#define NR_SEEN 8    /* number of targets of jumps that a way remembers to detect loops */
#define NR_PASSED 16 /* limit of calls on a way that are stored in search.passed */

static inline unsigned int word_of(const struct cfi_code *code)
{
	return code->machine == OPROFILE_UW_I386 ? 4 : 8;
}

static inline bool is_arm(const struct cfi_code *code)
{
	return code->machine == OPROFILE_UW_AARCH64;
}

/* The base of an address: the value of sp or fp where the way starts; NOTHING: unknown. */
enum base { NOTHING, START_SP, START_FP };

/* The location of the caller's value of a register. */
enum where { IN_REGISTER, IN_STACK, NOWHERE };

struct place {
	__u8 base; /* value of enum base */
	__s32 at;
};

/* A way through the code: the instructions from a start position on. All addresses are relative to
 * the values of sp and fp at the start position. */
struct way {
	__u64 pc;
	struct place sp;
	/* values of enum where; .fp_is: location of the caller's fp; .lr_is: location of aarch64's
	 * return address */
	__u8 fp_is, lr_is;
	/* with IN_STACK: the address from which fp was loaded; with NOWHERE: the value of fp, if
	 * known */
	struct place fp;
	struct place lr; /* the place from which lr was loaded; valid only if .lr_is is IN_STACK */
	/* addresses where this way has stored the caller's fp and lr; .had_fp and .had_lr are the
	 * locations from which the stored values came */
	struct place saved_fp, saved_lr;
	struct {
		__u8 is;
		struct place from;
	} had_fp, had_lr;
	bool called;
	/* stack pointer at the outermost call on this way, relative to its value at the start */
	__s32 called_at;
	__u8 nr_passed;	 /* number of elements of search.passed that belong to this way */
	__u8 next_seen;
	__u32 seen[NR_SEEN]; /* offsets of the targets of jumps plus 1; 0: the element is free */
};

/* A position after a call, on a way through the code. */
struct passed {
	__u64 pc;
	struct place sp;
	bool keeps_fp; /* fp has the same value as at the start of the way */
};

struct search {
	struct way branches[MAX_BRANCHES];
	unsigned int nr_branches, left;
	struct passed passed[NR_PASSED]; /* the calls on the way that was followed last */
	unsigned int nr_passed;
	/* a way has come to the end of another function, because the call before that function
	 * never returns */
	bool found_other;
};

/* The result of following all ways from a position to the end of its function. */
enum by_end {
	END_UNKNOWN,
	/* the way starts after a call that never returns: another function begins there */
	END_OTHER,
	END_WEAK,  /* a rule was found, on a way with a call */
	END_KNOWN, /* a rule was found, on a way without a call */
};

/* Decode the instruction at the offset @at, or take it from the cache code->decoded. */
void cfi_infer_decode(const struct cfi_code *code, __u64 at, struct cfi_insn *insn);

/* Return whether the bytes at @at, which follow a call, are padding or the landing place of another
 * function. Then the call does not return. */
bool cfi_infer_is_behind_end(const struct cfi_code *code, __u64 at);

/*
 * Follow the code at the offset @at to the end of its function, by at most *@steps instructions,
 * which are subtracted. @is_behind_call: a call ends at @at. Set *@rule if the result is at least
 * END_WEAK.
 */
enum by_end cfi_infer_from_end(const struct cfi_code *code, __u64 at, bool is_behind_call,
			       __u64 *steps, struct search *s, struct oprofile_uw_rule *rule);

#endif
