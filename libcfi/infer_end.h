/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * infer_end.h -- rules found from the instructions between a position and the end of its function.
 *
 * If one way of a branch gives no rule, the other one is tried. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_INFER_END_H
#define LIBCFI_INFER_END_H

#include <stdbool.h>

#include "libcfi/infer.h"
#include "libcfi/insn.h"

#define MAX_BRANCHES 16 /* branches on a way whose other way is tried */
#define NR_SEEN 8    /* targets of jumps that a way remembers, so that it goes around in no loop */
#define NR_PASSED 16 /* calls on a way that a search notes */

static inline unsigned int word_of(const struct cfi_code *code)
{
	return code->machine == OPROFILE_UW_I386 ? 4 : 8;
}

static inline bool is_arm(const struct cfi_code *code)
{
	return code->machine == OPROFILE_UW_AARCH64;
}

/* The base of an address. */
enum base { NOTHING, START_SP, START_FP };

/* Where the caller's value of a register is. */
enum where { IN_REGISTER, IN_STACK, NOWHERE };

struct place {
	__u8 base; /* enum base */
	__s32 at;
};

/* A way through the code from a position on. All values are relative to the registers at that
 * position. */
struct way {
	__u64 pc;
	struct place sp;
	__u8 fp_is, lr_is; /* enum where: the caller's fp; the return address of aarch64 */
	struct place fp; /* IN_STACK: it was loaded from there; NOWHERE: fp is this address, if that
			    is known */
	struct place lr; /* IN_STACK: it was loaded from there */
	struct place saved_fp, saved_lr; /* the caller's was stored there on this way, when it was
					    as .had_fp and .had_lr say */
	struct {
		__u8 is;
		struct place from;
	} had_fp, had_lr;
	bool called;
	__s32 called_at; /* sp at the outermost call on this way, counted from START_SP */
	__u8 nr_passed;	 /* of search.passed[] */
	__u8 next_seen;
	__u32 seen[NR_SEEN]; /* 1 more than the offset; 0: none */
};

/* A place after a call on a way. */
struct passed {
	__u64 pc;
	struct place sp;
	bool keeps_fp; /* fp is the same as where the way begins */
};

struct search {
	struct way branches[MAX_BRANCHES];
	unsigned int nr_branches, left;
	struct passed passed[NR_PASSED]; /* the calls on the way that was followed last */
	unsigned int nr_passed;
	bool found_other; /* a way has come to the end of another function, behind a call that never
			     returns */
};

/* The result of following the ways from a position to the end of its function. */
enum by_end {
	END_UNKNOWN,
	END_OTHER, /* behind a call: another function begins there */
	END_WEAK,  /* a rule; there was a call on the way */
	END_KNOWN, /* a rule */
};

/* Decode the instruction at @at, or take it from code->decoded. */
void cfi_infer_decode(const struct cfi_code *code, __u64 at, struct cfi_insn *insn);

/* Return whether the bytes at @at, after a call, are padding or the landing place of another
 * function: the call does not return there. */
bool cfi_infer_is_behind_end(const struct cfi_code *code, __u64 at);

/*
 * Follow the code at @at to the end of its function, by at most *@steps instructions, which are
 * subtracted. Set *@rule if the result is at least END_WEAK.
 */
enum by_end cfi_infer_from_end(const struct cfi_code *code, __u64 at, bool is_behind_call,
			       __u64 *steps, struct search *s, struct oprofile_uw_rule *rule);

#endif
