// SPDX-License-Identifier: GPL-2.0
/*
 * path_walk.c -- stacks of programs, walked.
 */
#include "path_walk.h"

#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "path_book.h"
#include "path_regs.h"
#include "uapi/unwind_walk.h"

enum { CALL_UNKNOWN, CALL_YES, CALL_NO };

struct state {
	struct oprofile_walker *w;
	const struct oprofile_walk *walk;
	struct oprofile_path_rule *last;	/* the rule that was found last */
	/* the rule for an address of which nothing may be kept */
	struct oprofile_path_rule unkept;
	unsigned int machine;
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

static __always_inline int word(void *data, __u64 address, unsigned int size, __u64 *value)
{
	u32 half = 0;
	int end;

	if (size == 8)
		return read_user(data, address, value, 8);
	end = read_user(data, address, &half, 4);
	if (!end)
		*value = half;
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
	const struct oprofile_path_map *map = s->walk->map;
	const struct oprofile_area *area = oprofile_area_of(map, code);
	struct oprofile_path_rule found = {
		.code = code, .map = map->number, .turn = s->walk->turn, .area = map->nr, .end = OPROFILE_UW_MAPPING,
	};
	bool keep = false;

	if (area) {
		found.area = area - map->area;
		found.end = table_rule(s, area, code, &found.rule, &keep);
	}
	if (!keep)
		kept = &s->unkept;
	*kept = found;
	return kept;
}

/* What is known about @code. */
static __always_inline struct oprofile_path_rule *rule_at(struct state *s, u64 code)
{
	u32 at = (code ^ code >> OPROFILE_RULE_BITS ^ s->walk->map->number * 0x9e37U) & ((1 << OPROFILE_RULE_BITS) - 1);
	struct oprofile_path_rule *kept = &s->w->rules[at];

	if (likely(kept->code == code && kept->map == s->walk->map->number && kept->turn == s->walk->turn))
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

	if (s->last->area == s->walk->map->nr)
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

/* How many of the kept frames, from the outermost on, are still right. @frame must be one of
 * them, with the same words on the stack from there on; *@next is where to look for it. */
static __always_inline u32 known_from(struct state *s, const struct oprofile_kept_stack *kept, int *next,
				      const struct oprofile_uw_frame *frame)
{
	u64 value;
	int i;

	while (*next >= 0 && kept->frame[*next].sp < frame->sp)
		(*next)--;
	if (*next < 0 || kept->frame[*next].sp != frame->sp || kept->frame[*next].pc != frame->pc ||
	    kept->frame[*next].fp != frame->fp || kept->frame[*next].registers != frame->known)
		return 0;
	for (i = *next; i > 0; i--) {
		const struct oprofile_kept_frame *inner = &kept->frame[i], *outer = inner - 1;

		if (!inner->pc_slot || word(s, inner->pc_slot, oprofile_uw_word(s->machine), &value) ||
		    oprofile_strip_user(value) != outer->pc)
			break;
		if (inner->fp_slot && (word(s, inner->fp_slot, oprofile_uw_word(s->machine), &value) ||
				       value != outer->fp))
			break;
	}
	if (i <= 0)
		return *next + 1;
	*next = i - 1;
	return 0;
}

static __always_inline void note(struct state *s, struct oprofile_kept_frame *f, const struct oprofile_uw_frame *frame)
{
	const struct oprofile_path_map *map = s->walk->map;
	const struct oprofile_area *area = &map->area[s->last->area];
	u64 code = frame->pc - !frame->innermost;

	f->pc = frame->pc;
	f->sp = frame->sp;
	f->fp = frame->fp;
	f->registers = frame->known;
	f->image = area->image | (u32)(frame->by_fp ? OPROFILE_UW_HOW_FP : OPROFILE_UW_HOW_TABLE) << OPROFILE_HOW_SHIFT;
	f->offset = area->named ? code + area->delta : code;
}

/* Puts the *@nr new frames into w->fresh; *@known kept frames are further out. Returns why the
 * walk ends. */
static __always_inline int walk_frames(struct state *s, unsigned int machine, bool keep_other,
				       const struct oprofile_kept_stack *kept, u32 *nr, u32 *known)
{
	struct oprofile_uw_frame frame;
	struct oprofile_uw_slots slots;
	int next = kept->nr - 1, end = 0;

	oprofile_uw_begin(&frame, instruction_pointer(s->walk->regs), user_stack_pointer(s->walk->regs),
			  oprofile_user_register(s->walk->regs, machine, oprofile_uw_fp_number(machine)));
	frame.keep_other = keep_other;
	for (*nr = 0; *nr < s->walk->max_new; ) {
		struct oprofile_kept_frame *f = &s->w->fresh[*nr];
		bool other;

		if (!frame.innermost && !keep_other) {
			*known = known_from(s, kept, &next, &frame);
			if (*known)
				return OPROFILE_UW_WHOLE;
		}
		if (s->last->code != frame.pc - !frame.innermost)
			s->last = rule_at(s, frame.pc - !frame.innermost);
		if (unlikely(s->last->area == s->walk->map->nr))
			return OPROFILE_UW_MAPPING;
		note(s, f, &frame);
		(*nr)++;
		other = frame.innermost;
		end = oprofile_uw_next(machine, &frame, &slots, &ops, s);
		if (end)
			return end;
		/* The innermost frame's rule may need registers, and a signal's registers are
		 * all on the stack: two words do not tell then where the walk leads. */
		other |= slots.cfa || slots.other || frame.innermost;
		f->pc_slot = other ? 0 : slots.pc;
		f->fp_slot = slots.fp;
	}
	return OPROFILE_UW_DEPTH;
}

/* The last stack of the current task on this CPU, or an empty one. */
static struct oprofile_kept_stack *kept_stack(struct oprofile_walker *w, const struct oprofile_walk *walk)
{
	struct oprofile_kept_stack *kept = &w->stacks[hash_ptr(current, ilog2(OPROFILE_KEPT_STACKS))];

	if (unlikely(kept->task != current || kept->start_time != current->start_time ||
		     kept->map != walk->map->number || kept->epoch != walk->book->epoch)) {
		kept->task = current;
		kept->start_time = current->start_time;
		kept->map = walk->map->number;
		kept->epoch = walk->book->epoch;
		kept->nr = 0;
	}
	return kept;
}

static u32 end_node(struct oprofile_path_nodes *nodes, u32 end)
{
	return oprofile_path_node(nodes, OPROFILE_NO_NODE, (OPROFILE_UW_HOW_ENDS + end) << OPROFILE_HOW_SHIFT, 0);
}

/* Makes nodes of the fresh frames below @node, outermost first. Frames of a @whole path are kept
 * behind those that are kept already. */
static u32 intern(struct oprofile_walker *w, struct oprofile_path_nodes *nodes, struct oprofile_kept_stack *kept,
		  u32 node, u32 nr, bool whole)
{
	while (nr--) {
		struct oprofile_kept_frame *f = &w->fresh[nr];

		node = oprofile_path_node(nodes, node, f->image, f->offset);
		if (unlikely(!node))
			return OPROFILE_NO_NODE;
		/* the innermost frame is left out: its rule may need registers */
		if (whole && nr && kept->nr < OPROFILE_KEPT_FRAMES) {
			f->node = node;
			kept->frame[kept->nr++] = *f;
		}
	}
	return node;
}

/* The path is deeper than wanted, so the outermost frames go. The others then need other nodes,
 * since a node is named by its parents. */
static u32 cut(const struct oprofile_walk *walk, const struct oprofile_kept_stack *kept, u32 known, u32 nr)
{
	u32 node = end_node(&walk->book->nodes, OPROFILE_UW_DEPTH), i;

	for (i = known + nr - min(walk->depth, known + nr); i < known && node; i++)
		node = oprofile_path_node(&walk->book->nodes, node, kept->frame[i].image, kept->frame[i].offset);
	return node;
}

static __always_inline u32 walk_machine(struct state *s, unsigned int machine, u64 n, u32 *ret_end)
{
	struct oprofile_walker *w = s->w;
	struct oprofile_kept_stack *kept = kept_stack(w, s->walk);
	struct oprofile_path_nodes *nodes = &s->walk->book->nodes;
	u32 nr, known = 0, node;
	bool whole;
	int end;

	s->machine = machine;
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
		node = whole ? known ? kept->frame[known - 1].node : OPROFILE_NO_NODE : end_node(nodes, end);
	}
	*ret_end = end;
	if (!node && !(whole && !known))
		return OPROFILE_NO_NODE;
	if (whole)
		kept->nr = known;
	node = intern(w, nodes, kept, node, nr, whole);
	oprofile_add_local(&s->walk->stats->ends[end], n);
	oprofile_add_local(&s->walk->stats->frames_new, nr);
	oprofile_add_local(&s->walk->stats->frames_known, known);
	return node;
}

u32 oprofile_walk_user(struct oprofile_walker *w, const struct oprofile_walk *walk, u64 n, u32 *end)
{
	struct state s = { .w = w, .walk = walk };
	u32 node;

	s.last = &s.unkept;
	s.unkept.code = ~0ULL;
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
