// SPDX-License-Identifier: GPL-2.0
/*
 * paths/walk.c -- walking the stacks of programs.
 */
#include "paths/walk.h"

#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "paths/book.h"
#include "paths/kept.h"
#include "paths/regs.h"
#include "paths/state.h"
#include "paths/words.h"
#include "uapi/unwind_walk.h"
#include "waker.h"

/* Kind of the instruction before a possible return address: unknown, a call, or not a call.
 * CALL_MADE: not a call, but the address is in JIT code, which may push return addresses without a
 * call. */
enum { CALL_UNKNOWN, CALL_YES, CALL_NO, CALL_MADE };

/* Maximum number of failed reads in one walk, because each failed read costs a page fault. Equal
 * to the maximum number of frames in a handler's walk. */
#define MAX_FAULTS		OPROFILE_HANDLER_FRAMES

/* Bit in the key of a cached rule: a call instruction ends at the rule's address, and the rule is
 * plain (struct oprofile_uw_plain). */
#define KEY_QUICK		4

/*
 * Recognise the code that calls rt_sigreturn() after a signal handler, because unwind tables do not
 * describe that code. The address @code may be at the first instructions of that code, or just
 * before or after these instructions. The bytes are in one page or two, so at most one read fails
 * after the first read has succeeded.
 */
static int sigreturn_rule(struct state *s, u64 code, struct oprofile_uw_rule *rule)
{
	static const s8 back[] = { -1, 0, 1, 4, 5, 7 };
	u8 bytes[24] = { };	/* the bytes of code from the address code - 7 */
	int i;

	if (read_code(s, code + 1, bytes + 8))
		return OPROFILE_UW_NO_ROW;
	read_code(s, code - 7, bytes);
	read_code(s, code + 9, bytes + 16);
	for (i = 0; i < ARRAY_SIZE(back); i++) {
		if (oprofile_uw_is_sigreturn(s->machine, bytes + 7 - back[i], rule))
			return 0;
	}
	return OPROFILE_UW_NO_ROW;
}

/* Find the rule for the address @code in the unwind table of @area's file. Set *@keep to whether
 * the result may be cached. */
static int table_rule(struct state *s, const struct oprofile_area *area, u64 code,
		      struct oprofile_uw_rule *rule, bool *keep)
{
	struct oprofile_path_image *image = &s->walk->book->image[area->image];
	struct oprofile_path_table *table = rcu_dereference(image->table);
	const struct oprofile_uw_rule *found = NULL;
	u64 offset;

	*keep = true;
	if (!table && !oprofile_image_has_file(image))
		return sigreturn_rule(s, code, rule);
	if (!table) {
		*keep = false;
		if (!READ_ONCE(image->wanted)) {
			WRITE_ONCE(image->wanted, true);
			oprofile_wake(s->walk->book->nodes.waker, true);
		}
		return OPROFILE_UW_NO_TABLE;
	}
	if (READ_ONCE(table->used) != s->walk->turn)
		WRITE_ONCE(table->used, s->walk->turn);
	if (table->end == OPROFILE_UW_TABLE_SIZE)
		return table->end;
	if (table->end)
		return sigreturn_rule(s, code, rule) ? table->end : 0;
	if (table->table->machine != s->machine)
		return sigreturn_rule(s, code, rule);
	offset = code + area->delta - table->table->start;
	if (offset < table->table->length) {
		/* Prevent speculative reads beyond the end of the table, because users choose
		 * offsets. */
		offset = array_index_nospec(offset, table->table->length);
		found = oprofile_uw_lookup(table->table, table->table->start + offset);
	}
	if (!found)
		return sigreturn_rule(s, code, rule);
	*rule = *found;
	return 0;
}

/* Look up the rule at @code. Not inlined, because only a cache miss calls this function. */
static noinline struct oprofile_path_rule *look_up(struct state *s, struct oprofile_path_rule *kept,
						   u64 code)
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
		kept = &s->w->unkept;
	*kept = found;
	return kept;
}

static __always_inline u32 rule_hash(u64 code, u32 map)
{
	return (code ^ code >> OPROFILE_RULE_BITS ^ map) & ((1 << OPROFILE_RULE_BITS) - 1);
}

/* Return the unwind rule at the code address @code, from the cache or the unwind table. */
static __always_inline struct oprofile_path_rule *rule_at(struct state *s, u64 code)
{
	struct oprofile_path_rule *kept = &s->w->rules[rule_hash(code, s->key >> 32)];

	if (likely(kept->code == code && (kept->key & ~KEY_QUICK) == s->key))
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

/*
 * Read the 8 bytes before @pc into @code. If no executable mapping contains the first of them, read
 * only the bytes from the start of @pc's page, and set the others to 0: the first call instruction
 * of a mapping may end less than 8 bytes after the mapping's start.
 */
static int read_before(struct state *s, u64 pc, u8 *code)
{
	u64 page = (pc - 1) & PAGE_MASK;
	u8 bytes[8];

	if (!read_code(s, pc - 8, code))
		return 0;
	if (pc - page >= 8 || oprofile_area_of(s->walk->map, pc - 8) || read_code(s, page, bytes))
		return OPROFILE_UW_STACK;
	memset(code, 0, 8);
	memcpy(code + 8 - (pc - page), bytes, pc - page);
	return 0;
}

/*
 * Return whether the code of @image may push return addresses without a call instruction. This is
 * possible if the image is not a file (JIT code), or if its file has no unwind table entries (code
 * that a runtime has compiled and stored in a file). If it is unknown whether the file has entries,
 * return true: the path ends in this file anyway.
 */
static bool may_push(const struct oprofile_path_image *image)
{
	const struct oprofile_path_table *table;

	if (!oprofile_image_has_file(image))
		return true;
	table = rcu_dereference(image->table);
	return !table || table->end == OPROFILE_UW_NO_ROW;
}

/*
 * Return whether the instruction before @pc is a call. If the code belongs to a file, and the
 * answer is yes, store the answer for all processes: a process that was just forked has not mapped
 * the pages of code that its parent ran.
 */
static noinline int read_call(struct state *s, u64 pc)
{
	const struct oprofile_path_rule *r = s->last;
	const struct oprofile_path_image *image;
	u64 number, *called;
	bool is_file;
	u8 code[8];

	if (r->image == OPROFILE_NO_IMAGE)
		return CALL_NO;
	image = &s->walk->book->image[r->image];
	is_file = image->place.cookie != OPROFILE_NO_COOKIE;
	called = oprofile_path_called(s->walk->book, r->image, r->offset, &number);
	if (read_before(s, pc, code)) {
		if (is_file && READ_ONCE(*called) == number)
			return CALL_YES;
		s->unread = true;
		return CALL_UNKNOWN;
	}
	if (!oprofile_uw_is_call(s->machine, code))
		return may_push(image) ? CALL_MADE : CALL_NO;
	if (is_file)
		WRITE_ONCE(*called, number);
	return CALL_YES;
}

static __always_inline int after_call(void *data, __u64 pc)
{
	struct state *s = data;

	s->last = rule_at(s, pc - 1);
	if (unlikely(s->last->call == CALL_UNKNOWN)) {
		s->last->call = read_call(s, pc);
		if (s->last->call == CALL_YES && s->last->plain.plain)
			s->last->key |= KEY_QUICK;
	}
	if (likely(s->last->call == CALL_YES))
		return OPROFILE_UW_CALL_YES;
	return s->last->call == CALL_MADE ? OPROFILE_UW_CALL_MADE : OPROFILE_UW_CALL_NO;
}

static __always_inline u64 strip(void *data, __u64 pc)
{
	return oprofile_strip_user(pc);
}

static int known_call(void *data, __u64 word)
{
	struct state *s = data;

	return oprofile_area_of(s->walk->map, word - 1) ? after_call(data, word) :
							  OPROFILE_UW_CALL_NO;
}

static int code(void *data, __u64 pc, __u8 *bytes)
{
	return read_code(data, pc, bytes);
}

static const struct oprofile_uw_ops ops = {word,  rule,	      cpu_register, after_call,
					   strip, known_call, code};

static const struct oprofile_uw_ops open_ops = { .word = oprofile_open_word, .strip = strip };

/*
 * Walk while the cached rules are plain, which nearly all rules are, until a kept frame is reached.
 * @frame is not a kept frame. This function calls no other function, so that all variables stay in
 * registers.
 */
static __always_inline u32 walk_plain(struct state *s, unsigned int machine,
				      const struct oprofile_kept_stack *kept,
				      const struct oprofile_kept_frame **at,
				      struct oprofile_uw_frame *ret_frame, u32 *nr)
{
	struct oprofile_walker *w = s->w;
	struct oprofile_fresh_frame *f = &w->fresh[*nr], *end = &w->fresh[s->limit];
	struct oprofile_uw_frame frame = *ret_frame;
	struct oprofile_path_rule *r = s->last;
	struct oprofile_user_words all = oprofile_user_words();
	u64 key = s->key | KEY_QUICK;
	u32 known = 0, map = key >> 32;

	if (!r->plain.plain || !user_access_begin((const void __user *)0, 8))
		return 0;
	while (f != end) {
		struct oprofile_uw_frame next = frame;
		struct oprofile_path_rule *outer;

		if (oprofile_uw_step_plain(machine, &r->plain, &next, &open_ops, &all))
			break;
		outer = &w->rules[rule_hash(next.pc - 1, map)];
		if (outer->code != next.pc - 1 || outer->key != key) {
			s->missing = next.pc;
			break;
		}
		f->frame.pc = frame.pc;
		f->frame.sp = frame.sp;
		f->frame.fp = frame.fp;
		f->frame.reads = r->plain.reads;
		f->offset = r->offset;
		f->image = r->image | OPROFILE_UW_HOW_TABLE << OPROFILE_HOW_SHIFT;
		f++;
		frame = next;
		r = outer;
		known = oprofile_kept_known(machine, kept, at, &frame, STATE_USUAL);
		if (known)
			break;
	}
	user_access_end();
	s->last = r;
	*nr = f - w->fresh;
	*ret_frame = frame;
	return known;
}

/* Look up the rules that walk_plain() did not find in the cache. Return true if walk_plain() can
 * now continue at @frame. */
static noinline bool find_missing(struct state *s, const struct oprofile_uw_frame *frame)
{
	const struct oprofile_path_rule *outer;

	after_call(s, s->missing);
	outer = s->last;
	s->last = rule_at(s, frame->pc - !frame->innermost);
	/* Check that the second lookup has not overwritten the first rule: both rules may have the
	 * same entry in the cache, or may not be cached at all. */
	return outer != s->last && outer != &s->w->unkept && outer->key == (s->key | KEY_QUICK);
}

static __always_inline int step_any(struct state *s, struct oprofile_uw_frame *frame)
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

/* Step to the caller by any kind of rule. Not inlined, so that the loop of plain steps can use all
 * registers. */
static noinline int step(struct state *s, struct oprofile_uw_frame *frame)
{
	int end = step_any(s, frame);

	if (!end && s->faults > MAX_FAULTS)
		return OPROFILE_UW_STACK;
	return end == OPROFILE_UW_NOT_CALLED && s->unread ? OPROFILE_UW_STACK : end;
}

/* distance from sp to the first record in a signal frame, the FPU's record */
#define SIGNAL_RECORDS		592
#define SIGNAL_FIRST_RECORD	0x46508001U	/* value of FPSIMD_MAGIC */

/*
 * Return the pc of the innermost frame. During rt_sigreturn(2) on aarch64, the pc is after the
 * system call instruction, which may be the last of its function: then the pc belongs to another
 * function. So return the address of the system call instruction itself. (On x86_64, the C library
 * has a row for the pc.) The kernel restores the interrupted registers one by one, sp before pc: so
 * check that sp still points to the signal frame.
 */
static __always_inline u64 innermost_pc(struct state *s, unsigned int machine)
{
	u64 pc = instruction_pointer(s->walk->regs);
	struct oprofile_uw_rule rule;
	u8 code[16] = { };
	u32 first = 0;

	if (machine != OPROFILE_UW_AARCH64 || likely(!oprofile_in_sigreturn(s->walk->regs)))
		return pc;
	if (read_user(s, user_stack_pointer(s->walk->regs) + SIGNAL_RECORDS, &first, 4) ||
	    first != SIGNAL_FIRST_RECORD)
		return pc;
	return !read_code(s, pc - 8, code) && oprofile_uw_is_sigreturn(machine, code, &rule) ?
		       pc - 4 :
		       pc;
}

/* Add @frame to the new frames, before the walk steps to its caller. */
static void add_fresh(struct state *s, const struct oprofile_uw_frame *frame, u32 nr)
{
	s->frame = nr;
	s->w->fresh[nr] = (struct oprofile_fresh_frame){
		.frame = {.pc = frame->pc,
			  .sp = frame->sp,
			  .fp = frame->fp,
			  .reads = oprofile_rule_reads(s->last)},
		.offset = s->last->offset,
		.image = s->last->image |
			 (u32)(frame->by_fp ? OPROFILE_UW_HOW_FP : OPROFILE_UW_HOW_TABLE)
				 << OPROFILE_HOW_SHIFT,
	};
	s->w->fresh[nr].frame.reads.state = oprofile_frame_state(frame);
}

static u32 limit_after(const struct oprofile_walk *walk, u32 nr)
{
	return walk->slice ? min(nr + walk->slice, walk->max_new) : walk->max_new;
}

/* Called after @nr new frames, when the walk has reached its limit of new frames. Return 0 if the
 * walk may continue, otherwise the reason for the walk's end. */
static noinline int pass_limit(struct state *s, u32 nr)
{
	if (nr == s->walk->max_new)
		return OPROFILE_UW_DEPTH;
	if (need_resched())
		return OPROFILE_WALK_PAUSED;
	s->limit = limit_after(s->walk, nr);
	return 0;
}

/* Walk the stack, and store the new frames in w->fresh. Set *@nr to the number of new frames,
 * and *@known to the number of kept frames that follow outwards. Return the reason for the
 * walk's end. */
static __always_inline int walk_frames(struct state *s, unsigned int machine, bool keep_other,
				       const struct oprofile_kept_stack *kept, u32 *nr, u32 *known)
{
	const struct oprofile_kept_frame *at = &kept->frame[kept->first];
	bool quick = !keep_other && !s->walk->careful;
	struct oprofile_uw_frame frame;
	u32 nr_odd, misses = 0;
	int end;

	oprofile_uw_begin(
		&frame, innermost_pc(s, machine), user_stack_pointer(s->walk->regs),
		oprofile_user_register(s->walk->regs, machine, oprofile_uw_fp_number(machine)));
	frame.keep_other = keep_other;
	*nr = s->nr_odd = 0;
	s->limit = limit_after(s->walk, 0);
	s->unread = false;
	s->last = rule_at(s, frame.pc);
	for (;;) {
		if (quick && oprofile_frame_usual(&frame)) {
			s->missing = 0;
			*known = walk_plain(s, machine, kept, &at, &frame, nr);
			if (*known)
				return frame.unsure ? OPROFILE_UW_LEAF : OPROFILE_UW_WHOLE;
			/* Retry at most once for each frame: otherwise another thread could prolong
			 * the walk by changing the word before each new read. */
			if (s->missing && misses++ <= *nr && find_missing(s, &frame))
				continue;
		}
		if (*nr == s->limit) {
			end = pass_limit(s, *nr);
			if (end)
				return end;
		}
		if (s->last->image == OPROFILE_NO_IMAGE)
			return OPROFILE_UW_MAPPING;
		add_fresh(s, &frame, (*nr)++);
		nr_odd = s->nr_odd;
		end = step(s, &frame);
		if (end)
			return end;
		/* The words that this step has read are odd words (kept.h) only if .reads cannot
		 * describe them. */
		if (s->w->fresh[*nr - 1].frame.reads.pc)
			s->nr_odd = nr_odd;
		if (s->last->code != frame.pc - !frame.innermost)
			s->last = rule_at(s, frame.pc - !frame.innermost);
		if (quick && !frame.innermost && user_access_begin((const void __user *)0, 8)) {
			*known = oprofile_kept_known(machine, kept, &at, &frame,
						     oprofile_frame_state(&frame));
			user_access_end();
			if (*known)
				return frame.unsure ? OPROFILE_UW_LEAF : OPROFILE_UW_WHOLE;
		}
	}
}

/* Create the nodes of the @nr new frames as descendants of @node, outermost first. Also store the
 * @keep outermost of these frames in the cache @to, before the kept frames. */
static __always_inline u32 intern(struct oprofile_walker *w, struct oprofile_path_nodes *nodes,
				  u32 node, u32 nr, struct oprofile_kept_frame *to, u32 keep)
{
	const struct oprofile_kept_frame *end = to - keep;
	struct oprofile_fresh_frame *f = w->fresh + nr;

	while (f-- != w->fresh) {
		node = oprofile_path_node(nodes, node, f->image, f->offset);
		if (unlikely(!node))
			break;
		if (to == end)
			continue;
		*--to = f->frame;
		to->node = node;
	}
	return node;
}

/*
 * Create new nodes for the @known kept frames of a path that ends early for the reason @end. Omit
 * the outermost frames if there are more frames than the limit allows. The existing nodes of these
 * frames cannot be used, because their paths end for another reason.
 */
static u32 cut(const struct oprofile_walk *walk, const struct oprofile_kept_stack *kept, u32 known,
	       u32 nr, u32 end)
{
	u32 node = oprofile_path_end_node(&walk->book->nodes, end);
	u32 wanted = walk->depth - min(walk->depth, nr);
	const struct oprofile_kept_frame *f =
		kept->frame + OPROFILE_KEPT_FRAMES - known + min(wanted, known);

	while (f-- != kept->frame + OPROFILE_KEPT_FRAMES - known && node) {
		const struct oprofile_path_node *frame = &walk->book->nodes.node[f->node];

		node = oprofile_path_node(&walk->book->nodes, node, frame->image, frame->offset);
	}
	return node;
}

static __always_inline u32 walk_machine(struct state *s, unsigned int machine, u64 n, u32 *ret_end)
{
	struct oprofile_kept_stack *kept = oprofile_kept_stack(s->w->stacks, s->walk->map->number,
							       s->walk->book->epoch << 2 | machine);
	struct oprofile_path_nodes *nodes = &s->walk->book->nodes;
	u32 nr, known = 0, keep = 0, first, node;
	bool whole, other = false;
	int end;

	s->machine = machine;
	s->key = (u64)s->walk->map->number << 32 | (u32)(s->walk->turn << 3 | machine);
	end = walk_frames(s, machine, false, kept, &nr, &known);
	if (unlikely(end == OPROFILE_UW_REGISTER && machine != OPROFILE_UW_AARCH64)) {
		known = 0;
		other = true;
		end = walk_frames(s, machine, true, kept, &nr, &known);
	}
	if (unlikely(end == OPROFILE_WALK_PAUSED)) {
		*ret_end = end;
		return OPROFILE_NO_NODE;
	}
	if ((end == OPROFILE_UW_WHOLE || end == OPROFILE_UW_LEAF) && known + nr > s->walk->depth)
		end = OPROFILE_UW_DEPTH;
	if (known && end != OPROFILE_UW_WHOLE) {
		node = cut(s->walk, kept, known, nr, end);
		nr = min(nr, s->walk->depth);
		whole = false;
	} else {
		whole = end == OPROFILE_UW_WHOLE;
		node = whole ? kept->frame[OPROFILE_KEPT_FRAMES - known].node :
			       oprofile_path_end_node(nodes, end);
	}
	*ret_end = end;
	if (!node && !(whole && !known))
		return OPROFILE_NO_NODE;
	first = OPROFILE_KEPT_FRAMES - known;
	/* A kept frame does not record from where the "other" register was read, so do not keep
	 * the frames of a walk that needs this register. */
	if (likely(whole && !other))
		keep = oprofile_keep(kept, known, nr, s->w->odd, s->nr_odd);
	node = intern(s->w, nodes, node, nr, kept->frame + first, keep);
	if (likely(node))
		kept->first -= keep;
	if (likely(node))
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
	s.faults = 0;
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
