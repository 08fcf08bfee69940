// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * infer.c -- inference of rules for code without call frame information, from its instructions.
 */
#include "libcfi/infer.h"

#include <stdbool.h>

#include "libcfi/infer_end.h"
#include "libcfi/insn.h"
#include "module/uapi/unwind_walk.h"

/* The sweep is one pass over the code in ascending order. When the sweep reaches a forward jump, it
 * stores its state for use at the jump's target. MAX_AHEAD limits the number of stored states. */
#define MAX_AHEAD	32
/* maximum number of stored addresses of functions that never return */
#define NR_NORETURN	16
/* maximum distance in bytes that a search for the start of a function goes back */
#define BACK		16384
/* a search for the start of a function counts each 16 bytes as one step of the limit of steps */
#define BYTES_OF_STEP	16
/* number of instructions to wait after a search without a result, before the next search */
#define RETRY		16
/* size of the cache of rules that searches have found for positions after calls */
#define NR_AGREED	64
#define SIGRETURN	16	/* number of bytes of code that oprofile_uw_is_sigreturn() reads */

static struct oprofile_uw_rule chain_rule(void)
{
	return (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_CHAIN };
}

/* The state at a position of the sweep: known facts about the registers sp, fp and lr. Addresses
 * are relative to the CFA. */
struct known {
	/* .sp: the stack pointer is known; .fp: the frame pointer is a known address in the
	 * current frame */
	bool sp, fp;
	__s32 sp_at, fp_at;		/* .sp_at: CFA - sp; .fp_at: CFA - fp */
	/* distance in bytes from the CFA down to the location of the saved register; 0: the
	 * register was not saved */
	__s32 fp_saved, lr_saved;
	/* .fp_lost: the frame pointer was overwritten; .lr_lost: the link register was
	 * overwritten */
	bool fp_lost, lr_lost;
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

/* Return whether fp points to a frame record: the caller's fp and the return address. */
static bool is_pair(const struct cfi_code *code, const struct known *k)
{
	if (!k->fp || k->fp_saved != k->fp_at)
		return false;
	return is_arm(code) ? k->lr_saved == k->fp_saved - 8 : k->fp_at == 2 * (__s32)word_of(code);
}

static bool rule_of(const struct cfi_code *code, const struct known *k,
		    struct oprofile_uw_rule *rule)
{
	__s32 word = word_of(code);

	*rule = chain_rule();
	if (is_pair(code, k) && (!is_arm(code) || !k->sp)) {
		rule->cfa = OPROFILE_UW_CFA_PAIR;
		return true;
	}
	if (!is_known(k) || (k->fp_lost && !k->fp_saved) || k->fp_saved % word ||
	    k->fp_saved > 4000 * word || k->lr_saved > 4000 * word || k->lr_saved % word)
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

static void forget_sp(struct known *k)
{
	k->sp = false;
	k->sp_at = 0;
}

static void forget_fp(struct known *k)
{
	k->fp = false;
	k->fp_lost = true;
	k->fp_at = 0;
}

/* Update the state @k after an instruction that loads fp. @is_known: the instruction loads the word
 * at CFA - @at. */
static void load_fp(struct known *k, bool is_known, __s32 at)
{
	bool callers = is_known && k->fp_saved && at == k->fp_saved;

	forget_fp(k);
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
			load_fp(k, k->sp, k->sp_at - insn->fp_at);
		if (insn->has_lr) {
			k->lr_lost = !k->sp || k->lr_saved != k->sp_at - insn->lr_at;
			k->lr_saved = k->lr_lost ? k->lr_saved : 0;
		}
	}
	k->sp_at -= insn->after;
}

/* Update the state @k after the instruction @insn. */
static void know(const struct cfi_code *code, struct known *k, const struct cfi_insn *insn)
{
	__s32 word = word_of(code);

	switch (insn->kind) {
	case CFI_INSN_CALL:
		k->lr_lost |= is_arm(code);
		if (code->machine == OPROFILE_UW_I386)
			forget_sp(k);
		break;
	case CFI_INSN_PUSH: k->sp_at += word; break;
	case CFI_INSN_PUSH_FP: k->sp_at += word; save_fp(k, k->sp_at); break;
	case CFI_INSN_POP: k->sp_at -= word; break;
	case CFI_INSN_POP_FP: load_fp(k, k->sp, k->sp_at); k->sp_at -= word; break;
	case CFI_INSN_LEAVE:
		k->sp = k->fp;
		k->sp_at = k->fp_at;
		load_fp(k, k->sp, k->sp_at);
		k->sp_at -= word;
		break;
	case CFI_INSN_ADD_SP: k->sp_at -= insn->value; break;
	case CFI_INSN_SP_TO_FP:
		forget_fp(k);
		k->fp = k->sp && k->fp_saved;
		k->fp_at = k->fp ? k->sp_at - insn->value : 0;
		break;
	case CFI_INSN_FP_TO_SP:
		k->sp = k->fp;
		k->sp_at = k->fp_at - insn->value;
		break;
	case CFI_INSN_STORE: case CFI_INSN_LOAD: pair_of_known(k, insn); break;
	case CFI_INSN_STORE_FP: save_fp(k, k->sp_at - insn->value); break;
	case CFI_INSN_LOAD_FP: load_fp(k, k->sp, k->sp_at - insn->value); break;
	case CFI_INSN_LOSE_SP: forget_sp(k); break;
	case CFI_INSN_LOSE_FP: forget_fp(k); break;
	case CFI_INSN_LOSE_LR: k->lr_lost = true; break;
	}
	/* Treat large distances as unknown: stacks are smaller, and calculations with large
	 * distances could overflow. */
	if (!k->sp || k->sp_at > CFI_INSN_FAR || k->sp_at < -CFI_INSN_FAR)
		forget_sp(k);
	if (k->fp_at > CFI_INSN_FAR || k->fp_at < -CFI_INSN_FAR)
		forget_fp(k);
}

/* Return whether a function starts at @at because the bytes before it are int3 (0xcc). Linkers and
 * V8 fill the gaps between functions with int3, but gaps within functions with no-ops. */
static bool is_after_gap(const struct cfi_code *code, __u64 at)
{
	const unsigned char *b = code->at + at;

	return !is_arm(code) && !(at % 16) && at >= 2 && b[-1] == 0xcc && b[-2] == 0xcc &&
	       b[0] != 0xcc;
}

/* Return whether a prologue starts at @at: instructions that save the caller's frame pointer and
 * set the function's own. */
static bool is_prologue(const struct cfi_code *code, __u64 at)
{
	struct cfi_insn insn;
	__u64 next = at;

	if (!is_arm(code)) {
		const unsigned char *b = code->at + at;

		if (code->size - at < 8 || (b[0] != 0x55 && b[0] != 0xf3))
			return false;
		if (b[0] == 0xf3 && b[1] == 0x0f && b[2] == 0x1e && (b[3] == 0xfa || b[3] == 0xfb))
			next += 4;
		cfi_infer_decode(code, next, &insn);
		if (insn.kind != CFI_INSN_PUSH_FP)
			return false;
		next += insn.length;
		cfi_infer_decode(code, next, &insn);
		return insn.kind == CFI_INSN_SP_TO_FP && !insn.value;
	}
	cfi_infer_decode(code, at, &insn);
	if (insn.kind != CFI_INSN_STORE || !insn.has_fp || !insn.has_lr || insn.before >= 0 ||
	    insn.fp_at || insn.lr_at != 8)
		return false;
	if (code->size - at < 8)
		return false;
	cfi_infer_decode(code, at + 4, &insn);
	return insn.kind == CFI_INSN_SP_TO_FP && !insn.value;
}

static bool begins_function(const struct cfi_code *code, __u64 at)
{
	return is_prologue(code, at) || is_after_gap(code, at);
}

struct sweep {
	const struct cfi_code *code;
	__u64 pc, *steps;
	struct known now;
	bool is_after_call;
	bool returned;			/* the last decoded instruction of the sweep was a return */
	/* address of the function that the last decoded call instruction calls; 0: unknown */
	__u64 called;
	__u64 noreturn[NR_NORETURN];
	unsigned int next_noreturn;
	struct { __u64 pc; struct known known; } ahead[MAX_AHEAD];
	unsigned int next_ahead;
	/* number of instructions to wait before the next search, after a search without a result */
	unsigned int wait;
	/* rules that searches have found for positions after calls */
	struct { __u64 pc; bool by_fp; __s32 cfa_at; } agreed[NR_AGREED];
	struct search search;
};

static bool may_agree(const struct known *a, const struct known *b)
{
	if (a->sp && b->sp)
		return a->sp_at == b->sp_at && a->fp_saved == b->fp_saved;
	return !a->fp || !b->fp || a->fp_at == b->fp_at;
}

/* Another function starts after the last call, so the called function never returns. Reset the
 * state, and store the address of the called function. */
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

/* The last search found the rule @rule on a path that passes calls. Derive the rule at the position
 * after each of these calls, and store it. */
static void note_agreed(struct sweep *s, const struct oprofile_uw_rule *rule)
{
	bool by_fp = rule->cfa == OPROFILE_UW_CFA_FP;

	for (unsigned int i = 0; i < s->search.nr_passed; i++) {
		const struct passed *p = &s->search.passed[i];
		unsigned int n = p->pc % NR_AGREED;

		if (by_fp ? !p->keeps_fp : p->sp.base != START_SP)
			continue;
		s->agreed[n].pc = p->pc;
		s->agreed[n].by_fp = by_fp;
		s->agreed[n].cfa_at = rule->cfa_offset - (by_fp ? 0 : p->sp.at);
	}
}

/* Return whether an earlier search has found the same rule for the current position, after a call,
 * as the sweep. */
static bool has_agreed(const struct sweep *s)
{
	unsigned int n = s->pc % NR_AGREED;

	if (s->agreed[n].pc != s->pc)
		return false;
	return s->agreed[n].by_fp ? s->now.fp && s->now.fp_at == s->agreed[n].cfa_at
				  : s->now.sp && s->now.sp_at == s->agreed[n].cfa_at;
}

/* Update the state of the sweep before the instruction at a new position. If another state is
 * stored for this position, use it. If the state is unknown, start a search. */
static void enter_position(struct sweep *s)
{
	struct oprofile_uw_rule rule;
	struct known by_end;
	enum by_end found;

	if (begins_function(s->code, s->pc)) {
		s->now = at_beginning(s->code);
		s->is_after_call = false;
		return;
	}
	for (unsigned int i = 0; i < MAX_AHEAD; i++) {
		if (s->ahead[i].pc == s->pc && is_known(&s->ahead[i].known)) {
			s->now = s->ahead[i].known;
			s->is_after_call = false;
			return;
		}
	}
	if (is_known(&s->now) && (!s->is_after_call || has_agreed(s))) {
		s->is_after_call = false;
		return;
	}
	if (!s->is_after_call && s->wait) {
		s->wait--;
		return;
	}
	if (s->is_after_call && cfi_infer_is_after_end(s->code, s->pc)) {
		never_returned(s);
		s->is_after_call = false;
	}
	found = cfi_infer_from_end(s->code, s->pc, s->is_after_call, s->steps, &s->search, &rule);
	if (found == END_OTHER) {
		never_returned(s);
		found = cfi_infer_from_end(s->code, s->pc, false, s->steps, &s->search, &rule);
	}
	s->is_after_call = false;
	if (found < END_WEAK) {
		s->wait = RETRY;
		return;
	}
	note_agreed(s, &rule);
	by_end = known_by(&rule, word_of(s->code));
	if (!is_known(&s->now))
		s->now = by_end;
	else if (!may_agree(&s->now, &by_end))
		s->now = found == END_WEAK ? (struct known){ 0 } : by_end;
}

/* Apply the instruction at the current position to the state of the sweep, and advance the
 * position. */
static void pass(struct sweep *s)
{
	struct cfi_insn insn;
	__u64 to;

	cfi_infer_decode(s->code, s->pc, &insn);
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
		s->wait = 0;
		break;
	case CFI_INSN_JUMP_SOMEWHERE:
		s->wait = 0;
		/*
		 * An indirect jump. If the function still has its frame, this is a jump within the
		 * function (a switch), and the code after it belongs to the same function.
		 * Otherwise it is a tail call, and the state of the code after it is unknown.
		 */
		if (!is_pair(s->code, &s->now))
			s->now = (struct known){ 0 };
		break;
	case CFI_INSN_CALL:
		s->called = insn.target ? to : 0;
		s->is_after_call = !never_returns(s, s->called);
		if (!s->is_after_call)
			s->now = (struct known){ 0 };
		/* fall through */
	default:
		/* After an instruction that makes sp or fp unknown, a search may succeed, so do not
		 * wait. */
		if (insn.kind == CFI_INSN_LOSE_SP || insn.kind == CFI_INSN_LOSE_FP ||
		    insn.kind == CFI_INSN_LOSE_LR || insn.kind == CFI_INSN_CALL)
			s->wait = 0;
		if (is_known(&s->now))
			know(s->code, &s->now, &insn);
	}
	s->pc += insn.length;
}

static bool same_rule(const struct oprofile_uw_rule *a, const struct oprofile_uw_rule *b)
{
	return !__builtin_memcmp(a, b, sizeof(*a));
}

/* If the code at the current position is the call of rt_sigreturn() to which signal handlers
 * return, set *@rule and return the length of this code. Otherwise return 0. */
static unsigned int sigreturn_at(const struct sweep *s, struct oprofile_uw_rule *rule)
{
	if (s->pc > s->code->size || s->code->size - s->pc < SIGRETURN)
		return 0;
	return (unsigned int)oprofile_uw_is_sigreturn(s->code->machine, s->code->at + s->pc, rule);
}

int cfi_infer(const struct cfi_code *code, __u64 from, __u64 to, __u64 *steps,
	      cfi_inferred inferred, void *data)
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
		enter_position(&s);
		if (!*steps)
			break;
		rule_of(code, &s.now, &rule);
		pass(&s);
		sigreturn = sigreturn_at(&s, &signal);
		/*
		 * A stack walk looks up a frame's rule at the return address minus 1. The return
		 * address of a signal handler is the start of the code that calls rt_sigreturn().
		 * So the rule of this code must begin one byte before the code.
		 */
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

/* Return whether a check for the start of a function at @at would decode instructions. Only such a
 * check is counted as a step. */
static bool is_decoded(const struct cfi_code *code, __u64 at)
{
	return is_arm(code) || code->at[at] == 0x55 || code->at[at] == 0xf3;
}

/* Return the start of the last function that starts at most BACK bytes before @at. Return @at if no
 * such function was found, or if *@steps is used up. */
static __u64 find_prologue(const struct cfi_code *code, __u64 at, __u64 *steps)
{
	unsigned int step = is_arm(code) ? 4 : 1;

	for (__u64 back = step; back <= BACK && back <= at && *steps; back += step) {
		if (at - back >= code->size)
			continue;
		*steps -= !(back % BYTES_OF_STEP) || is_decoded(code, at - back);
		if (begins_function(code, at - back))
			return at - back;
	}
	return at;
}

void cfi_infer_at(const struct cfi_code *code, __u64 offset, bool is_after_call, __u64 *steps,
		  struct oprofile_uw_rule *rule)
{
	struct sweep s = { .code = code, .steps = steps };
	struct known by_end = { 0 };
	enum by_end found = END_UNKNOWN;

	*rule = chain_rule();
	if (offset >= code->size)
		return;
	if (!begins_function(code, offset))
		found = cfi_infer_from_end(code, offset, is_after_call, steps, &s.search, rule);
	if (found >= END_WEAK)
		by_end = known_by(rule, word_of(code));
	if (found < END_KNOWN)
		s.pc = find_prologue(code, offset + (is_arm(code) ? 4 : 1), steps);
	if (found < END_KNOWN && s.pc <= offset) {
		while (*steps && s.pc < offset) {
			enter_position(&s);
			if (*steps)
				pass(&s);
		}
		if (s.pc == offset)
			enter_position(&s);
		else
			s.now = (struct known){ 0 };
	}
	rule_of(code, is_known(&s.now) ? &s.now : &by_end, rule);
}
