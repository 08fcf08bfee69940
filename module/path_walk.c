// SPDX-License-Identifier: GPL-2.0
/*
 * path_walk.c -- stacks of programs, walked.
 */
#include "path_walk.h"

#include <linux/uaccess.h>

#include "compat/compat.h"
#include "path_book.h"
#include "path_kept.h"
#include "path_regs.h"
#include "uapi/unwind_walk.h"

enum { CALL_UNKNOWN, CALL_YES, CALL_NO };

/* What else than pc, sp and frame pointer must be the same, for a frame to lead on in the same way. */
#define STATE_INNERMOST		0x10
#define STATE_BY_FP		0x20
#define STATE_USUAL		(OPROFILE_UW_KNOWS_SP | OPROFILE_UW_KNOWS_FP)

#define WORDS_A_FRAME		8	/* and no step reads more */

struct state {
	struct oprofile_walker *w;
	const struct oprofile_walk *walk;
	u64 key;				/* of rules that may be gone by */
	u32 nr_words;
	unsigned int machine;
	struct oprofile_path_rule *last;	/* the rule that was found last */
	/* the rule for an address of which nothing may be kept */
	struct oprofile_path_rule unkept;
};

static __always_inline int read_user(const struct state *s, u64 address, void *to, unsigned int size)
{
	const void __user *from = (const void __user *)(unsigned long)address;

	if (unlikely(s->walk->careful))
		return oprofile_copy_from_user_carefully(to, from, size) ? OPROFILE_UW_STACK : 0;
	if (!user_access_begin(from, size))
		return OPROFILE_UW_STACK;
	if (size == 8)
		unsafe_get_user(*(u64 *)to, (const u64 __user *)from, fault);
	else
		unsafe_get_user(*(u32 *)to, (const u32 __user *)from, fault);
	user_access_end();
	return 0;
fault:
	user_access_end();
	return OPROFILE_UW_STACK;
}

static __always_inline void keep_word(struct state *s, u64 address, u64 value)
{
	s->w->word[s->nr_words++] = (struct oprofile_kept_word){ address, value };
}

static __always_inline int word(void *data, __u64 address, unsigned int size, __u64 *value)
{
	struct state *s = data;
	u32 half = 0;
	int end;

	if (size == 8) {
		end = read_user(s, address, value, 8);
	} else {
		end = read_user(s, address, &half, 4);
		if (!end)
			*value = half;
	}
	if (!end)
		keep_word(s, address, *value);
	return end;
}

static int read_code(const struct state *s, u64 address, u8 *code, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i += 8) {
		if (read_user(s, address + i, code + i, 8))
			return OPROFILE_UW_STACK;
	}
	return 0;
}

/* A signal's handler returns to code without rows: this looks whether @code is at, just before
 * or behind its first instructions. */
static int sigreturn_rule(const struct state *s, u64 code, struct oprofile_uw_rule *rule)
{
	static const s8 back[] = { -1, 0, 1, 4, 5, 7 };
	u8 bytes[16];
	int i;

	for (i = 0; i < ARRAY_SIZE(back); i++) {
		if (!read_code(s, code - back[i], bytes, sizeof(bytes)) &&
		    oprofile_uw_is_sigreturn(s->machine, bytes, rule))
			return 0;
	}
	return OPROFILE_UW_NO_ROW;
}

/* Finds the rule for @code in @area's table. *@keep: the answer will be the same next time. */
static int table_rule(const struct state *s, const struct oprofile_area *area, u64 code, struct oprofile_uw_rule *rule,
		      bool *keep)
{
	struct oprofile_path_image *image = &s->walk->book->image[area->image];
	struct oprofile_path_table *table = rcu_dereference(image->table);
	const struct oprofile_uw_rule *found;

	*keep = true;
	if (!table && image->place.cookie == OPROFILE_NO_COOKIE && image->place.kind != OPROFILE_ANON_VDSO)
		return sigreturn_rule(s, code, rule);
	if (!table) {
		*keep = false;
		if (!READ_ONCE(image->wanted))
			WRITE_ONCE(image->wanted, true);
		return OPROFILE_UW_NO_TABLE;
	}
	if (READ_ONCE(table->used) != s->walk->turn)
		WRITE_ONCE(table->used, s->walk->turn);
	if (table->end || table->table->machine != s->machine)
		return table->end == OPROFILE_UW_TABLE_SIZE ? table->end : sigreturn_rule(s, code, rule);
	found = oprofile_uw_lookup(table->table, code + area->delta);
	if (!found)
		return sigreturn_rule(s, code, rule);
	*rule = *found;
	return 0;
}

/* Out of line, because it is called only for addresses of which nothing was kept. */
static noinline struct oprofile_path_rule *look_up(struct state *s, struct oprofile_path_rule *kept, u64 code)
{
	const struct oprofile_area *area = oprofile_area_of(s->walk->map, code);
	struct oprofile_path_rule found = {
		.code = code, .key = s->key, .image = OPROFILE_NO_IMAGE, .end = OPROFILE_UW_MAPPING,
	};
	bool keep = false;

	if (area) {
		found.image = area->image;
		found.offset = area->named ? code + area->delta : code;
		found.end = table_rule(s, area, code, &found.rule, &keep);
	}
	if (!found.end)
		found.plain = oprofile_uw_plain(s->machine, &found.rule);
	if (!keep)
		kept = &s->unkept;
	*kept = found;
	return kept;
}

static __always_inline u32 rule_hash(u64 code, u64 key)
{
	return (code ^ code >> OPROFILE_RULE_BITS ^ key >> 32) & ((1 << OPROFILE_RULE_BITS) - 1);
}

/* What is known about @code. */
static __always_inline struct oprofile_path_rule *rule_at(struct state *s, u64 code)
{
	struct oprofile_path_rule *kept = &s->w->rules[rule_hash(code, s->key)];

	if (likely(kept->code == code && kept->key == s->key))
		return kept;
	return look_up(s, kept, code);
}

static __always_inline int rule(void *data, __u64 code, struct oprofile_uw_rule *ret)
{
	struct state *s = data;

	if (s->last->code != code)
		s->last = rule_at(s, code);
	if (!s->last->end)
		*ret = s->last->rule;
	return s->last->end;
}

static u64 cpu_register(void *data, unsigned int number)
{
	const struct state *s = data;

	return oprofile_user_register(s->walk->regs, s->machine, number);
}

static noinline int look_for_call(struct state *s, u64 pc)
{
	u8 code[8];

	if (s->last->image == OPROFILE_NO_IMAGE)
		return CALL_NO;
	return !read_code(s, pc - 8, code, 8) && oprofile_uw_is_call(s->machine, code) ? CALL_YES : CALL_NO;
}

static __always_inline int behind_call(void *data, __u64 pc)
{
	struct state *s = data;

	s->last = rule_at(s, pc - 1);
	if (unlikely(s->last->call == CALL_UNKNOWN))
		s->last->call = look_for_call(s, pc);
	return s->last->call == CALL_YES;
}

static __always_inline u64 strip(void *data, __u64 pc)
{
	return oprofile_strip_user(pc);
}

static const struct oprofile_uw_ops ops = { word, rule, cpu_register, behind_call, strip };

/* Between user_access_begin() and user_access_end(), where no function may be called. */
struct open {
	u64 last;			/* address of a word that a program may have */
	struct oprofile_kept_word *word;
};

static __always_inline int open_word(void *data, __u64 address, unsigned int size, __u64 *value)
{
	struct open *o = data;

	if (unlikely(address > o->last))
		return OPROFILE_UW_STACK;
	unsafe_get_user(*value, (const u64 __user *)(unsigned long)address, fault);
	*o->word++ = (struct oprofile_kept_word){ address, *value };
	return 0;
fault:
	return OPROFILE_UW_STACK;
}

static const struct oprofile_uw_ops open_ops = { .word = open_word, .strip = strip };

static u32 state_of(const struct oprofile_uw_frame *frame)
{
	return frame->known | (frame->innermost ? STATE_INNERMOST : 0) | (frame->by_fp ? STATE_BY_FP : 0);
}

/*
 * Goes up by plain rules that are kept, as nearly all are, until there is another, or a known frame. @frame is not
 * known. Nothing is called here, so that all is in the CPU's registers.
 */
static __always_inline u32 walk_plain(struct state *s, unsigned int machine, const struct oprofile_kept_stack *kept,
				      const struct oprofile_kept_frame **at, struct oprofile_uw_frame *ret_frame, u32 *nr)
{
	struct oprofile_walker *w = s->w;
	struct oprofile_kept_frame *f = &w->fresh[*nr], *behind = &w->fresh[s->walk->max_new];
	struct open open = { .last = TASK_SIZE_MAX - 8, .word = &w->word[s->nr_words] };
	struct oprofile_uw_frame frame = *ret_frame;
	struct oprofile_path_rule *r = s->last;
	u64 key = s->key;
	u32 known = 0;

	if (!user_access_begin((const void __user *)0, 8))
		return 0;
	while (r->plain.plain && f != behind && open.word < &w->word[OPROFILE_FRESH_WORDS - WORDS_A_FRAME]) {
		struct oprofile_uw_frame next = frame;
		struct oprofile_path_rule *outer;

		f->pc = frame.pc;
		f->sp = frame.sp;
		f->fp = frame.fp;
		f->offset = r->offset;
		f->image = r->image | OPROFILE_UW_HOW_TABLE << OPROFILE_HOW_SHIFT;
		f->state = STATE_USUAL;
		f->words = open.word - w->word;
		if (oprofile_uw_step_plain(machine, &r->plain, &next, &open_ops, &open))
			goto undo_words;
		outer = &w->rules[rule_hash(next.pc - 1, key)];
		if (outer->code != next.pc - 1 || outer->key != key || outer->call != CALL_YES)
			goto undo_words;
		f++;
		frame = next;
		r = outer;
		known = oprofile_kept_known(machine, kept, at, &frame, STATE_USUAL);
		if (known)
			break;
		continue;
undo_words:
		open.word = w->word + f->words;
		break;
	}
	user_access_end();
	s->last = r;
	*nr = f - w->fresh;
	s->nr_words = open.word - w->word;
	*ret_frame = frame;
	return known;
}

/* Any step. Out of line, so that the plain ones have the CPU's registers for themselves. */
static noinline int step(struct state *s, struct oprofile_uw_frame *frame)
{
	struct oprofile_uw_slots slots;

	switch (s->machine) {
#ifdef CONFIG_X86_64
	case OPROFILE_UW_X86_64:
		return oprofile_uw_next(OPROFILE_UW_X86_64, frame, &slots, &ops, s);
	case OPROFILE_UW_I386:
		return oprofile_uw_next(OPROFILE_UW_I386, frame, &slots, &ops, s);
#endif
#ifdef CONFIG_ARM64
	case OPROFILE_UW_AARCH64:
		return oprofile_uw_next(OPROFILE_UW_AARCH64, frame, &slots, &ops, s);
#endif
	}
	return OPROFILE_UW_NO_ROW;
}
/* Puts the *@nr new frames into w->fresh; *@known kept frames are further out. Returns why the
 * walk ends. */
static __always_inline int walk_frames(struct state *s, unsigned int machine, bool keep_other,
				       const struct oprofile_kept_stack *kept, u32 *nr, u32 *known)
{
	const struct oprofile_kept_frame *at = &kept->frame[kept->first];
	bool quick = !keep_other && !s->walk->careful;
	struct oprofile_uw_frame frame;
	int end;

	oprofile_uw_begin(&frame, instruction_pointer(s->walk->regs), user_stack_pointer(s->walk->regs),
			  oprofile_user_register(s->walk->regs, machine, oprofile_uw_fp_number(machine)));
	frame.keep_other = keep_other;
	*nr = s->nr_words = 0;
	s->last = rule_at(s, frame.pc);
	for (;;) {
		if (quick && frame.known == STATE_USUAL && !frame.context && !frame.by_fp) {
			*known = walk_plain(s, machine, kept, &at, &frame, nr);
			if (*known)
				return OPROFILE_UW_WHOLE;
		}
		if (*nr == s->walk->max_new || s->nr_words > OPROFILE_FRESH_WORDS - WORDS_A_FRAME)
			return OPROFILE_UW_DEPTH;
		if (s->last->image == OPROFILE_NO_IMAGE)
			return OPROFILE_UW_MAPPING;
		s->w->fresh[(*nr)++] = (struct oprofile_kept_frame){
			.pc = frame.pc, .sp = frame.sp, .fp = frame.fp, .offset = s->last->offset,
			.image = s->last->image |
				 (u32)(frame.by_fp ? OPROFILE_UW_HOW_FP : OPROFILE_UW_HOW_TABLE) << OPROFILE_HOW_SHIFT,
			.state = state_of(&frame), .words = s->nr_words,
		};
		end = step(s, &frame);
		if (end)
			return end;
		if (s->last->code != frame.pc - !frame.innermost)
			s->last = rule_at(s, frame.pc - !frame.innermost);
		if (quick && !frame.innermost && user_access_begin((const void __user *)0, 8)) {
			*known = oprofile_kept_known(machine, kept, &at, &frame, state_of(&frame));
			user_access_end();
			if (*known)
				return OPROFILE_UW_WHOLE;
		}
	}
}

static u32 end_node(struct oprofile_path_nodes *nodes, u32 end)
{
	return oprofile_path_node(nodes, OPROFILE_NO_NODE, (OPROFILE_UW_HOW_ENDS + end) << OPROFILE_HOW_SHIFT, 0);
}

/* Makes nodes of the @nr fresh frames below @node, outermost first. */
static __always_inline u32 intern(struct oprofile_walker *w, struct oprofile_path_nodes *nodes, u32 node, u32 nr)
{
	struct oprofile_kept_frame *f = w->fresh + nr;

	while (f-- != w->fresh) {
		node = oprofile_path_node(nodes, node, f->image, f->offset);
		if (unlikely(!node))
			break;
		f->node = node;
	}
	return node;
}

/* The path is deeper than wanted, so the outermost frames go. The others then need other nodes,
 * since a node is named by its parents. */
static u32 cut(const struct oprofile_walk *walk, const struct oprofile_kept_stack *kept, u32 known, u32 nr)
{
	u32 node = end_node(&walk->book->nodes, OPROFILE_UW_DEPTH), wanted = walk->depth - min(walk->depth, nr);
	const struct oprofile_kept_frame *f = kept->frame + OPROFILE_KEPT_FRAMES - known + min(wanted, known);

	while (f-- != kept->frame + OPROFILE_KEPT_FRAMES - known && node)
		node = oprofile_path_node(&walk->book->nodes, node, f->image, f->offset);
	return node;
}

static __always_inline u32 walk_machine(struct state *s, unsigned int machine, u64 n, u32 *ret_end)
{
	struct oprofile_kept_stack *kept = oprofile_kept_stack(s->w->stacks, s->walk->map->number, s->walk->book->epoch);
	struct oprofile_path_nodes *nodes = &s->walk->book->nodes;
	u32 nr, known = 0, node;
	bool whole;
	int end;

	s->machine = machine;
	s->key = (u64)s->walk->map->number << 32 | (u32)(s->walk->turn << 2 | machine);
	end = walk_frames(s, machine, false, kept, &nr, &known);
	if (unlikely(end == OPROFILE_UW_REGISTER && machine != OPROFILE_UW_AARCH64)) {
		known = 0;
		end = walk_frames(s, machine, true, kept, &nr, &known);
	}
	if (end == OPROFILE_UW_WHOLE && known + nr > s->walk->depth) {
		end = OPROFILE_UW_DEPTH;
		node = cut(s->walk, kept, known, nr);
		nr = min(nr, s->walk->depth);
		whole = false;
	} else {
		whole = end == OPROFILE_UW_WHOLE;
		node = whole ? kept->frame[OPROFILE_KEPT_FRAMES - known].node : end_node(nodes, end);
	}
	*ret_end = end;
	if (!node && !(whole && !known))
		return OPROFILE_NO_NODE;
	node = intern(s->w, nodes, node, nr);
	if (likely(whole)) {
		kept->first = OPROFILE_KEPT_FRAMES - known;
		if (node)
			oprofile_keep(kept, s->w->fresh, nr, s->w->word, s->nr_words);
	}
	oprofile_add_local(&s->walk->stats->ends[end], n);
	oprofile_add_local(&s->walk->stats->frames_new, nr);
	oprofile_add_local(&s->walk->stats->frames_known, known);
	return node;
}

u32 oprofile_walk_user(struct oprofile_walker *w, const struct oprofile_walk *walk, u64 n, u32 *end)
{
	struct state s;
	u32 node;

	s.w = w;
	s.walk = walk;
	pagefault_disable();
	switch (oprofile_user_machine(walk->regs)) {
#ifdef CONFIG_X86_64
	case OPROFILE_UW_X86_64:
		node = walk_machine(&s, OPROFILE_UW_X86_64, n, end);
		break;
	case OPROFILE_UW_I386:
		node = walk_machine(&s, OPROFILE_UW_I386, n, end);
		break;
#endif
#ifdef CONFIG_ARM64
	case OPROFILE_UW_AARCH64:
		node = walk_machine(&s, OPROFILE_UW_AARCH64, n, end);
		break;
#endif
	default:
		*end = OPROFILE_UW_NO_ROW;
		node = OPROFILE_NO_NODE;
	}
	pagefault_enable();
	return node;
}
