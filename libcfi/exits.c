// SPDX-License-Identifier: GPL-2.0-or-later
/* exits.c -- search for the exits of code that has no unwind table. The search decodes the code's
 * instructions. */
#include "libcfi/exits.h"

#include "libcfi/insn.h"

#define MAX_STEPS 2000	/* maximum number of instructions to decode in one search */
/* maximum number of instructions on one execution path */
#define MAX_WAY 400
/* maximum number of execution paths that the search stores, to follow them later */
#define MAX_WAYS 32
/* maximum number of jump targets that the search stores, to follow each target only once */
#define MAX_SEEN 128
/* maximum distance in bytes between the stack pointer and its value at the start pc */
#define MAX_STACK 16384
#define ROOM 16		/* number of bytes to read for one instruction; the longest has 15 */

struct way {
	__u64 pc;
	struct cfi_exit exit;
	bool fp_saved; /* the code on this path has stored the frame pointer at .fp_saved_at */
	__s32 fp_saved_at;
	/* the path has jumped to .exit.to, the address of code of the kind CFI_CODE_COARSE */
	bool is_outside;
	/* number of the register that contains the stack pointer at the start pc plus .alias_at;
	 * -1: no such register */
	__s8 alias;
	__s32 alias_at;
	__s8 known; /* number of the register that contains the constant address .value; -1: no
		     * such register */
	__u64 value;
};

struct search {
	const struct cfi_exits_ops *ops;
	void *data;
	unsigned int left; /* number of instructions that the search may still decode */
	unsigned int nr_ways, nr_seen;
	bool has_return, sets_fp;
	struct way ways[MAX_WAYS];
	__u64 seen[MAX_SEEN];
};

static void load_fp(struct way *w, __s32 at)
{
	if (w->fp_saved && at == w->fp_saved_at) {
		w->exit.fp = CFI_FP_KEPT;
	} else if (at < 0) {
		w->exit.fp = CFI_FP_LOST;
	} else {
		w->exit.fp = CFI_FP_LOADED;
		w->exit.fp_at = at;
	}
}

static void store_fp(struct way *w, __s32 at)
{
	if (w->exit.fp == CFI_FP_KEPT) {
		w->fp_saved = true;
		w->fp_saved_at = at;
	}
}

/*
 * Track a copy of the stack pointer in another register: lea disp8(rsp),reg; a few loads; mov
 * reg,rsp. @code: the @length bytes of an instruction. Return whether the instruction sets the
 * stack pointer.
 */
static bool follow_alias(struct way *w, const unsigned char *code, unsigned int length)
{
	unsigned int to = length > 2 ? (code[2] >> 3 & 7) | (code[0] & 4) << 1 : 0;

	if (length == 5 && (code[0] & 0xfb) == 0x48 && code[1] == 0x8d &&
	    (code[2] & 0xc7) == 0x44 && code[3] == 0x24) {
		w->alias = (__s8)to;
		w->alias_at = w->exit.sp + (signed char)code[4];
		return false;
	}
	if (length == 3 && (code[0] & 0xfb) == 0x48 && code[1] == 0x89 &&
	    (code[2] & 0xc7) == 0xc4 && w->alias == (__s8)to) {
		w->exit.sp = w->alias_at;
		return true;
	}
	/* Assume that the instruction changes the register, unless it is a load of another
	 * register. */
	if (length < 3 || (code[0] & 0xf8) != 0x48 || code[1] != 0x8b ||
	    to == (unsigned int)w->alias)
		w->alias = -1;
	return false;
}

/* Apply the effects of an instruction that is not a jump. @code: the bytes of the instruction.
 * Return false if the stack pointer is unknown after the instruction. */
static bool apply(struct way *w, const struct cfi_insn *insn, const unsigned char *code)
{
	struct cfi_exit *e = &w->exit;
	bool plain = false;

	if (follow_alias(w, code, insn->length)) {
		e->is_plain = false;
		return e->sp % 8 == 0;
	}
	switch (insn->kind) {
	case CFI_INSN_PUSH_FP:
		e->sp -= 8;
		store_fp(w, e->sp);
		break;
	case CFI_INSN_PUSH:
		e->sp -= 8;
		w->fp_saved &= w->fp_saved_at != e->sp;
		break;
	case CFI_INSN_POP:
		if (insn->length == 1 && *code == 0x5b) /* pop rbx */
			e->bx_at = e->sp;
		plain = insn->length <= 2 && *code != 0x9d;
		e->sp += 8;
		break;
	case CFI_INSN_POP_FP:
		plain = true;
		load_fp(w, e->sp);
		e->sp += 8;
		break;
	case CFI_INSN_ADD_SP:
		plain = insn->value > 0;
		e->sp += insn->value;
		break;
	case CFI_INSN_STORE_FP:
		store_fp(w, e->sp + insn->value);
		break;
	case CFI_INSN_LOAD_FP:
		load_fp(w, e->sp + insn->value);
		break;
	case CFI_INSN_LOSE_FP:
		e->fp = CFI_FP_LOST;
		break;
	case CFI_INSN_LOSE_SP:
		return false;
	default:
		plain = *code == 0x90;
	}
	e->is_plain &= plain;
	return e->sp % 8 == 0 && e->sp >= -MAX_STACK && e->sp <= MAX_STACK;
}

static bool was_seen(struct search *s, __u64 to)
{
	for (unsigned int i = 0; i < s->nr_seen; i++)
		if (s->seen[i] == to)
			return true;
	if (s->nr_seen < MAX_SEEN)
		s->seen[s->nr_seen++] = to;
	return s->nr_seen == MAX_SEEN;
}

/* Report an exit of the execution path @w. Return false if the caller does not want more exits. */
static bool report_exit(struct search *s, struct way *w, enum cfi_exit_kind kind, __u64 to)
{
	w->exit.kind = kind;
	w->exit.to = to;
	return s->ops->exit(s->data, &w->exit);
}

/* Follow the jump of the execution path @w to @to. Return whether the search continues on this
 * path. Set *@stop if the caller does not want more exits. */
static bool jump(struct search *s, struct way *w, __u64 to, bool *stop)
{
	w->exit.is_plain = false;
	w->pc = to;
	if (!w->is_outside) {
		switch (s->ops->kind(s->data, to)) {
		case CFI_CODE_MADE:
			break;
		case CFI_CODE_EXACT:
			*stop = !report_exit(s, w, CFI_EXIT_JUMP, to);
			return false;
		case CFI_CODE_COARSE:
			w->is_outside = true;
			w->exit.to = to;
		}
	}
	return !was_seen(s, to);
}

/* Track a constant address in a register: movabs imm64,reg, optionally followed by lea
 * disp(reg),reg. @code: the bytes of an instruction. */
static void follow_value(struct way *w, const unsigned char *code, const struct cfi_insn *insn)
{
	unsigned int length = insn->length, mod = length > 2 ? code[2] >> 6 : 0;
	__s32 by;

	if (length == 10 && (*code == 0x48 || *code == 0x49) && (code[1] & 0xf8) == 0xb8) {
		w->known = (__s8)((code[1] & 7) | (*code & 1) << 3);
		__builtin_memcpy(&w->value, code + 2, sizeof(w->value));
		return;
	}
	if ((*code == 0x48 || *code == 0x4d) && code[1] == 0x8d &&
	    (code[2] >> 3 & 7) == (code[2] & 7) &&
	    ((code[2] & 7) | (*code & 1) << 3) == w->known &&
	    ((mod == 1 && length == 4) || (mod == 2 && length == 7))) {
		by = (signed char)code[3];
		if (mod == 2)
			__builtin_memcpy(&by, code + 3, sizeof(by));
		w->value += (__u64)(__s64)by;
		return;
	}
	/* Assume that every other kind of instruction changes the register w->known. */
	if (insn->kind != CFI_INSN_PUSH && insn->kind != CFI_INSN_PUSH_FP &&
	    insn->kind != CFI_INSN_JUMP && insn->kind != CFI_INSN_BRANCH &&
	    insn->kind != CFI_INSN_JUMP_SOMEWHERE)
		w->known = -1;
}

/* Return whether the instruction at @code jumps to the constant address in the register
 * w->known. */
static bool is_known_jump(const struct way *w, const unsigned char *code, unsigned int length)
{
	unsigned int wide = length == 3 && *code == 0x41;

	return w->known >= 0 && length == 2 + wide && code[wide] == 0xff &&
	       code[wide + 1] == (0xe0 | (w->known & 7)) && wide == (unsigned int)w->known >> 3;
}

enum fate {
	WAY_ENDS,
	WAY_STOPS_ALL,
	WAY_HAS_FP,
};

/* Report the end of the execution path @w, at an instruction after which the stack pointer is
 * unknown, or where the code ends. */
static enum fate end_path(struct search *s, struct way *w)
{
	if (!w->is_outside || report_exit(s, w, CFI_EXIT_LOST, w->exit.to))
		return WAY_ENDS;
	return WAY_STOPS_ALL;
}

/* Decode the instruction at @pc into @insn, and copy its bytes to @code, which has ROOM bytes.
 * Return false if the memory at @pc does not contain code. */
static bool read_insn(struct search *s, __u64 pc, unsigned char *code, struct cfi_insn *insn)
{
	size_t size = s->ops->code(s->data, pc, code, ROOM);

	/* Two zero bytes are unused memory, not code. */
	if (!size || (size > 1 && !code[0] && !code[1]))
		return false;
	s->left--;
	cfi_insn_x86(code, size, true, insn);
	return true;
}

/* Follow the execution path @w to an exit. */
static enum fate follow(struct search *s, struct way *w)
{
	unsigned char code[ROOM];
	bool stop = false;
	struct cfi_insn insn;
	struct way other;
	enum cfi_exit_kind kind;

	for (unsigned int n = 0; n < MAX_WAY && s->left; n++) {
		if (!read_insn(s, w->pc, code, &insn))
			return end_path(s, w);
		follow_value(w, code, &insn);
		if (insn.kind == CFI_INSN_JUMP_SOMEWHERE && is_known_jump(w, code, insn.length)) {
			insn.kind = CFI_INSN_JUMP;
			insn.target = (__s64)(w->value - w->pc);
		}
		switch (insn.kind) {
		case CFI_INSN_INVALID:
		case CFI_INSN_STOP:
			return end_path(s, w);
		case CFI_INSN_JUMP_SOMEWHERE:
			kind = w->is_outside ? CFI_EXIT_JUMP : CFI_EXIT_ANYWHERE;
			return report_exit(s, w, kind, w->pc) ? WAY_ENDS : WAY_STOPS_ALL;
		case CFI_INSN_SP_TO_FP:
			/* In CFI_CODE_COARSE code, ignore the frame pointer, which may belong to
			 * another function. */
			s->sets_fp |= !w->is_outside;
			return end_path(s, w);
		case CFI_INSN_FP_TO_SP:
		case CFI_INSN_LEAVE:
			return w->is_outside ? end_path(s, w) : WAY_HAS_FP;
		case CFI_INSN_RETURN:
			/* 0xc2 is the opcode of `ret n` */
			if (*code == 0xc2 || w->exit.sp < 0 || w->is_outside)
				return end_path(s, w);
			s->has_return = true;
			return report_exit(s, w, CFI_EXIT_RETURN, 0) ? WAY_ENDS : WAY_STOPS_ALL;
		case CFI_INSN_JUMP:
			if (!jump(s, w, w->pc + (__u64)insn.target, &stop))
				return stop ? WAY_STOPS_ALL : WAY_ENDS;
			continue;
		case CFI_INSN_BRANCH:
			other = *w;
			if (w->is_outside)
				break;
			if (jump(s, &other, w->pc + (__u64)insn.target, &stop) &&
			    s->nr_ways < MAX_WAYS)
				s->ways[s->nr_ways++] = other;
			if (stop)
				return WAY_STOPS_ALL;
			w->exit.is_plain = false;
			break;
		default:
			if (!apply(w, &insn, code))
				return end_path(s, w);
		}
		w->pc += insn.length;
	}
	return WAY_ENDS;
}

bool cfi_exits_find(__u64 pc, const struct cfi_exits_ops *ops, void *data)
{
	struct search s = {.ops = ops, .data = data, .left = MAX_STEPS};
	struct way w = {.pc = pc, .exit = {.is_plain = true, .bx_at = -1},
			.alias = -1,
			.known = -1};
	enum fate fate = follow(&s, &w);

	while (fate == WAY_ENDS && s.nr_ways) {
		w = s.ways[--s.nr_ways];
		fate = follow(&s, &w);
	}
	return fate != WAY_HAS_FP && (s.has_return || !s.sets_fp);
}
