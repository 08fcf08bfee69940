// SPDX-License-Identifier: GPL-2.0-or-later
/* shown.c -- unwind rules for code without an unwind table. A rule follows from the rules at the
 * exits of the code. */
#include "libcfi/shown.h"

#define MAX_EXITS 3 /* stop the search after this number of exits that lead to the same frame */
/* An interpreter's function may enlarge its frame before it jumps to JIT code. This is the maximum
 * number of bytes. */
#define EXTENDS 64
#define MAX_MOVE 4096
/* maximum length in bytes of an instruction that the scan of JIT code recognises: a jump, or a
 * change of the stack pointer */
#define LONGEST 12
/* looking up the target of a jump counts as much work as scanning this number of words of code */
#define LOOKUP 4

static bool is_same(const struct cfi_shown *a, const struct cfi_shown *b)
{
	const struct oprofile_uw_rule *r = &a->rule, *q = &b->rule;

	return r->cfa == q->cfa && r->cfa_offset == q->cfa_offset &&
	       (r->saved & 15) == (q->saved & 15) && r->fp_offset == q->fp_offset;
}

static __s16 words_from(__s32 at, __s32 cfa)
{
	return (__s16)((at - cfa) / 8);
}

/* Set the location of the caller's frame pointer in @rule, from the frame pointer at the exit
 * @e. */
static void set_fp(struct oprofile_uw_rule *rule, const struct cfi_exit *e)
{
	unsigned int fp = OPROFILE_UW_SAME;

	if (e->fp == CFI_FP_LOST)
		fp = OPROFILE_UW_LOST;
	else if (e->fp == CFI_FP_LOADED)
		fp = OPROFILE_UW_AT_CFA;
	rule->saved = (__u8)((rule->saved & ~15) | fp);
	rule->fp_offset = fp == OPROFILE_UW_AT_CFA ? words_from(e->fp_at, rule->cfa_offset) : 0;
}

static void set_other(struct oprofile_uw_rule *rule, unsigned int saved, __s16 offset)
{
	rule->saved = (__u8)((rule->saved & 15) | saved << 4);
	rule->other_offset = offset;
}

/* Set *@ret to the rule of code whose exit @e is a `ret`. */
static void by_return(const struct cfi_exit *e, struct cfi_shown *ret)
{
	ret->is_sure = e->is_plain;
	ret->rule = (struct oprofile_uw_rule){.cfa = OPROFILE_UW_CFA_SP, .cfa_offset = e->sp + 8};
	set_fp(&ret->rule, e);
	if (!e->is_plain)
		set_other(&ret->rule, OPROFILE_UW_LOST, 0);
	else if (e->bx_at >= 0)
		set_other(&ret->rule, OPROFILE_UW_AT_CFA, words_from(e->bx_at, e->sp + 8));
}

/* Compute the rule at the start pc. @there is the rule at the target of the exit @e, which is a
 * jump. Return false if the rule cannot be computed. */
static bool by_jump(const struct cfi_exit *e, const struct oprofile_uw_rule *there,
		    struct oprofile_uw_rule *ret)
{
	unsigned int fp = there->saved & 15, other = there->saved >> 4;

	if (fp != OPROFILE_UW_SAME && fp != OPROFILE_UW_AT_CFA)
		return false;
	if (there->cfa == OPROFILE_UW_CFA_FP ? e->fp != CFI_FP_KEPT
					     : there->cfa != OPROFILE_UW_CFA_SP)
		return false;
	*ret = *there;
	if (there->cfa == OPROFILE_UW_CFA_SP)
		ret->cfa_offset += e->sp;
	if (fp == OPROFILE_UW_SAME)
		set_fp(ret, e);
	if (other != OPROFILE_UW_AT_CFA)
		set_other(ret, OPROFILE_UW_LOST, 0);
	return true;
}

/* Account a jump from JIT code to the address @to in the function that @t describes. The JIT code
 * may run on the frame of this function, so store the function in @e. */
static void record_jump(struct cfi_entered *e, const struct cfi_target *t, __u64 to)
{
	struct cfi_shown shown = {
		.shows = CFI_SHOWS_RULE,
		.rule = t->rule,
		.entered = t->begin,
	};

	/* If the JIT code jumps to the start of a function (a tail call), it was itself entered
	 * by a call. */
	if (to == t->begin)
		return;
	if (!e->is_found) {
		e->is_found = true;
		e->shown = shown;
	}
	e->differs |= e->shown.entered != shown.entered || !is_same(&e->shown, &shown);
}

/* Return the target of the jump at @code, which has at least LONGEST bytes, or 0 if the code is
 * not a jump. The function recognises jumps with a 32-bit displacement, and movabs imm64,rax;
 * jmp *rax. */
static __u64 jump_at(const unsigned char *code, __u64 address)
{
	unsigned int length = *code == 0xe9 ? 5 : *code == 0x0f && (code[1] & 0xf0) == 0x80 ? 6 : 0;
	__s32 distance;

	if (code[0] == 0x48 && code[1] == 0xb8 && code[10] == 0xff && code[11] == 0xe0)
		__builtin_memcpy(&address, code + 2, sizeof(address));
	else if (!length)
		return 0;
	if (!length)
		return address;
	__builtin_memcpy(&distance, code + length - 4, sizeof(distance));
	return address + length + (__u64)(__s64)distance;
}

/* Return the number of bytes by which the add, sub or lea at @code decreases the stack pointer; 0
 * for other instructions. */
static __s32 moves_down(const unsigned char *code)
{
	__s32 by;

	if (code[0] != 0x48)
		return 0;
	if (code[1] == 0x83 && (code[2] == 0xc4 || code[2] == 0xec)) {
		by = (signed char)code[3];
	} else if (code[1] == 0x81 && (code[2] == 0xc4 || code[2] == 0xec)) {
		__builtin_memcpy(&by, code + 3, sizeof(by));
	} else if (code[1] == 0x8d && code[2] == 0x64 && code[3] == 0x24) {
		by = (signed char)code[4];
	} else {
		return 0;
	}
	if (code[2] == 0xec && by > -MAX_MOVE)
		by = -by;
	return by < 0 && by > -MAX_MOVE ? -by : 0;
}

bool cfi_entered_scan(struct cfi_entered *e, const unsigned char *code, __u64 address, size_t size,
		      cfi_target_fn target, bool (*may_work)(void *data, unsigned int amount),
		      void *data)
{
	struct cfi_target t;

	for (size_t i = 0; i + LONGEST <= size; i++) {
		__u64 to = jump_at(code + i, address + i);

		e->pushed += moves_down(code + i);
		if (to && !may_work(data, LOOKUP))
			return false;
		if (to && !target(data, to, &t) && t.has_rule && t.begin && t.is_exact)
			record_jump(e, &t, to);
	}
	return true;
}

/* The state of one search for the exits of the code at a pc. */
struct search {
	const struct cfi_shown_ops *ops;
	void *data;
	__u64 pc;
	struct cfi_shown shown;
	unsigned int nr_exits; /* number of exits from which a rule follows */
	/* .jump is valid: one of the exits is a jump to an address in a register or in memory */
	bool has_jump;
	bool jumps_differ;
	struct cfi_exit jump;
	bool differs; /* the search has found exits that lead to different frames */
	/* if an exit leads to code that is not known yet: the reason, enum oprofile_uw_end;
	 * otherwise 0 */
	int end;
};

static void note_jump(struct search *s, const struct cfi_exit *e)
{
	s->jumps_differ |= s->has_jump && (e->sp != s->jump.sp || e->fp != s->jump.fp ||
					   e->fp_at != s->jump.fp_at);
	s->has_jump = true;
	s->jump = *e;
}

/* Set *@ret to the frame to which the exit @e leads. Return false if no rule follows from the
 * exit. */
static bool read_exit(struct search *s, const struct cfi_exit *e, struct cfi_shown *ret)
{
	struct cfi_target t;
	int end;

	*ret = (struct cfi_shown){.shows = CFI_SHOWS_RULE};
	if (e->kind == CFI_EXIT_RETURN) {
		if (!s->ops->target(s->data, s->pc, &t))
			ret->entered = t.begin;
		ret->is_return = true;
		by_return(e, ret);
		return true;
	}
	if (e->kind == CFI_EXIT_ANYWHERE) {
		note_jump(s, e);
		return false;
	}
	end = s->ops->target(s->data, e->to, &t);
	if (end == OPROFILE_UW_NO_TABLE)
		s->end = end;
	if (end || !t.has_rule || !t.begin)
		return false;
	ret->entered = t.begin;
	ret->is_strict = !t.is_exact;
	ret->rule = t.rule;
	if (e->kind == CFI_EXIT_JUMP)
		return by_jump(e, &t.rule, &ret->rule);
	if (!s->nr_exits) {
		s->shown = *ret;
		s->shown.shows = CFI_SHOWS_FUNCTION;
	}
	return false;
}

static bool add_exit(void *data, const struct cfi_exit *e)
{
	struct search *s = data;
	struct cfi_shown shown;

	if (!read_exit(s, e, &shown))
		return true;
	if (!s->nr_exits)
		s->shown = shown;
	s->nr_exits++;
	s->differs |= !is_same(&s->shown, &shown);
	return !shown.is_sure && !s->differs && s->nr_exits < MAX_EXITS;
}

/* All exits of the code are jumps to addresses in registers or in memory. Derive the frame from
 * other JIT code in the same mapping, which may jump to a known function. */
static void by_other_code(struct search *s)
{
	const struct cfi_entered *e;
	struct cfi_target t;

	if (!s->has_jump || s->jumps_differ || s->ops->target(s->data, s->pc, &t) ||
	    !t.is_made)
		return;
	e = s->ops->entered(s->data, &t);
	if (!e || !e->is_found) {
		s->shown.shows = CFI_SHOWS_JUMP;
		s->shown.entered = t.begin;
		s->shown.jump = s->jump;
		return;
	}
	if (e->differs || !by_jump(&s->jump, &e->shown.rule, &s->shown.rule))
		return;
	s->shown.shows = CFI_SHOWS_RULE;
	s->shown.entered = e->shown.entered;
	s->shown.is_guess = true;
	s->shown.body = s->jump.sp;
}

/* The code runs on the frame of a known function, but the size of the frame is unknown. Compute an
 * upper limit of the size. */
static void bound_frame(struct search *s)
{
	const struct cfi_entered *e;
	struct cfi_target t;

	s->shown.most = 0;
	if (s->shown.rule.cfa != OPROFILE_UW_CFA_SP || s->ops->target(s->data, s->pc, &t) ||
	    !t.is_made)
		return;
	e = s->ops->entered(s->data, &t);
	if (e && e->read_all && e->pushed < MAX_MOVE)
		s->shown.most = s->shown.rule.cfa_offset + e->pushed + EXTENDS;
}

static size_t read_code(void *data, __u64 address, unsigned char *to, size_t size)
{
	struct search *s = data;

	return s->ops->code(s->data, address, to, size);
}

static enum cfi_code_kind kind(void *data, __u64 address)
{
	struct search *s = data;
	struct cfi_target t;

	if (s->ops->target(s->data, address, &t))
		return CFI_CODE_EXACT;
	if (t.is_made)
		return CFI_CODE_MADE;
	return t.has_rule && t.begin && !t.is_exact ? CFI_CODE_COARSE : CFI_CODE_EXACT;
}

int cfi_shown_find(__u64 pc, const struct cfi_shown_ops *ops, void *data, struct cfi_shown *ret)
{
	static const struct cfi_exits_ops exits = {read_code, kind, add_exit};
	struct search s = {.ops = ops, .data = data, .pc = pc};

	if (!cfi_exits_find(pc, &exits, &s) || s.differs)
		s.shown = (struct cfi_shown){0};
	else if (!s.shown.shows)
		by_other_code(&s);
	else if (s.shown.shows == CFI_SHOWS_FUNCTION)
		bound_frame(&s);
	s.shown.nr_exits = (__u8)s.nr_exits;
	*ret = s.shown;
	return s.end;
}

/* The state of cfi_leaves_by_jump(), which searches a function for a jump to an address in a
 * register or in memory. */
struct function {
	const struct cfi_shown_ops *ops;
	void *data;
	__u64 begin;
	bool found;
};

static size_t read_function(void *data, __u64 address, unsigned char *to, size_t size)
{
	struct function *f = data;

	return f->ops->code(f->data, address, to, size);
}

/* Follow a jump only if its target is in the same function. */
static enum cfi_code_kind is_inside(void *data, __u64 address)
{
	struct function *f = data;
	struct cfi_target t;

	return !f->ops->target(f->data, address, &t) && t.begin == f->begin ? CFI_CODE_MADE
									    : CFI_CODE_EXACT;
}

static bool add_function_exit(void *data, const struct cfi_exit *e)
{
	struct function *f = data;

	f->found |= e->kind == CFI_EXIT_ANYWHERE && !e->sp && e->fp == CFI_FP_KEPT;
	return !f->found;
}

bool cfi_leaves_by_jump(__u64 begin, const struct cfi_shown_ops *ops, void *data)
{
	static const struct cfi_exits_ops exits = {read_function, is_inside, add_function_exit};
	struct function f = {.ops = ops, .data = data, .begin = begin};

	cfi_exits_find(begin, &exits, &f);
	return f.found;
}

/* The arguments of cfi_shown_rule(), which its helper functions need. */
struct check {
	const struct cfi_shown *shown;
	const struct oprofile_uw_frame *frame;
	const struct cfi_shown_stack_ops *ops;
	void *data;
};

/* Result of a comparison: whether the direct call before a return address calls the function on
 * whose frame the code runs. */
enum entered { ENTERED_OTHER, ENTERED_UNKNOWN, ENTERED };

/* Compare the target of the call before the return address @pc with the function on whose frame the
 * code runs. */
static enum entered find_entered(const struct check *c, __u64 pc)
{
	struct cfi_target t;

	/* If the call leads to another function, read the code again: runtimes change the targets
	 * of calls when they have compiled a function. */
	for (int again = 0; again < 2; again++) {
		__u64 called = c->ops->called(c->data, pc, again);

		/*
		 * The result is unknown if the target is not in a known function: the bytes of an
		 * indirect call may look like a direct call, or the call may go through a PLT.
		 */
		if (!called || c->ops->target(c->data, called, &t) || !t.begin)
			return ENTERED_UNKNOWN;
		if (t.begin == c->shown->entered)
			return ENTERED;
	}
	return ENTERED_OTHER;
}

/* Return whether the function called just before the return address @pc may have jumped to JIT
 * code. */
static bool leaves_by_jump(const struct check *c, __u64 pc)
{
	__u64 called = c->ops->called(c->data, pc, false);
	struct cfi_target t;

	return c->ops->leaves_by_jump && called && !c->ops->target(c->data, called, &t) &&
	       !t.is_made && t.begin && c->ops->leaves_by_jump(c->data, t.begin);
}

static bool is_rule_true(const struct check *c)
{
	const struct oprofile_uw_frame *f = c->frame;
	const struct cfi_shown *shown = c->shown;
	bool by_fp = shown->rule.cfa == OPROFILE_UW_CFA_FP;
	__u64 cfa = (by_fp ? f->fp : f->sp) + (__u64)(__s64)shown->rule.cfa_offset;
	enum entered entered;
	__u64 pc, first;

	if (shown->is_sure && !shown->is_pushed)
		return true;
	/* If a word of the stack cannot be read, accept the rule: the unwinder will fail to read
	 * the same word, and report the reason. */
	if ((by_fp && !(f->known & OPROFILE_UW_KNOWS_FP)) ||
	    c->ops->word(c->data, cfa - 8, 8, &pc))
		return true;
	if (shown->is_pushed && c->ops->known_call(c->data, pc) != OPROFILE_UW_CALL_YES)
		return false;
	if (shown->is_sure)
		return true;
	/* The frame of .entered would begin at a return address into JIT code: then the code was
	 * entered by a call, and the guess is wrong. */
	if (shown->is_guess &&
	    !c->ops->word(c->data, f->sp + (__u64)(__s64)shown->body, 8, &first) &&
	    c->ops->is_made(c->data, first - 1))
		return false;
	entered = find_entered(c, pc);
	if (entered == ENTERED_OTHER && shown->is_return && leaves_by_jump(c, pc))
		return true;
	return shown->is_strict ? entered == ENTERED : entered != ENTERED_OTHER;
}

/*
 * The code runs on a frame of the function shown->entered, which may be larger than the function's
 * unwind row says. Find the rule of this frame. Search shown->most bytes of the stack for return
 * addresses of direct calls to the function. If exactly one is found, it is the return address of
 * the frame.
 */
static bool search_frame(const struct check *c, struct oprofile_uw_rule *rule)
{
	const struct cfi_shown *shown = c->shown;
	__u64 sp = c->frame->sp, word;
	__s32 found = 0;

	if ((shown->rule.saved & 15) == OPROFILE_UW_AT_SP ||
	    (shown->rule.saved & 15) == OPROFILE_UW_AT_FP || sp % 8 ||
	    shown->most <= shown->rule.cfa_offset ||
	    !c->ops->may_work(c->data, (unsigned int)(shown->most - shown->rule.cfa_offset)))
		return false;
	for (__s32 n = shown->rule.cfa_offset - 8; n < shown->most; n += 8) {
		int end = c->ops->word(c->data, sp + (__u64)(__s64)n, 8, &word);

		if (end == OPROFILE_UW_COPY)
			return false;
		if (end)
			break;
		if (c->ops->known_call(c->data, word) != OPROFILE_UW_CALL_YES ||
		    find_entered(c, word) != ENTERED)
			continue;
		if (found)
			return false;
		found = n + 8;
	}
	*rule = shown->rule;
	rule->cfa = OPROFILE_UW_CFA_SP;
	rule->cfa_offset = found;
	return found != 0;
}

static struct cfi_returned *returned_of(const struct check *c)
{
	return c->ops->returned && c->shown->entered ?
		       c->ops->returned(c->data, c->shown->entered) :
		       NULL;
}

/* The frame's return address is in the code of a file. Store the frame, for find_returned(). */
static void note_return(const struct check *c)
{
	const struct oprofile_uw_rule *rule = &c->shown->rule;
	struct cfi_returned *r = returned_of(c);
	unsigned int n;
	__u64 pc;

	if (!r || rule->cfa != OPROFILE_UW_CFA_SP ||
	    c->ops->word(c->data, c->frame->sp + (__u64)(__s64)rule->cfa_offset - 8, 8, &pc))
		return;
	for (n = 0; n < r->nr; n++)
		if (r->frames[n].to == pc && r->frames[n].rule.cfa_offset == rule->cfa_offset)
			return;
	if (n == CFI_RETURNED || c->ops->is_made(c->data, pc - 1) ||
	    c->ops->known_call(c->data, pc) != OPROFILE_UW_CALL_YES)
		return;
	r->frames[n].to = pc;
	r->frames[n].rule = *rule;
	r->nr++;
}

/*
 * Find the rule of code that jumps to other JIT code in the same mapping: try each frame that
 * note_return() has stored for the mapping. The rule is valid if exactly one of these frames leads
 * to a matching return address.
 */
static bool find_returned(const struct check *c, struct oprofile_uw_rule *rule)
{
	const struct cfi_returned *r = returned_of(c);
	struct oprofile_uw_rule found;
	unsigned int nr = 0;
	__u64 pc;

	for (unsigned int n = 0; r && n < r->nr; n++) {
		if (!by_jump(&c->shown->jump, &r->frames[n].rule, &found) ||
		    c->ops->word(c->data, c->frame->sp + (__u64)(__s64)found.cfa_offset - 8, 8,
				 &pc) ||
		    pc != r->frames[n].to)
			continue;
		*rule = found;
		nr++;
	}
	return nr == 1;
}

bool cfi_shown_rule(const struct cfi_shown *shown, const struct oprofile_uw_frame *frame,
		    const struct cfi_shown_stack_ops *ops, void *data,
		    struct oprofile_uw_rule *rule)
{
	const struct check c = {shown, frame, ops, data};

	if (shown->shows == CFI_SHOWS_FUNCTION)
		return !shown->is_pushed && search_frame(&c, rule);
	if (shown->shows == CFI_SHOWS_JUMP)
		return find_returned(&c, rule);
	*rule = shown->rule;
	if (!shown->shows || !is_rule_true(&c))
		return false;
	if (shown->is_return)
		note_return(&c);
	return true;
}
