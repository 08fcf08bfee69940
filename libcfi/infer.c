// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * infer.c -- rules for code without call frame information, found from its instructions.
 */
#include "libcfi/infer.h"

#include <stdbool.h>

#include "libcfi/insn.h"
#include "module/uapi/unwind_walk.h"

#define MAX_STEPS	400	/* instructions from a place to the end of its function */
#define MAX_BRANCHES	16	/* of these, branches whose other way is looked at */
#define NR_SEEN		8	/* targets of jumps that a way remembers, so that it goes around in no loop */
#define MAX_AHEAD	32	/* targets of jumps that the sweep has not come to */
#define NR_NORETURN	16	/* functions that never return, of which the sweep remembers so many */
#define BACK		4096	/* bytes before a place in which its function's beginning is looked for */
#define SIGRETURN	16	/* bytes that oprofile_uw_is_sigreturn() reads */
#define AT_STEPS	6000	/* maximum of instructions to decode for one place */

static struct oprofile_uw_rule chain_rule(void)
{
	return (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_CHAIN };
}

static unsigned int word_of(const struct cfi_code *code)
{
	return code->machine == OPROFILE_UW_I386 ? 4 : 8;
}

static bool is_arm(const struct cfi_code *code)
{
	return code->machine == OPROFILE_UW_AARCH64;
}

static void decode(const struct cfi_code *code, __u64 at, struct cfi_insn *insn)
{
	if (is_arm(code))
		cfi_insn_aarch64(code->at + at, code->size - at, insn);
	else
		cfi_insn_x86(code->at + at, code->size - at, code->machine == OPROFILE_UW_X86_64, insn);
}

/* From what an address is counted. */
enum base { NOTHING, START_SP, START_FP };

/* Where the value of a register is that the caller had. */
enum where { IN_REGISTER, IN_STACK, NOWHERE };

struct place {
	__u8 base;			/* enum base */
	__s32 at;
};

/* A way through the code from one place on: everything is told by the registers as they are at that place. */
struct way {
	__u64 pc;
	struct place sp;
	__u8 fp_is, lr_is;		/* enum where: the caller's fp; the return address of aarch64 */
	struct place fp;		/* IN_STACK: it was loaded from there; NOWHERE: fp is this address, if that is known */
	struct place lr;		/* IN_STACK: it was loaded from there */
	struct place saved_fp, saved_lr;	/* the caller's was stored there on this way, when it was as .had_fp and .had_lr say */
	struct { __u8 is; struct place from; } had_fp, had_lr;
	bool called;
	__s32 called_at;		/* sp at the outermost call on this way, counted from START_SP */
	__u8 next_seen;
	__u32 seen[NR_SEEN];		/* 1 more than the offset; 0: none */
};

static bool same_place(struct place a, struct place b)
{
	return a.base && a.base == b.base && a.at == b.at;
}

static struct place beside(struct place place, __s32 bytes)
{
	place.at += bytes;
	return place;
}

/* fp was loaded from @from. */
static void load_fp(struct way *w, struct place from)
{
	if (same_place(from, w->saved_fp)) {
		w->fp_is = w->had_fp.is;
		w->fp = w->had_fp.from;
	} else if (!from.base || (from.base == START_SP && from.at < 0)) {
		w->fp_is = NOWHERE;
		w->fp = (struct place){ 0 };
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
		w->saved_fp = (struct place){ 0 };
	}
}

static void store_lr(struct way *w, struct place to)
{
	if (w->lr_is != NOWHERE) {
		w->saved_lr = to;
		w->had_lr.is = w->lr_is;
		w->had_lr.from = w->lr;
	} else if (same_place(to, w->saved_lr)) {
		w->saved_lr = (struct place){ 0 };
	}
}

/* The address that fp is. */
static struct place fp_address(const struct way *w)
{
	if (w->fp_is == IN_REGISTER)
		return (struct place){ START_FP, 0 };
	return w->fp_is == NOWHERE ? w->fp : (struct place){ 0 };
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
	/* A callee of i386 may take its arguments from the stack. */
	if (code->machine == OPROFILE_UW_I386)
		w->sp.base = NOTHING;
	if (is_arm(code))
		w->lr_is = NOWHERE;
}

/* What an instruction does that is no jump. */
static void go_on(const struct cfi_code *code, struct way *w, const struct cfi_insn *insn)
{
	__s32 word = word_of(code);

	switch (insn->kind) {
	case CFI_INSN_CALL: call(code, w); break;
	case CFI_INSN_PUSH_FP: store_fp(w, beside(w->sp, -word)); w->sp.at -= word; break;
	case CFI_INSN_PUSH:
		w->sp.at -= word;
		if (same_place(w->sp, w->saved_fp))
			w->saved_fp = (struct place){ 0 };
		break;
	case CFI_INSN_POP: w->sp.at += word; break;
	case CFI_INSN_LEAVE: w->sp = fp_address(w); /* fall through */
	case CFI_INSN_POP_FP: load_fp(w, w->sp); w->sp.at += word; break;
	case CFI_INSN_ADD_SP: w->sp.at += insn->value; break;
	case CFI_INSN_SP_TO_FP: w->fp_is = NOWHERE; w->fp = beside(w->sp, insn->value); break;
	case CFI_INSN_FP_TO_SP: w->sp = beside(fp_address(w), insn->value); break;
	case CFI_INSN_STORE: case CFI_INSN_LOAD: move_pair(w, insn); break;
	case CFI_INSN_STORE_FP: store_fp(w, beside(w->sp, insn->value)); break;
	case CFI_INSN_LOAD_FP: load_fp(w, beside(w->sp, insn->value)); break;
	case CFI_INSN_LOSE_SP: w->sp.base = NOTHING; break;
	case CFI_INSN_LOSE_FP: w->fp_is = NOWHERE; w->fp = (struct place){ 0 }; break;
	case CFI_INSN_LOSE_LR: w->lr_is = NOWHERE; break;
	}
}

/* A rule by a way that has come to the return of its function. False: it does not give one. */
static bool conclude(const struct cfi_code *code, const struct way *w, struct oprofile_uw_rule *rule, bool *is_other)
{
	__s32 word = word_of(code);
	struct place cfa = beside(w->sp, is_arm(code) ? 0 : word);

	if (!cfa.base || w->fp_is == NOWHERE || (cfa.base == START_SP && w->sp.at < 0))
		return false;
	/* A call may never return. Then the code behind it is another function, which ends with sp as it was at the call. */
	if (!is_arm(code) && w->called && w->sp.base == START_SP && w->sp.at <= w->called_at) {
		*is_other = true;
		return false;
	}
	*rule = (struct oprofile_uw_rule){ .cfa = cfa.base == START_SP ? OPROFILE_UW_CFA_SP : OPROFILE_UW_CFA_FP,
					   .cfa_offset = cfa.at };
	if (w->fp_is == IN_STACK) {
		if (w->fp.base != cfa.base || w->fp.at >= cfa.at || (cfa.at - w->fp.at) % word || cfa.at - w->fp.at > 4000 * word)
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
	if (w->lr.base != cfa.base || w->lr.at >= cfa.at || (cfa.at - w->lr.at) % 8 || cfa.at - w->lr.at > 4000 * 8)
		return false;
	rule->saved |= OPROFILE_UW_AT_CFA << 4;
	rule->other_offset = (w->lr.at - cfa.at) / 8;
	return true;
}

struct search {
	struct way branches[MAX_BRANCHES];
	unsigned int nr_branches, left;
	bool found_other;		/* a way has come to the end of another function, behind a call that never returns */
};

/* Whether @w may go to where a jump leads. */
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

/* Whether the bytes at @at, behind a call, are padding or the landing place of another function: the call does not return there. */
static bool is_behind_end(const struct cfi_code *code, __u64 at)
{
	const unsigned char *b = code->at + at;

	if (code->size - at < 4)
		return true;
	if (is_arm(code))
		return (!b[0] && !b[1] && !b[2] && !b[3]) || (b[0] == 0x1f && b[1] == 0x20 && b[2] == 0x03 && b[3] == 0xd5);
	if (b[0] == 0xf3 && b[1] == 0x0f && b[2] == 0x1e && (b[3] == 0xfa || b[3] == 0xfb))
		return true;
	return b[0] == 0x90 || b[0] == 0xcc || b[0] == 0x00 || (b[0] == 0x0f && b[1] == 0x1f) ||
	       (b[0] == 0x66 && (b[1] == 0x90 || b[1] == 0x2e || b[1] == 0x66 || (b[1] == 0x0f && b[2] == 0x1f)));
}

/* Go from @w on to a return. True: *@rule is what it says. */
static bool follow(struct search *s, struct way *w, const struct cfi_code *code, struct oprofile_uw_rule *rule)
{
	struct cfi_insn insn;
	struct way other;

	while (s->left && w->pc < code->size) {
		s->left--;
		decode(code, w->pc, &insn);
		switch (insn.kind) {
		case CFI_INSN_INVALID: case CFI_INSN_STOP: case CFI_INSN_JUMP_SOMEWHERE:
			return false;
		case CFI_INSN_RETURN:
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
			go_on(code, w, &insn);
			/* Behind a call that never returns often comes what fills the gap to the next function. */
			if (is_behind_end(code, w->pc + insn.length))
				return false;
			break;
		default:
			go_on(code, w, &insn);
		}
		w->pc += insn.length;
	}
	return false;
}

/* What the ways from a place to the end of its function have shown. */
enum by_end {
	END_UNKNOWN,
	END_OTHER,			/* behind a call: another function begins there */
	END_WEAK,			/* a rule; there was a call on the way */
	END_KNOWN,			/* a rule */
};

static enum by_end infer_from_end(const struct cfi_code *code, __u64 at, bool is_behind_call, __u64 *steps,
				  struct oprofile_uw_rule *rule)
{
	struct search s = { .left = *steps < MAX_STEPS ? *steps : MAX_STEPS };
	unsigned int had = s.left;
	struct way w = { .pc = at, .sp = { START_SP, 0 }, .called = is_behind_call };
	bool found;

	if (is_behind_call && is_arm(code))
		w.lr_is = NOWHERE;
	found = follow(&s, &w, code, rule);
	while (!found && s.nr_branches) {
		w = s.branches[--s.nr_branches];
		found = follow(&s, &w, code, rule);
	}
	*steps -= had - s.left;
	if (!found)
		return is_behind_call && s.found_other ? END_OTHER : END_UNKNOWN;
	return w.called ? END_WEAK : END_KNOWN;
}

/* What is known at a place of the sweep, counted from the CFA. */
struct known {
	bool sp, fp;			/* fp: it is an address in this frame */
	__s32 sp_at, fp_at;		/* CFA - sp, CFA - fp */
	__s32 fp_saved, lr_saved;	/* CFA - where the caller's is; 0: it is in the register */
	bool fp_lost, lr_lost;		/* the register has something else */
};

static bool is_known(const struct known *k)
{
	return k->sp || k->fp;
}

static struct known at_beginning(const struct cfi_code *code)
{
	return (struct known){ .sp = true, .sp_at = is_arm(code) ? 0 : (__s32)word_of(code) };
}

static struct known known_by(const struct oprofile_uw_rule *rule, __s32 word)
{
	unsigned int fp = rule->saved & 15, other = rule->saved >> 4;
	struct known k = {
		.sp = rule->cfa == OPROFILE_UW_CFA_SP, .fp = rule->cfa == OPROFILE_UW_CFA_FP,
		.fp_saved = fp == OPROFILE_UW_AT_CFA ? -rule->fp_offset * word : 0,
		.lr_saved = other == OPROFILE_UW_AT_CFA ? -rule->other_offset * word : 0,
	};

	if (k.sp)
		k.sp_at = rule->cfa_offset;
	else
		k.fp_at = rule->cfa_offset;
	k.fp_lost = !k.fp && k.fp_saved;
	k.lr_lost = k.lr_saved;
	return k;
}

/* Where fp and the return address are as a pair that frame pointers lead to. */
static bool is_pair(const struct cfi_code *code, const struct known *k)
{
	if (!k->fp || k->fp_saved != k->fp_at)
		return false;
	return is_arm(code) ? k->lr_saved == k->fp_saved - 8 : k->fp_at == 2 * (__s32)word_of(code);
}

static bool rule_of(const struct cfi_code *code, const struct known *k, struct oprofile_uw_rule *rule)
{
	__s32 word = word_of(code);

	*rule = chain_rule();
	if (is_pair(code, k) && (!is_arm(code) || !k->sp)) {
		rule->cfa = OPROFILE_UW_CFA_PAIR;
		return true;
	}
	if (!is_known(k) || (k->fp_lost && !k->fp_saved) || k->fp_saved % word || k->fp_saved > 4000 * word ||
	    k->lr_saved > 4000 * word || k->lr_saved % word)
		return false;
	if (k->fp && (!k->fp_saved || is_arm(code)) && !k->sp)
		return false;
	rule->cfa = k->fp && !is_arm(code) ? OPROFILE_UW_CFA_FP : OPROFILE_UW_CFA_SP;
	rule->cfa_offset = rule->cfa == OPROFILE_UW_CFA_FP ? k->fp_at : k->sp_at;
	if (k->fp_saved) {
		rule->saved = OPROFILE_UW_AT_CFA;
		rule->fp_offset = -k->fp_saved / word;
	}
	if (!is_arm(code))
		return true;
	rule->saved |= (k->lr_saved ? OPROFILE_UW_AT_CFA : OPROFILE_UW_RETURN) << 4;
	rule->other_offset = k->lr_saved ? -k->lr_saved / word : 30;
	return k->lr_saved || !k->lr_lost;
}

static void lose_sp(struct known *k)
{
	k->sp = false;
	k->sp_at = 0;
}

static void lose_fp(struct known *k)
{
	k->fp = false;
	k->fp_lost = true;
	k->fp_at = 0;
}

/* fp was taken from the word at CFA - @at. */
static void take_fp(struct known *k, bool is_known, __s32 at)
{
	bool callers = is_known && k->fp_saved && at == k->fp_saved;

	lose_fp(k);
	if (callers) {
		k->fp_lost = false;
		k->fp_saved = 0;
	}
}

static void save_fp(struct known *k, __s32 at)
{
	if (k->sp && !k->fp && !k->fp_lost && !k->fp_saved && at > 0)
		k->fp_saved = at;
}

static void pair_of_known(struct known *k, const struct cfi_insn *insn)
{
	k->sp_at -= insn->before;
	if (insn->kind == CFI_INSN_STORE) {
		if (insn->has_fp)
			save_fp(k, k->sp_at - insn->fp_at);
		if (insn->has_lr && k->sp && !k->lr_saved && !k->lr_lost)
			k->lr_saved = k->sp_at - insn->lr_at;
	} else {
		if (insn->has_fp)
			take_fp(k, k->sp, k->sp_at - insn->fp_at);
		if (insn->has_lr) {
			k->lr_lost = !k->sp || k->lr_saved != k->sp_at - insn->lr_at;
			k->lr_saved = k->lr_lost ? k->lr_saved : 0;
		}
	}
	k->sp_at -= insn->after;
}

/* What is known behind an instruction. */
static void know(const struct cfi_code *code, struct known *k, const struct cfi_insn *insn)
{
	__s32 word = word_of(code);

	switch (insn->kind) {
	case CFI_INSN_CALL:
		k->lr_lost |= is_arm(code);
		if (code->machine == OPROFILE_UW_I386)
			lose_sp(k);
		break;
	case CFI_INSN_PUSH: k->sp_at += word; break;
	case CFI_INSN_PUSH_FP: k->sp_at += word; save_fp(k, k->sp_at); break;
	case CFI_INSN_POP: k->sp_at -= word; break;
	case CFI_INSN_POP_FP: take_fp(k, k->sp, k->sp_at); k->sp_at -= word; break;
	case CFI_INSN_LEAVE:
		k->sp = k->fp;
		k->sp_at = k->fp_at;
		take_fp(k, k->sp, k->sp_at);
		k->sp_at -= word;
		break;
	case CFI_INSN_ADD_SP: k->sp_at -= insn->value; break;
	case CFI_INSN_SP_TO_FP:
		lose_fp(k);
		k->fp = k->sp && k->fp_saved;
		k->fp_at = k->fp ? k->sp_at - insn->value : 0;
		break;
	case CFI_INSN_FP_TO_SP:
		k->sp = k->fp;
		k->sp_at = k->fp_at - insn->value;
		break;
	case CFI_INSN_STORE: case CFI_INSN_LOAD: pair_of_known(k, insn); break;
	case CFI_INSN_STORE_FP: save_fp(k, k->sp_at - insn->value); break;
	case CFI_INSN_LOAD_FP: take_fp(k, k->sp, k->sp_at - insn->value); break;
	case CFI_INSN_LOSE_SP: lose_sp(k); break;
	case CFI_INSN_LOSE_FP: lose_fp(k); break;
	case CFI_INSN_LOSE_LR: k->lr_lost = true; break;
	}
	if (!k->sp)
		k->sp_at = 0;
}

/* Whether a function begins at @at by saving the frame pointer and setting its own. */
static bool is_prologue(const struct cfi_code *code, __u64 at)
{
	struct cfi_insn insn;
	__u64 next = at;

	if (!is_arm(code)) {
		const unsigned char *b = code->at + at;

		if (code->size - at < 8)
			return false;
		if (b[0] == 0xf3 && b[1] == 0x0f && b[2] == 0x1e && (b[3] == 0xfa || b[3] == 0xfb))
			next += 4;
		decode(code, next, &insn);
		if (insn.kind != CFI_INSN_PUSH_FP)
			return false;
		next += insn.length;
		decode(code, next, &insn);
		return insn.kind == CFI_INSN_SP_TO_FP && !insn.value;
	}
	decode(code, at, &insn);
	if (insn.kind != CFI_INSN_STORE || !insn.has_fp || !insn.has_lr || insn.before >= 0 || insn.fp_at || insn.lr_at != 8)
		return false;
	if (code->size - at < 8)
		return false;
	decode(code, at + 4, &insn);
	return insn.kind == CFI_INSN_SP_TO_FP && !insn.value;
}

struct sweep {
	const struct cfi_code *code;
	__u64 pc, *steps;
	struct known now;
	bool is_behind_call;
	bool returned;			/* the last instruction is a return */
	__u64 called;			/* where the last call led to; 0: that is not known */
	__u64 noreturn[NR_NORETURN];
	unsigned int next_noreturn;
	struct { __u64 pc; struct known known; } ahead[MAX_AHEAD];
	unsigned int next_ahead;
};

static bool may_agree(const struct known *a, const struct known *b)
{
	if (a->sp && b->sp)
		return a->sp_at == b->sp_at && a->fp_saved == b->fp_saved;
	return !a->fp || !b->fp || a->fp_at == b->fp_at;
}

/* Another function begins behind the last call. */
static void never_returned(struct sweep *s)
{
	s->now = (struct known){ 0 };
	if (s->called)
		s->noreturn[s->next_noreturn++ % NR_NORETURN] = s->called;
}

static bool never_returns(const struct sweep *s, __u64 called)
{
	for (unsigned int i = 0; i < NR_NORETURN; i++)
		if (called && s->noreturn[i] == called)
			return true;
	return false;
}

/* Decide what is known at the place that the sweep has come to. */
static void come_to(struct sweep *s)
{
	struct oprofile_uw_rule rule;
	struct known by_end;
	enum by_end found;

	if (is_prologue(s->code, s->pc)) {
		s->now = at_beginning(s->code);
		s->is_behind_call = false;
		return;
	}
	for (unsigned int i = 0; i < MAX_AHEAD; i++) {
		if (s->ahead[i].pc == s->pc && is_known(&s->ahead[i].known)) {
			s->now = s->ahead[i].known;
			s->is_behind_call = false;
			return;
		}
	}
	if (is_known(&s->now) && !s->is_behind_call)
		return;
	if (s->is_behind_call && is_behind_end(s->code, s->pc)) {
		never_returned(s);
		s->is_behind_call = false;
	}
	found = infer_from_end(s->code, s->pc, s->is_behind_call, s->steps, &rule);
	if (found == END_OTHER) {
		never_returned(s);
		found = infer_from_end(s->code, s->pc, false, s->steps, &rule);
	}
	s->is_behind_call = false;
	if (found < END_WEAK)
		return;
	by_end = known_by(&rule, word_of(s->code));
	if (!is_known(&s->now))
		s->now = by_end;
	else if (!may_agree(&s->now, &by_end))
		s->now = found == END_WEAK ? (struct known){ 0 } : by_end;
}

/* Go over the instruction at the place. */
static void pass(struct sweep *s)
{
	struct cfi_insn insn;
	__u64 to;

	decode(s->code, s->pc, &insn);
	(*s->steps)--;
	s->returned = insn.kind == CFI_INSN_RETURN;
	to = s->pc + insn.target;
	switch (insn.kind) {
	case CFI_INSN_BRANCH: case CFI_INSN_JUMP:
		if (to > s->pc && is_known(&s->now)) {
			s->ahead[s->next_ahead].pc = to;
			s->ahead[s->next_ahead].known = s->now;
			s->next_ahead = (s->next_ahead + 1) % MAX_AHEAD;
		}
		if (insn.kind == CFI_INSN_BRANCH)
			break;
		/* fall through */
	case CFI_INSN_RETURN: case CFI_INSN_STOP: case CFI_INSN_INVALID:
		s->now = (struct known){ 0 };
		break;
	case CFI_INSN_JUMP_SOMEWHERE:
		/* Other parts of a function that has a frame follow; one that gives its frame up leaves it. */
		if (!is_pair(s->code, &s->now))
			s->now = (struct known){ 0 };
		break;
	case CFI_INSN_CALL:
		s->called = insn.target ? to : 0;
		s->is_behind_call = !never_returns(s, s->called);
		if (!s->is_behind_call)
			s->now = (struct known){ 0 };
		/* fall through */
	default:
		if (is_known(&s->now))
			know(s->code, &s->now, &insn);
	}
	s->pc += insn.length;
}

static bool same_rule(const struct oprofile_uw_rule *a, const struct oprofile_uw_rule *b)
{
	return !__builtin_memcmp(a, b, sizeof(*a));
}

/* Return the length of the code at the place if a signal handler returns there, and set *@rule; else 0. */
static unsigned int sigreturn_at(const struct sweep *s, struct oprofile_uw_rule *rule)
{
	if (s->pc > s->code->size || s->code->size - s->pc < SIGRETURN)
		return 0;
	return (unsigned int)oprofile_uw_is_sigreturn(s->code->machine, s->code->at + s->pc, rule);
}

int cfi_infer(const struct cfi_code *code, __u64 from, __u64 to, __u64 *steps, cfi_inferred inferred, void *data)
{
	struct sweep s = { .code = code, .pc = from, .steps = steps };
	struct oprofile_uw_rule last = { 0 }, rule, signal;
	unsigned int sigreturn = sigreturn_at(&s, &signal);
	__u64 at, before = from;
	int err = 0;

	while (!err && s.pc < to && *steps) {
		if (sigreturn) {
			err = inferred(data, before, &signal);
			last = signal;
			s.now = (struct known){ 0 };
			s.pc += sigreturn;
			before = s.pc;
			sigreturn = sigreturn_at(&s, &signal);
			continue;
		}
		at = s.pc;
		come_to(&s);
		if (!*steps)
			break;
		rule_of(code, &s.now, &rule);
		pass(&s);
		sigreturn = sigreturn_at(&s, &signal);
		/* Walks look for the rule one byte before the address to which a handler returns. */
		before = s.returned ? s.pc : s.pc - 1;
		if (!same_rule(&rule, &last) && !(sigreturn && before == at)) {
			err = inferred(data, at, &rule);
			last = rule;
		}
	}
	if (!err && s.pc < to) {
		rule = (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_NONE };
		err = inferred(data, s.pc, &rule);
	}
	return err;
}

/* Return where the last function before @at begins, as far as is looked; @at: nowhere. */
static __u64 find_prologue(const struct cfi_code *code, __u64 at)
{
	unsigned int step = is_arm(code) ? 4 : 1;

	for (__u64 back = step; back <= BACK && back <= at; back += step) {
		unsigned char first = code->at[at - back];

		if (!is_arm(code) && first != 0x55 && first != 0xf3)
			continue;
		if (is_prologue(code, at - back))
			return at - back;
	}
	return at;
}

void cfi_infer_at(const struct cfi_code *code, __u64 offset, int is_behind_call, struct oprofile_uw_rule *rule)
{
	__u64 steps = AT_STEPS;
	struct sweep s = { .code = code, .steps = &steps };
	struct known by_end = { 0 };
	enum by_end found = END_UNKNOWN;

	*rule = chain_rule();
	if (offset >= code->size)
		return;
	if (!is_prologue(code, offset))
		found = infer_from_end(code, offset, is_behind_call, &steps, rule);
	if (found >= END_WEAK)
		by_end = known_by(rule, word_of(code));
	s.pc = find_prologue(code, offset + (is_arm(code) ? 4 : 1));
	if (s.pc <= offset && found < END_KNOWN) {
		while (steps && s.pc < offset) {
			come_to(&s);
			if (steps)
				pass(&s);
		}
		if (s.pc == offset)
			come_to(&s);
		else
			s.now = (struct known){ 0 };
	}
	rule_of(code, is_known(&s.now) ? &s.now : &by_end, rule);
}
