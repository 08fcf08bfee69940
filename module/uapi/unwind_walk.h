/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * uapi/unwind_walk.h -- walking a stack from each frame to its caller's frame, by the rules of
 * unwind.h.
 *
 * The functions of this file neither allocate nor lock, and their loops are bounded. They call only
 * the functions of struct oprofile_uw_ops. Callers pass a constant struct, so that the compiler
 * inlines the whole walk.
 */
#ifndef OPROFILE_UAPI_UNWIND_WALK_H
#define OPROFILE_UAPI_UNWIND_WALK_H

#include <linux/types.h>

#include "unwind.h"

#define OPROFILE_UW_KNOWS_SP	1
#define OPROFILE_UW_KNOWS_FP	2
#define OPROFILE_UW_KNOWS_OTHER	4

/*
 * A frame: its pc, and the registers by which its caller is found. All registers are known only in
 * two kinds of frames: the innermost frame, whose registers are in the CPU, and a frame that a
 * signal has interrupted, whose registers are in the signal frame on the stack.
 */
struct oprofile_uw_frame {
	__u64 pc, sp, fp;
	/* value of rbx or ebx; valid only if .keep_other is set, because reading it costs one more
	 * read for each frame */
	__u64 other;
	/*
	 * address of the saved sp in the signal frame, if a signal interrupted this frame; the
	 * other registers are at fixed distances from that address; 0: not interrupted by a signal
	 */
	__u64 context;
	/* whether the registers are those of the CPU or of a signal frame: then all registers are
	 * known, and .pc is the next instruction, not a return address */
	__u8 innermost;
	/* bits OPROFILE_UW_KNOWS_... of the registers that are known */
	__u8 known;
	__u8 keep_other;
	/* whether the frame was found by a frame pointer, because the code has no row in an unwind
	 * table */
	__u8 by_fp;
	/* whether a caller may be missing between this frame and the frame before it, because a
	 * function without an unwind rule may not have set up a frame pointer */
	__u8 unsure;
};

/* The addresses of the words that a step has read; 0: the word was not read. The other registers in
 * a signal frame are not listed. */
struct oprofile_uw_slots {
	__u64 pc, fp, other, cfa;
};

/* The kind of the instruction before a return address. */
enum oprofile_uw_call {
	OPROFILE_UW_CALL_NO,
	OPROFILE_UW_CALL_YES,
	/* not a call, but the address is in JIT code: interpreters and stubs may push return
	 * addresses without a call */
	OPROFILE_UW_CALL_MADE,
	/* unknown: the address is in an executable mapping, but its bytes cannot be read now */
	OPROFILE_UW_CALL_UNKNOWN,
};

/*
 * The functions by which a walk reads a program. word() reads a word of memory, rule() finds the
 * rule for an address; both return 0, or the reason why the path ends. rule() returns NO_ROW for
 * code whose callers may be found by frame pointers. The argument of rule() is the pc of an
 * innermost frame; for an outer frame, it is the return address - 1, an address in the call
 * instruction.
 */
struct oprofile_uw_ops {
	int (*word)(void *data, __u64 address, unsigned int size, __u64 *value);
	int (*rule)(void *data, __u64 code, struct oprofile_uw_rule *rule);
	__u64 (*cpu_register)(void *data, unsigned int number);
	/* Return enum oprofile_uw_call for the return address @pc; see oprofile_uw_is_call(). */
	int (*after_call)(void *data, __u64 pc);
	/* Remove the pointer authentication bits of aarch64 from a return address. */
	__u64 (*strip)(void *data, __u64 pc);
	/* Return enum oprofile_uw_call for a word of the stack, which may have any value. The
	 * function may return CALL_NO if it would have to search slowly. */
	int (*known_call)(void *data, __u64 word);
	/* Read the 8 bytes at @pc into @bytes. NULL: the walk cannot read code. */
	int (*code)(void *data, __u64 pc, __u8 *bytes);
};

OPROFILE_UW_INLINE unsigned int oprofile_uw_word(unsigned int machine)
{
	return machine == OPROFILE_UW_I386 ? 4 : 8;
}

/* Return the offset of a saved register in a signal frame, relative to the saved sp. @number:
 * DWARF's number of the register, or OPROFILE_UW_PC. */
#define OPROFILE_UW_PC	255

OPROFILE_UW_INLINE int oprofile_uw_context_offset(unsigned int machine, unsigned int number)
{
	static const signed char x86_64[] = { -16, -24, -8, -32, -48, -56, -40, 0 };
	static const signed char x86_32[] = { 16, 12, 8, 4, 0, -4, -8, -12 };

	switch (machine) {
	case OPROFILE_UW_X86_64:
		if (number == OPROFILE_UW_PC)
			return 8;
		return number < 8 ? x86_64[number] : (int)(number & 7) * 8 - 120;
	case OPROFILE_UW_I386:
		return number == OPROFILE_UW_PC ? 28 : x86_32[number & 7];
	}
	return number == OPROFILE_UW_PC ? 8 : (int)(number & 31) * 8 - 248;
}

OPROFILE_UW_INLINE unsigned int oprofile_uw_fp_number(unsigned int machine)
{
	return machine == OPROFILE_UW_X86_64 ? 6 : machine == OPROFILE_UW_I386 ? 5 : 29;
}

#define OPROFILE_UW_BX		3	/* DWARF's number of rbx, and of ebx */

/* Read the register of @frame with DWARF's number @number. Return 0, or the reason why its value is
 * unknown. */
OPROFILE_UW_INLINE int oprofile_uw_register(unsigned int machine,
					    const struct oprofile_uw_frame *frame,
					    unsigned int number, __u64 *value,
					    const struct oprofile_uw_ops *ops, void *data)
{
	if (!frame->innermost) {
		if (machine == OPROFILE_UW_AARCH64 || number != OPROFILE_UW_BX ||
		    !(frame->known & OPROFILE_UW_KNOWS_OTHER))
			return OPROFILE_UW_REGISTER;
		*value = frame->other;
		return 0;
	}
	if (frame->context)
		return ops->word(data, frame->context + oprofile_uw_context_offset(machine, number),
				 oprofile_uw_word(machine), value);
	*value = ops->cpu_register(data, number);
	return 0;
}

/* Step from a signal frame to the interrupted frame, whose registers are all on the stack. Return
 * 0, or the reason why the path ends. */
OPROFILE_UW_INLINE int oprofile_uw_step_signal(unsigned int machine, __s32 offset,
					       struct oprofile_uw_frame *frame,
					       struct oprofile_uw_slots *slots,
					       const struct oprofile_uw_ops *ops, void *data)
{
	struct oprofile_uw_frame next = {
		.innermost = 1, .keep_other = frame->keep_other, .unsure = frame->unsure};
	struct oprofile_uw_slots read = { 0 };
	unsigned int word = oprofile_uw_word(machine);
	int end;

	if (!(frame->known & OPROFILE_UW_KNOWS_SP))
		return OPROFILE_UW_REGISTER;
	next.context = read.cfa = frame->sp + offset;
	read.pc = read.cfa + oprofile_uw_context_offset(machine, OPROFILE_UW_PC);
	read.fp = read.cfa + oprofile_uw_context_offset(machine, oprofile_uw_fp_number(machine));
	end = ops->word(data, read.cfa, word, &next.sp);
	if (!end)
		end = ops->word(data, read.pc, word, &next.pc);
	if (!end)
		end = ops->word(data, read.fp, word, &next.fp);
	if (end)
		return end;
	next.known = OPROFILE_UW_KNOWS_SP | OPROFILE_UW_KNOWS_FP;
	if (frame->keep_other && machine != OPROFILE_UW_AARCH64) {
		read.other = read.cfa + oprofile_uw_context_offset(machine, OPROFILE_UW_BX);
		end = ops->word(data, read.other, word, &next.other);
		if (end)
			return end;
		next.known |= OPROFILE_UW_KNOWS_OTHER;
	}
	*frame = next;
	*slots = read;
	return 0;
}

OPROFILE_UW_INLINE int oprofile_uw_find_cfa(unsigned int machine,
					    const struct oprofile_uw_rule *rule,
					    const struct oprofile_uw_frame *frame, __u64 *cfa,
					    __u64 *slot, const struct oprofile_uw_ops *ops,
					    void *data)
{
	int by_fp = rule->cfa == OPROFILE_UW_CFA_FP || rule->cfa == OPROFILE_UW_CFA_AT_FP;
	__u64 from = by_fp ? frame->fp : frame->sp, index;
	unsigned int word = oprofile_uw_word(machine);
	int end;

	if (rule->cfa == OPROFILE_UW_CFA_REGISTER) {
		end = oprofile_uw_register(machine, frame, rule->cfa_register, &from, ops, data);
		if (end)
			return end;
	} else if (!(frame->known & (by_fp ? OPROFILE_UW_KNOWS_FP : OPROFILE_UW_KNOWS_SP))) {
		return OPROFILE_UW_REGISTER;
	}
	if (rule->cfa == OPROFILE_UW_CFA_PLT) {
		*cfa = from + ((__s32)(frame->pc & 15) >= rule->cfa_offset ? 2 * word : word);
		return 0;
	}
	from += rule->cfa_offset;
	if (rule->cfa == OPROFILE_UW_CFA_AT_INDEX) {
		end = oprofile_uw_register(machine, frame, rule->cfa_register, &index, ops, data);
		if (end)
			return end;
		from += index * word;
	}
	if (rule->cfa == OPROFILE_UW_CFA_AT_SP || rule->cfa == OPROFILE_UW_CFA_AT_FP ||
	    rule->cfa == OPROFILE_UW_CFA_AT_INDEX) {
		*slot = from;
		end = ops->word(data, from, word, &from);
		if (end)
			return end;
		from += rule->cfa_add * word;
	}
	*cfa = word == 4 ? (__u32)from : from;
	return 0;
}

/* Return the address at which @frame saved its caller's frame pointer or "other" register; 0:
 * the frame did not save it. */
OPROFILE_UW_INLINE __u64 oprofile_uw_saved_at(unsigned int kind, __s16 offset, unsigned int word,
					      const struct oprofile_uw_frame *frame, __u64 cfa)
{
	__u64 at;

	switch (kind) {
	case OPROFILE_UW_AT_CFA: return cfa + offset * (int)word;
	case OPROFILE_UW_AT_SP: return frame->sp + offset;
	case OPROFILE_UW_AT_FP:
		/*
		 * gcc's rules do not show from which instruction on the frame pointer has its old
		 * value again. A frame pointer that points outside of this frame has its old value
		 * already.
		 */
		at = frame->fp + offset;
		return at >= frame->sp && at < cfa ? at : 0;
	}
	return 0;
}

/*
 * Read the caller's register, saved at @at, into *@value, and update .known of @next. At the end of
 * an innermost function the saved word may already be below the stack pointer. A copy of a stack
 * begins at the stack pointer, so it may lack the word: then mark the register as unknown, and
 * continue.
 */
OPROFILE_UW_INLINE int oprofile_uw_take(const struct oprofile_uw_frame *frame,
					struct oprofile_uw_frame *next, unsigned int kind, __u64 at,
					unsigned int word, unsigned int knows, __u64 *value,
					const struct oprofile_uw_ops *ops, void *data)
{
	int end = at ? ops->word(data, at, word, value) : 0;

	if (kind == OPROFILE_UW_LOST || (end && frame->innermost && at < frame->sp)) {
		next->known &= ~knows;
		return 0;
	}
	if (at && !end)
		next->known |= knows;
	return end;
}

/*
 * Step from @frame to its caller's frame by @rule. Return 0; on failure change nothing, and return
 * the reason why the path ends. Each caller must have a higher stack pointer than its callee, so
 * that walks end; a signal frame may be an exception.
 */
OPROFILE_UW_INLINE int oprofile_uw_step(unsigned int machine, const struct oprofile_uw_rule *rule,
					struct oprofile_uw_frame *frame,
					struct oprofile_uw_slots *slots,
					const struct oprofile_uw_ops *ops, void *data)
{
	unsigned int word = oprofile_uw_word(machine), fp = rule->saved & 15,
		     other = rule->saved >> 4;
	struct oprofile_uw_frame next = *frame;
	struct oprofile_uw_slots read = { 0 };
	__u64 cfa = 0;
	int end;

	switch (rule->cfa) {
	case OPROFILE_UW_CFA_NONE:
	case OPROFILE_UW_CFA_PAIR:
	case OPROFILE_UW_CFA_CHAIN: return OPROFILE_UW_NO_ROW;
	case OPROFILE_UW_CFA_END: return OPROFILE_UW_WHOLE;
	case OPROFILE_UW_CFA_UNSUPPORTED: return OPROFILE_UW_RULE;
	case OPROFILE_UW_CFA_SIGNAL:
		return oprofile_uw_step_signal(machine, rule->cfa_offset, frame, slots, ops, data);
	}
	end = oprofile_uw_find_cfa(machine, rule, frame, &cfa, &read.cfa, ops, data);
	if (end)
		return end;
	if ((frame->known & OPROFILE_UW_KNOWS_SP) &&
	    (cfa < frame->sp || (cfa == frame->sp && !frame->innermost)))
		return OPROFILE_UW_BACKWARDS;
	if (cfa & (word - 1))
		return OPROFILE_UW_BACKWARDS;

	read.fp = oprofile_uw_saved_at(fp, rule->fp_offset, word, frame, cfa);
	end = oprofile_uw_take(frame, &next, fp, read.fp, word, OPROFILE_UW_KNOWS_FP, &next.fp, ops,
			       data);
	if (end)
		return end;
	if (other == OPROFILE_UW_RETURN) {
		/* If the return address is in a register and was not saved, the register
		 * contains it only until the function's first call. */
		end = frame->innermost ? oprofile_uw_register(machine, frame, rule->other_offset,
							      &next.pc, ops, data) :
					 OPROFILE_UW_REGISTER;
	} else if (machine == OPROFILE_UW_AARCH64) {
		read.pc = oprofile_uw_saved_at(other, rule->other_offset, word, frame, cfa);
		end = read.pc ? ops->word(data, read.pc, word, &next.pc) : OPROFILE_UW_REGISTER;
	} else {
		read.pc = cfa - word;
		end = ops->word(data, read.pc, word, &next.pc);
	}
	if (end)
		return end;
	if (machine == OPROFILE_UW_AARCH64)
		next.pc = ops->strip(data, next.pc);
	if (machine != OPROFILE_UW_AARCH64 && frame->keep_other) {
		if (frame->innermost &&
		    (other == OPROFILE_UW_SAME || other == OPROFILE_UW_RETURN)) {
			end = oprofile_uw_register(machine, frame, OPROFILE_UW_BX, &next.other, ops,
						   data);
			next.known |= OPROFILE_UW_KNOWS_OTHER;
		} else {
			read.other =
				oprofile_uw_saved_at(other, rule->other_offset, word, frame, cfa);
			end = oprofile_uw_take(frame, &next, other, read.other, word,
					       OPROFILE_UW_KNOWS_OTHER, &next.other, ops, data);
		}
		if (end)
			return end;
	}
	next.sp = cfa;
	next.known |= OPROFILE_UW_KNOWS_SP;
	next.context = next.innermost = next.by_fp = 0;
	*frame = next;
	*slots = read;
	return 0;
}

/* From where a step reads its words, if it needs only the CFA, the return address and the saved
 * frame pointer. Each location is a negative number of words relative to the CFA. */
struct oprofile_uw_reads {
	__s32 state : 6;		/* private to the owner of this struct (paths/kept.h);
					 * initially 0 */
	/* location of the return address; 0: the step needs other words, too */
	__s32 pc : 13;
	/* location of the saved frame pointer; 0: the register still has the caller's value */
	__s32 fp : 13;
};

/* A rule of the most frequent form, prepared for fast steps: the CFA is sp or fp plus an offset,
 * and the saved registers are below the CFA. */
struct oprofile_uw_plain {
	__s32 cfa_offset;
	struct oprofile_uw_reads reads;
	/* kind of the plain rule, OPROFILE_UW_PLAIN_*; 0: the rule is not plain, or words have 4
	 * bytes */
	__u8 plain;
};

#define OPROFILE_UW_PLAIN_SP	1
#define OPROFILE_UW_PLAIN_FP	2

/* Return @offset, in words relative to the CFA, if it fits into struct oprofile_uw_reads. Return
 * 0 if it does not fit. */
OPROFILE_UW_INLINE __s16 oprofile_uw_below_cfa(__s16 offset)
{
	return offset < 0 && offset > -4096 ? offset : 0;
}

OPROFILE_UW_INLINE struct oprofile_uw_plain oprofile_uw_plain(unsigned int machine,
							      const struct oprofile_uw_rule *rule)
{
	unsigned int fp = rule->saved & 15, other = rule->saved >> 4;
	struct oprofile_uw_plain plain = { .cfa_offset = rule->cfa_offset };
	__s16 pc_at = -1, fp_at = 0;

	if (other == OPROFILE_UW_RETURN ||
	    (rule->cfa != OPROFILE_UW_CFA_SP && rule->cfa != OPROFILE_UW_CFA_FP))
		return plain;
	if (machine == OPROFILE_UW_AARCH64)
		pc_at = other == OPROFILE_UW_AT_CFA ? oprofile_uw_below_cfa(rule->other_offset) : 0;
	if (fp == OPROFILE_UW_AT_CFA)
		fp_at = oprofile_uw_below_cfa(rule->fp_offset);
	if (!pc_at || (!fp_at && fp != OPROFILE_UW_SAME))
		return plain;
	plain.reads.pc = pc_at;
	plain.reads.fp = fp_at;
	if (machine != OPROFILE_UW_I386)
		plain.plain = rule->cfa == OPROFILE_UW_CFA_FP ? OPROFILE_UW_PLAIN_FP :
								OPROFILE_UW_PLAIN_SP;
	return plain;
}

/*
 * Do the same as oprofile_uw_step() by a plain rule, for a frame whose sp and fp are known and
 * whose "other" register is not needed. Return 0. If the step is impossible, return nonzero and
 * change nothing; oprofile_uw_step() then finds the reason.
 */
OPROFILE_UW_INLINE int oprofile_uw_step_plain(unsigned int machine,
					      const struct oprofile_uw_plain *plain,
					      struct oprofile_uw_frame *frame,
					      const struct oprofile_uw_ops *ops, void *data)
{
	__u64 cfa =
		(plain->plain == OPROFILE_UW_PLAIN_FP ? frame->fp : frame->sp) + plain->cfa_offset;
	__u64 pc, fp = frame->fp;

	if (cfa <= frame->sp || cfa & 7)
		return OPROFILE_UW_BACKWARDS;
	if (plain->reads.fp && ops->word(data, cfa + plain->reads.fp * 8, 8, &fp))
		return OPROFILE_UW_STACK;
	if (ops->word(data, cfa + (machine == OPROFILE_UW_AARCH64 ? plain->reads.pc * 8 : -8), 8,
		      &pc))
		return OPROFILE_UW_STACK;
	frame->pc = machine == OPROFILE_UW_AARCH64 ? ops->strip(data, pc) : pc;
	frame->sp = cfa;
	frame->fp = fp;
	frame->context = frame->innermost = frame->by_fp = 0;
	return 0;
}

/*
 * Step without a rule, by the frame record (caller's frame pointer and return address) that the JIT
 * code of many compilers pushes on the stack. On aarch64 the record may be anywhere in the frame,
 * so the caller's sp stays unknown. Return 0; on failure change nothing, and return the reason why
 * the path ends.
 */
OPROFILE_UW_INLINE int oprofile_uw_step_fp(unsigned int machine, struct oprofile_uw_frame *frame,
					   struct oprofile_uw_slots *slots,
					   const struct oprofile_uw_ops *ops, void *data)
{
	unsigned int word = oprofile_uw_word(machine);
	struct oprofile_uw_frame next = {
		.keep_other = frame->keep_other, .by_fp = 1, .unsure = frame->unsure};
	struct oprofile_uw_slots read = { .fp = frame->fp, .pc = frame->fp + word };
	int end;

	if (!(frame->known & OPROFILE_UW_KNOWS_FP))
		return OPROFILE_UW_REGISTER;
	/*
	 * Code that starts a thread clears fp, so a chain of frame records ends with fp == 0. But
	 * fp == 0 in the innermost frame proves nothing, because functions without a frame pointer
	 * do not change fp.
	 */
	if (!frame->fp)
		return frame->by_fp ? OPROFILE_UW_WHOLE : OPROFILE_UW_NO_ROW;
	if ((frame->known & OPROFILE_UW_KNOWS_SP && frame->fp < frame->sp) ||
	    frame->fp & (word - 1))
		return OPROFILE_UW_BACKWARDS;
	end = ops->word(data, read.fp, word, &next.fp);
	if (!end)
		end = ops->word(data, read.pc, word, &next.pc);
	if (end)
		return end;
	if (machine == OPROFILE_UW_AARCH64)
		next.pc = ops->strip(data, next.pc);
	next.sp = frame->fp + 2 * word;
	next.known = OPROFILE_UW_KNOWS_FP;
	if (machine != OPROFILE_UW_AARCH64)
		next.known |= OPROFILE_UW_KNOWS_SP;
	*frame = next;
	*slots = read;
	return 0;
}

/*
 * Return the reason to report for the end of a path, after a step by a frame pointer has failed for
 * the reason @end. Usually this is NO_ROW, because a register that is not used as a frame pointer
 * may have any value. But if the register points to a higher address within the usual size of a
 * stack, the copy of the stack was probably too small: return @end.
 */
#define OPROFILE_UW_USUAL_STACK	(8 << 20)

OPROFILE_UW_INLINE int oprofile_uw_fp_end(const struct oprofile_uw_frame *frame, int end)
{
	if (end == OPROFILE_UW_COPY && (frame->known & OPROFILE_UW_KNOWS_SP) &&
	    frame->fp - frame->sp < OPROFILE_UW_USUAL_STACK)
		return end;
	return end && end != OPROFILE_UW_WHOLE ? OPROFILE_UW_NO_ROW : end;
}

/* Return whether the x86 instruction at @code is `mov` of the stack pointer to the frame
 * pointer. */
OPROFILE_UW_INLINE int oprofile_uw_sets_fp(unsigned int machine, const __u8 *code)
{
	if (machine == OPROFILE_UW_X86_64 && *code++ != 0x48)
		return 0;
	return (code[0] == 0x89 && code[1] == 0xe5) || (code[0] == 0x8b && code[1] == 0xec);
}

/*
 * Find the rule of an innermost frame without a row on x86, if the instruction at its pc is `ret`,
 * or one of the first two instructions of a function that sets up a frame pointer. At these
 * instructions the frame pointer register contains the caller's value. Return whether a rule was
 * found.
 */
OPROFILE_UW_INLINE int oprofile_uw_edge(unsigned int machine, const struct oprofile_uw_frame *frame,
					struct oprofile_uw_rule *rule,
					const struct oprofile_uw_ops *ops, void *data)
{
	unsigned int word = oprofile_uw_word(machine), at = 0;
	__u64 saved;
	__u8 c[8];

	if (machine == OPROFILE_UW_AARCH64 || !ops->code || ops->code(data, frame->pc, c))
		return 0;
	*rule = (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = word };
	if (c[0] == 0xc3 || c[0] == 0xc2 || ((c[0] == 0xf3 || c[0] == 0xf2) && c[1] == 0xc3))
		return 1;
	/* skip an endbr instruction */
	if (c[0] == 0xf3 && c[1] == 0x0f && c[2] == 0x1e && (c[3] == 0xfa || c[3] == 0xfb))
		at = 4;
	/* the instruction `push fp` */
	if (c[at] == 0x55 && oprofile_uw_sets_fp(machine, c + at + 1))
		return 1;
	if (!oprofile_uw_sets_fp(machine, c) || ops->word(data, frame->sp, word, &saved) ||
	    saved != frame->fp)
		return 0;
	rule->cfa_offset = 2 * word;
	rule->saved = OPROFILE_UW_AT_CFA;
	rule->fp_offset = -2;
	return 1;
}

/*
 * Return whether an innermost frame without a row may belong to a function that does not set up a
 * frame pointer, on x86. In such a function the frame pointer register still has the caller's
 * value, and a step by it would skip the caller. The return address of such a function is at the
 * stack pointer, or above one pushed register, but words at these places may also be left over from
 * an earlier call. Words at higher addresses are not examined: frames contain many leftover
 * addresses, and functions that need much stack but no frame pointer are rare.
 */
#define OPROFILE_UW_LEAF_WORDS	2

OPROFILE_UW_INLINE int oprofile_uw_is_unsure(unsigned int machine,
					     const struct oprofile_uw_frame *frame,
					     const struct oprofile_uw_ops *ops, void *data)
{
	unsigned int word = oprofile_uw_word(machine);
	__u64 at = frame->sp, value;

	if (machine == OPROFILE_UW_AARCH64 || !ops->known_call)
		return 0;
	for (; at < frame->fp && at - frame->sp < OPROFILE_UW_LEAF_WORDS * word; at += word) {
		if (!ops->word(data, at, word, &value) &&
		    ops->known_call(data, value) == OPROFILE_UW_CALL_YES)
			return 1;
	}
	return 0;
}

/*
 * Return whether a caller may be missing between @frame and the frame to which its frame pointer
 * leads. On x86 the return address into a missing caller would be between the stack pointer and the
 * frame pointer. So return false if no word between the two is a return address. Return
 * true without a search if the frame has more than OPROFILE_UW_FRAME_WORDS words.
 */
#define OPROFILE_UW_FRAME_WORDS	64

OPROFILE_UW_INLINE int oprofile_uw_may_lack_caller(unsigned int machine,
						   const struct oprofile_uw_frame *frame,
						   const struct oprofile_uw_ops *ops, void *data)
{
	unsigned int word = oprofile_uw_word(machine);
	__u64 value;

	if (machine == OPROFILE_UW_AARCH64 || !ops->known_call ||
	    !(frame->known & OPROFILE_UW_KNOWS_SP) || frame->fp < frame->sp ||
	    frame->fp - frame->sp > OPROFILE_UW_FRAME_WORDS * word)
		return 1;
	for (__u64 at = frame->sp; at < frame->fp; at += word) {
		if (ops->word(data, at, word, &value) ||
		    ops->known_call(data, value) != OPROFILE_UW_CALL_NO)
			return 1;
	}
	return 0;
}

/* Return whether the 8 bytes at @code end with a call instruction. */
OPROFILE_UW_INLINE int oprofile_uw_is_call(unsigned int machine, const __u8 *code)
{
	if (machine == OPROFILE_UW_AARCH64) {
		__u32 last = code[4] | code[5] << 8 | code[6] << 16 | (__u32)code[7] << 24;

		/* the instructions bl, blr, blraaz, blrabz, blraa and blrab */
		return (last & 0xfc000000) == 0x94000000 || (last & 0xfefff000) == 0xd63f0000;
	}
	if (code[3] == 0xe8)
		return 1;
	/* the instruction ff /2 (an indirect call), which has 2 to 7 bytes */
	for (int length = 2; length <= 7; length++) {
		const __u8 *at = code + 8 - length;
		int mod = at[1] >> 6, rm = at[1] & 7, needs = 2;

		if (at[0] != 0xff || (at[1] >> 3 & 7) != 2)
			continue;
		if (mod == 1)
			needs += 1;
		else if (mod == 2 || (mod == 0 && rm == 5))
			needs += 4;
		if (mod != 3 && rm == 4) {
			needs += 1;
			if (mod == 0 && (length < 3 || (at[2] & 7) == 5))
				needs += 4;
		}
		if (needs == length)
			return 1;
	}
	return 0;
}

/*
 * Recognise the code that returns from a signal handler, which often has no row. If this code
 * begins at @code, set *@rule and return its length in bytes, otherwise return 0. Reads 16 bytes at
 * @code.
 */
OPROFILE_UW_INLINE int oprofile_uw_is_sigreturn(unsigned int machine, const __u8 *code,
						struct oprofile_uw_rule *rule)
{
	static const __u8 x86_64[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const __u8 x86_64_go[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };
	static const __u8 i386_rt[] = { 0xb8, 173, 0, 0, 0, 0xcd, 0x80 };
	static const __u8 i386_old[] = { 0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80 };
	static const __u8 aarch64[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };
	static const struct {
		const __u8 *code;
		__u8 size, machine;
		__u16 saved_sp;
	} known[] = {
		{ x86_64, sizeof(x86_64), OPROFILE_UW_X86_64, 160 },
		{ x86_64_go, sizeof(x86_64_go), OPROFILE_UW_X86_64, 160 },
		{ i386_rt, sizeof(i386_rt), OPROFILE_UW_I386, 188 },
		{ i386_old, sizeof(i386_old), OPROFILE_UW_I386, 32 },
		{ aarch64, sizeof(aarch64), OPROFILE_UW_AARCH64, 560 },
	};

	for (unsigned int n = 0; n < sizeof(known) / sizeof(known[0]); n++) {
		unsigned int i = 0;

		if (known[n].machine != machine)
			continue;
		while (i < known[n].size && code[i] == known[n].code[i])
			i++;
		if (i == known[n].size) {
			*rule = (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_SIGNAL,
							   .cfa_offset = known[n].saved_sp };
			return known[n].size;
		}
	}
	return 0;
}

/* Return whether a step by @rule needs the frame pointer to find the caller. */
OPROFILE_UW_INLINE int oprofile_uw_goes_by_fp(const struct oprofile_uw_rule *rule)
{
	return rule->cfa == OPROFILE_UW_CFA_PAIR || rule->cfa == OPROFILE_UW_CFA_CHAIN;
}

/* Initialize @frame as the innermost frame of a walk. */
OPROFILE_UW_INLINE void oprofile_uw_begin(struct oprofile_uw_frame *frame, __u64 pc, __u64 sp,
					  __u64 fp)
{
	*frame = (struct oprofile_uw_frame){ .pc = pc, .sp = sp, .fp = fp, .innermost = 1,
					     .known = OPROFILE_UW_KNOWS_SP | OPROFILE_UW_KNOWS_FP };
}

OPROFILE_UW_INLINE int oprofile_uw_find_next(unsigned int machine, struct oprofile_uw_frame *frame,
					struct oprofile_uw_slots *slots,
					const struct oprofile_uw_ops *ops, void *data)
{
	struct oprofile_uw_frame next = *frame;
	struct oprofile_uw_slots read = { 0 };
	struct oprofile_uw_rule rule;
	int end = ops->rule(data, frame->pc - !frame->innermost, &rule);

	if (!end && oprofile_uw_goes_by_fp(&rule)) {
		end = oprofile_uw_step_fp(machine, &next, &read, ops, data);
		if (rule.cfa == OPROFILE_UW_CFA_CHAIN && !end && !frame->unsure)
			next.unsure = oprofile_uw_may_lack_caller(machine, frame, ops, data);
		if (rule.cfa == OPROFILE_UW_CFA_CHAIN && end == OPROFILE_UW_WHOLE)
			return OPROFILE_UW_LEAF;
		end = oprofile_uw_fp_end(frame, end);
	} else if (!end) {
		end = oprofile_uw_step(machine, &rule, &next, &read, ops, data);
	} else if (end == OPROFILE_UW_NO_ROW && frame->innermost &&
		   oprofile_uw_edge(machine, frame, &rule, ops, data)) {
		end = oprofile_uw_step(machine, &rule, &next, &read, ops, data);
	} else if (end == OPROFILE_UW_NO_ROW) {
		end = oprofile_uw_step_fp(machine, &next, &read, ops, data);
		if (!end && frame->innermost && oprofile_uw_is_unsure(machine, frame, ops, data))
			next.unsure = 1;
		end = oprofile_uw_fp_end(frame, end);
	}
	if (end)
		return end;
	if (!next.innermost && ops->after_call(data, next.pc) == OPROFILE_UW_CALL_NO) {
		end = ops->rule(data, next.pc - 1, &rule);
		if (!end && oprofile_uw_goes_by_fp(&rule))
			end = OPROFILE_UW_NO_ROW;
		if (end || rule.cfa != OPROFILE_UW_CFA_SIGNAL) {
			/* A coroutine's start routine may return to code that has no caller,
			 * such as the end of a thread: then the path is whole. */
			if (!ops->rule(data, next.pc, &rule) && rule.cfa == OPROFILE_UW_CFA_END)
				return OPROFILE_UW_WHOLE;
			if (!next.by_fp)
				return OPROFILE_UW_NOT_CALLED;
			/*
			 * The chain of frame pointers ends: code that starts a coroutine clears fp
			 * and pushes its own address as the coroutine's return address. But if only
			 * one frame pointer was followed, the end proves nothing, because code
			 * without unwind rules may use fp for data.
			 */
			return end == OPROFILE_UW_NO_ROW && !next.fp && frame->by_fp ?
				       OPROFILE_UW_WHOLE :
				       OPROFILE_UW_NO_ROW;
		}
	}
	*frame = next;
	*slots = read;
	return 0;
}

/*
 * Step from @frame to its caller's frame: by unwind rules, by frame pointers, or by the
 * instructions at the start or end of a function. Return 0; on failure change nothing, and return
 * the reason why the path ends. After REGISTER the caller may repeat the walk with keep_other.
 */
OPROFILE_UW_INLINE int oprofile_uw_next(unsigned int machine, struct oprofile_uw_frame *frame,
					struct oprofile_uw_slots *slots,
					const struct oprofile_uw_ops *ops, void *data)
{
	int end = oprofile_uw_find_next(machine, frame, slots, ops, data);

	return end == OPROFILE_UW_WHOLE && frame->unsure ? OPROFILE_UW_LEAF : end;
}

#endif
