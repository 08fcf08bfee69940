// SPDX-License-Identifier: GPL-2.0-or-later
/* infer_end.c -- inference of rules from the instructions between a position and the end of the
 * function that contains the position. */
#include "libcfi/infer_end.h"

#include <stddef.h>

#define MAX_STEPS 400 /* maximum number of instructions to follow to the end of a function */

void cfi_infer_decode(const struct cfi_code *code, __u64 at, struct cfi_insn *insn)
{
	struct cfi_decoded *d = code->decoded ? &code->decoded[at % CFI_NR_DECODED] : NULL;

	if (is_arm(code)) {
		cfi_insn_aarch64(code->at + at, code->size - at, insn);
		return;
	}
	if (d && d->behind == (__u32)at + 1) {
		insn->kind = d->kind;
		insn->length = d->length;
		insn->value = d->value;
		insn->target = d->target;
		return;
	}
	cfi_insn_x86(code->at + at, code->size - at, code->machine == OPROFILE_UW_X86_64, insn);
	if (d && at < ~0U)
		*d = (struct cfi_decoded){(__u32)at + 1, insn->kind, insn->length, insn->value,
					  (__s32)insn->target};
}

static bool same_place(struct place a, struct place b)
{
	return a.base && a.base == b.base && a.at == b.at;
}

static struct place beside(struct place place, __s32 bytes)
{
	place.at += bytes;
	return place;
}

/* Update the execution path @w after an instruction that loads fp from the word at the address
 * @from. */
static void load_fp(struct way *w, struct place from)
{
	if (same_place(from, w->saved_fp)) {
		w->fp_is = w->had_fp.is;
		w->fp = w->had_fp.from;
	} else if (!from.base || (from.base == START_SP && from.at < 0)) {
		w->fp_is = NOWHERE;
		w->fp = (struct place){0};
	} else {
		w->fp_is = IN_STACK;
		w->fp = from;
	}
}

static void load_lr(struct way *w, struct place from)
{
	if (same_place(from, w->saved_lr)) {
		w->lr_is = w->had_lr.is;
		w->lr = w->had_lr.from;
	} else if (!from.base || (from.base == START_SP && from.at < 0)) {
		w->lr_is = NOWHERE;
	} else {
		w->lr_is = IN_STACK;
		w->lr = from;
	}
}

static void store_fp(struct way *w, struct place to)
{
	if (w->fp_is != NOWHERE) {
		w->saved_fp = to;
		w->had_fp.is = w->fp_is;
		w->had_fp.from = w->fp;
	} else if (same_place(to, w->saved_fp)) {
		w->saved_fp = (struct place){0};
	}
}

static void store_lr(struct way *w, struct place to)
{
	if (w->lr_is != NOWHERE) {
		w->saved_lr = to;
		w->had_lr.is = w->lr_is;
		w->had_lr.from = w->lr;
	} else if (same_place(to, w->saved_lr)) {
		w->saved_lr = (struct place){0};
	}
}

/* Return the address to which the frame pointer points. */
static struct place fp_address(const struct way *w)
{
	if (w->fp_is == IN_REGISTER)
		return (struct place){START_FP, 0};
	return w->fp_is == NOWHERE ? w->fp : (struct place){0};
}

static void move_pair(struct way *w, const struct cfi_insn *insn)
{
	w->sp.at += insn->before;
	if (insn->kind == CFI_INSN_STORE) {
		if (insn->has_fp)
			store_fp(w, beside(w->sp, insn->fp_at));
		if (insn->has_lr)
			store_lr(w, beside(w->sp, insn->lr_at));
	} else {
		if (insn->has_fp)
			load_fp(w, beside(w->sp, insn->fp_at));
		if (insn->has_lr)
			load_lr(w, beside(w->sp, insn->lr_at));
	}
	w->sp.at += insn->after;
}

static void call(const struct cfi_code *code, struct way *w)
{
	if (w->sp.base == START_SP && (!w->called || w->sp.at > w->called_at))
		w->called_at = w->sp.at;
	w->called |= w->sp.base == START_SP || is_arm(code);
	/* On i386 a callee may remove its arguments from the stack, so sp is unknown after the
	 * call. */
	if (code->machine == OPROFILE_UW_I386)
		w->sp.base = NOTHING;
	if (is_arm(code))
		w->lr_is = NOWHERE;
}

/* Update the execution path @w after an instruction that is not a jump. */
static void step_over(const struct cfi_code *code, struct way *w, const struct cfi_insn *insn)
{
	__s32 word = word_of(code);

	switch (insn->kind) {
	case CFI_INSN_CALL:
		call(code, w);
		break;
	case CFI_INSN_PUSH_FP:
		store_fp(w, beside(w->sp, -word));
		w->sp.at -= word;
		break;
	case CFI_INSN_PUSH:
		w->sp.at -= word;
		if (same_place(w->sp, w->saved_fp))
			w->saved_fp = (struct place){0};
		break;
	case CFI_INSN_POP:
		w->sp.at += word;
		break;
	case CFI_INSN_LEAVE:
		w->sp = fp_address(w); /* fall through */
	case CFI_INSN_POP_FP:
		load_fp(w, w->sp);
		w->sp.at += word;
		break;
	case CFI_INSN_ADD_SP:
		w->sp.at += insn->value;
		break;
	case CFI_INSN_SP_TO_FP:
		w->fp_is = NOWHERE;
		w->fp = beside(w->sp, insn->value);
		break;
	case CFI_INSN_FP_TO_SP:
		w->sp = beside(fp_address(w), insn->value);
		break;
	case CFI_INSN_STORE:
	case CFI_INSN_LOAD:
		move_pair(w, insn);
		break;
	case CFI_INSN_STORE_FP:
		store_fp(w, beside(w->sp, insn->value));
		break;
	case CFI_INSN_LOAD_FP:
		load_fp(w, beside(w->sp, insn->value));
		break;
	case CFI_INSN_LOSE_SP:
		w->sp.base = NOTHING;
		break;
	case CFI_INSN_LOSE_FP:
		w->fp_is = NOWHERE;
		w->fp = (struct place){0};
		break;
	case CFI_INSN_LOSE_LR:
		w->lr_is = NOWHERE;
		break;
	}
}

/* Mark addresses far from the start of the path as unknown, so that calculations with them do
 * not overflow. */
static void forget_far(struct way *w)
{
	if (w->sp.at > CFI_INSN_FAR || w->sp.at < -CFI_INSN_FAR)
		w->sp = (struct place){0};
	if (w->fp.at > CFI_INSN_FAR || w->fp.at < -CFI_INSN_FAR) {
		w->fp_is = NOWHERE;
		w->fp = (struct place){0};
	}
}

/* The execution path @w has reached a return instruction. Set *@rule to the rule that follows from
 * the path. Return false if no rule follows. Set *@is_other if the return belongs to another
 * function. */
static bool conclude(const struct cfi_code *code, const struct way *w,
		     struct oprofile_uw_rule *rule, bool *is_other)
{
	__s32 word = word_of(code);
	struct place cfa = beside(w->sp, is_arm(code) ? 0 : word);

	if (!cfa.base || w->fp_is == NOWHERE || (cfa.base == START_SP && w->sp.at < 0))
		return false;
	/* If the stack pointer at the return equals that at the call, the called function never
	 * returns, and the code after the call is another function. */
	if (!is_arm(code) && w->called && w->sp.base == START_SP && w->sp.at <= w->called_at) {
		*is_other = true;
		return false;
	}
	*rule = (struct oprofile_uw_rule){.cfa = cfa.base == START_SP ? OPROFILE_UW_CFA_SP
								      : OPROFILE_UW_CFA_FP,
					  .cfa_offset = cfa.at};
	if (w->fp_is == IN_STACK) {
		if (w->fp.base != cfa.base || w->fp.at >= cfa.at || (cfa.at - w->fp.at) % word ||
		    cfa.at - w->fp.at > 4000 * word)
			return false;
		rule->saved = OPROFILE_UW_AT_CFA;
		rule->fp_offset = (w->fp.at - cfa.at) / word;
	}
	if (!is_arm(code))
		return true;
	if (w->lr_is == NOWHERE) {
		*is_other = w->called;
		return false;
	}
	if (w->lr_is == IN_REGISTER) {
		rule->saved |= OPROFILE_UW_RETURN << 4;
		rule->other_offset = 30;
		return true;
	}
	if (w->lr.base != cfa.base || w->lr.at >= cfa.at || (cfa.at - w->lr.at) % 8 ||
	    cfa.at - w->lr.at > 4000 * 8)
		return false;
	rule->saved |= OPROFILE_UW_AT_CFA << 4;
	rule->other_offset = (w->lr.at - cfa.at) / 8;
	return true;
}

/* Continue the execution path @w at the target of the jump @insn. Return false if the target is
 * outside of the code, or if the path has made this jump before. */
static bool may_jump(struct way *w, const struct cfi_code *code, const struct cfi_insn *insn)
{
	__u64 to = w->pc + insn->target;

	if (to >= code->size)
		return false;
	for (unsigned int i = 0; i < NR_SEEN; i++)
		if (w->seen[i] == (__u32)to + 1)
			return false;
	w->seen[w->next_seen] = (__u32)to + 1;
	w->next_seen = (w->next_seen + 1) % NR_SEEN;
	w->pc = to;
	return true;
}

bool cfi_infer_is_after_end(const struct cfi_code *code, __u64 at)
{
	const unsigned char *b = code->at + at;

	if (code->size - at < 4)
		return true;
	if (is_arm(code))
		return (!b[0] && !b[1] && !b[2] && !b[3]) ||
		       (b[0] == 0x1f && b[1] == 0x20 && b[2] == 0x03 && b[3] == 0xd5);
	if (b[0] == 0xf3 && b[1] == 0x0f && b[2] == 0x1e && (b[3] == 0xfa || b[3] == 0xfb))
		return true;
	return b[0] == 0x90 || b[0] == 0xcc || b[0] == 0x00 || (b[0] == 0x0f && b[1] == 0x1f) ||
	       (b[0] == 0x66 &&
		(b[1] == 0x90 || b[1] == 0x2e || b[1] == 0x66 || (b[1] == 0x0f && b[2] == 0x1f)));
}

static void note_passed(struct search *s, struct way *w, __u64 pc)
{
	if (w->nr_passed == NR_PASSED)
		return;
	s->passed[w->nr_passed++] = (struct passed){pc, w->sp, w->fp_is == IN_REGISTER};
}

/* Return whether the function has already used the frame pointer to remove its frame. If so, an
 * indirect jump is a tail call. */
static bool has_left_frame(const struct cfi_code *code, const struct way *w)
{
	return !is_arm(code) && w->sp.base == START_FP && w->fp_is == IN_STACK &&
	       w->fp.base == START_FP && w->fp.at + (__s32)word_of(code) == w->sp.at;
}

/* Follow the execution path @w to a return. If the path gives a rule, set *@rule and return
 * true. */
static bool follow(struct search *s, struct way *w, const struct cfi_code *code,
		   struct oprofile_uw_rule *rule)
{
	struct cfi_insn insn;
	struct way other;

	while (s->left && w->pc < code->size) {
		s->left--;
		cfi_infer_decode(code, w->pc, &insn);
		switch (insn.kind) {
		case CFI_INSN_INVALID:
		case CFI_INSN_STOP:
			return false;
		case CFI_INSN_JUMP_SOMEWHERE:
			if (!has_left_frame(code, w))
				return false;
			/* fall through */
		case CFI_INSN_RETURN:
			s->nr_passed = w->nr_passed;
			return conclude(code, w, rule, &s->found_other);
		case CFI_INSN_JUMP:
			if (!may_jump(w, code, &insn))
				return false;
			continue;
		case CFI_INSN_BRANCH:
			other = *w;
			if (s->nr_branches < MAX_BRANCHES && may_jump(&other, code, &insn))
				s->branches[s->nr_branches++] = other;
			break;
		case CFI_INSN_CALL:
			step_over(code, w, &insn);
			forget_far(w);
			/* If padding follows the call, the called function never returns. */
			if (cfi_infer_is_after_end(code, w->pc + insn.length))
				return false;
			note_passed(s, w, w->pc + insn.length);
			break;
		default:
			step_over(code, w, &insn);
			forget_far(w);
		}
		w->pc += insn.length;
	}
	return false;
}

enum by_end cfi_infer_from_end(const struct cfi_code *code, __u64 at, bool is_after_call,
			       __u64 *steps, struct search *s, struct oprofile_uw_rule *rule)
{
	unsigned int had = *steps < MAX_STEPS ? *steps : MAX_STEPS;
	struct way w = {.pc = at, .sp = {START_SP, 0}, .called = is_after_call};
	bool found;

	s->left = had;
	s->nr_branches = s->nr_passed = 0;
	s->found_other = false;
	if (is_after_call && is_arm(code))
		w.lr_is = NOWHERE;
	found = follow(s, &w, code, rule);
	while (!found && s->nr_branches) {
		w = s->branches[--s->nr_branches];
		found = follow(s, &w, code, rule);
	}
	*steps -= had - s->left;
	if (!found)
		return is_after_call && s->found_other ? END_OTHER : END_UNKNOWN;
	return w.called ? END_WEAK : END_KNOWN;
}
