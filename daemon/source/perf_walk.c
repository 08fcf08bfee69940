// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_walk.c -- unwinding of the stack of a perf_events sample. */
#include "config.h"
#include "daemon/source/perf_walk.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/image/anon.h"
#include "daemon/image/made_code.h"
#include "daemon/image/made_tables.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/process.h"
#include "daemon/image/unwind_tables.h"
#include "daemon/source/perf_code.h"
#include "daemon/source/perf_infer.h"
#include "daemon/source/perf_regs.h"
#include "daemon/source/perf_stacks.h"
#include "module/uapi/unwind_walk.h"

/* maximum number of kernel frames in a call path, as in the kernel's default */
#define MAX_KERNEL	128

/* Maximum number of stack words that a walk examines to prove that no caller is missing in the
 * path. If the proof needs more words, the path is marked as unsure. */
#define MAX_WORDS	1024

/* Attribute of functions for rare cases. If they were inlined, the fast path would also save their
 * registers and build their stack frame, which costs several instructions per frame of a walk. */
#define RARE		__attribute__((noinline))

/* A mapping that the stack walk has looked up, with its file and unwind table. */
struct place {
	/* address range of the mapping; both 0: no mapping was looked up yet */
	uint64_t start, end;
	/* for addresses in the mapping: address minus file offset */
	uint64_t delta;
	const struct opd_image *image;	/* mapped file; NULL: memory without a file */
	struct opd_anon anon;
	/* unwind table of the file or vDSO; NULL: no table */
	const struct opd_unwind *unwind;
	bool is_made;			/* the mapping may contain JIT code */
	bool is_stack;
};

struct opd_perf_walker {
	struct opd_processes *processes;
	struct opd_unwind_tables *tables;
	struct opd_made_tables *made;	/* unwind tables of JIT code; NULL: no tables */
	/* cached stack memory beyond the samples' copies; NULL: a walk stops at the end of the
	 * copy */
	struct opd_perf_stacks *stacks;
	/* finds frames of JIT code that has no unwind table; may be NULL */
	struct opd_perf_code *code;
	/* infers unwind rules for code that no unwind table describes; NULL: do not infer rules */
	struct opd_perf_infer *infer;
	unsigned int depth;

	/* The members below are the state of the current stack walk. */
	const struct opd_perf_record *record;
	struct opd_process *process;
	/* if the unwind table of JIT code will be available soon, the walk ends there */
	bool waits;
	struct opd_perf_regs regs;
	uint64_t sp;
	/* number of stack words that the walk has examined, at most MAX_WORDS */
	unsigned int nr_words;
	/* the frame whose caller is determined in this step */
	const struct oprofile_uw_frame *frame;
	struct place place;
	/* the mapping that was in .place before: calls often alternate between two mappings */
	struct place other;
	/* cached part of the thread's stack beyond the sample's copy, or NULL */
	struct opd_perf_outer *outer;

	struct opd_path path;
	/* index of the first user frame in .frames: user frames fill the array from its end to its
	 * start */
	size_t first;
	/* registers at each user frame, innermost first; depth + 1 elements */
	struct opd_perf_frame_state *states;
	/* depth + 1 elements for user frames, then MAX_KERNEL elements for kernel frames */
	struct opd_frame frames[];
};

int opd_perf_walker_create(struct opd_perf_walker **ret, unsigned int depth,
			   struct opd_processes *processes, struct opd_unwind_tables *tables,
			   struct opd_made_tables *made, struct opd_perf_stacks *stacks)
{
	struct opd_perf_walker *w =
		calloc(1, sizeof(*w) + (depth + 1 + MAX_KERNEL) * sizeof(w->frames[0]));

	if (!w)
		return -ENOMEM;
	w->states = calloc(depth + 1, sizeof(*w->states));
	if (!w->states) {
		free(w);
		return -ENOMEM;
	}
	w->processes = processes;
	w->tables = tables;
	w->made = made;
	w->stacks = stacks;
	w->depth = depth;
	*ret = w;
	return 0;
}

void opd_perf_walker_set_code(struct opd_perf_walker *w, struct opd_perf_code *code)
{
	w->code = code;
}

void opd_perf_walker_set_infer(struct opd_perf_walker *w, struct opd_perf_infer *infer)
{
	w->infer = infer;
}

void opd_perf_walker_destroy(struct opd_perf_walker *w)
{
	if (w)
		free(w->states);
	free(w);
}

static const struct opd_map *find_map(const struct opd_perf_walker *w, uint64_t code)
{
	const struct opd_map *map = opd_maps_find(w->process->maps, code);

	/* Do not look for the mapping in /proc if the process has ended. */
	return map || w->process->dead ?
		       map :
		       opd_process_map(w->processes, w->process, w->record->time, code);
}

static const struct opd_image *app_of(const struct opd_perf_walker *w)
{
	return w->process->app ? opd_mapped_file_image(w->process->app, w->process->tgid) : NULL;
}

/* Slow path of find_place(): @code is outside w->place. */
static RARE bool find_other_place(struct opd_perf_walker *w, uint64_t code)
{
	static const char vdso[] = "[vdso]";
	struct place *p = &w->place, last = *p;
	const struct opd_map *map;

	if (code >= w->other.start && code < w->other.end) {
		*p = w->other;
		w->other = last;
		return true;
	}
	map = find_map(w, code);
	if (!map)
		return false;
	w->other = last;
	*p = (struct place){
		.start = map->start, .end = map->end, .delta = map->start - map->pgoff,
	};
	if (!map->file) {
		p->anon = (struct opd_anon){
			.start = map->start, .end = map->end, .label = map->label};
		p->delta = 0;
		p->is_stack = !strcmp(map->label, "[stack]");
		p->is_made = !p->is_stack && strcmp(map->label, vdso);
		if (!p->is_made && !p->is_stack) {
			p->delta = map->start;
			p->unwind = opd_unwind_tables_vdso(w->tables,
							   w->regs.machine == OPROFILE_UW_I386);
		}
		return true;
	}
	p->image = opd_mapped_file_image(map->file, w->process->tgid);
	if (!p->image) {
		p->end = p->start;
		return false;
	}
	if (opd_is_made_code(w->process, p->image, app_of(w))) {
		p->image = NULL;
		p->anon = (struct opd_anon){
			.start = map->start, .end = map->end, .label = opd_anon_label(NULL)};
		p->delta = 0;
		p->is_made = true;
		return true;
	}
	p->unwind = opd_unwind_tables_get(w->tables, p->image);
	return true;
}

/* Set w->place to the mapping that contains the code address @code. Return false if the mapping is
 * unknown. */
static inline bool find_place(struct opd_perf_walker *w, uint64_t code)
{
	return (code >= w->place.start && code < w->place.end) || find_other_place(w, code);
}

/* Slow path of read_word(): the word is not in the sample's stack copy, or is shorter than 8
 * bytes. */
static RARE int read_other_word(const struct opd_perf_walker *w, uint64_t address,
				unsigned int size, __u64 *value)
{
	const struct opd_perf_stack *s = &w->record->sample.stack;
	uint64_t at = address - w->sp;

	if (address < w->sp)
		return OPROFILE_UW_STACK;
	if (at >= s->size || s->size - at < size) {
		if (w->outer && opd_perf_outer_word(w->outer, address, size, value))
			return 0;
		return s->full ? OPROFILE_UW_COPY : OPROFILE_UW_STACK;
	}
	*value = 0;
	memcpy(value, s->bytes + at, size);
	return 0;
}

static int read_word(void *data, __u64 address, unsigned int size, __u64 *value)
{
	const struct opd_perf_walker *w = data;
	const struct opd_perf_stack *s = &w->record->sample.stack;
	uint64_t at = address - w->sp;

	/* For an address below the stack pointer, @at wraps around, so the test @at >= s->size
	 * rejects it, too. */
	if (size != sizeof(*value) || at >= s->size || s->size - at < sizeof(*value))
		return read_other_word(w, address, size, value);
	memcpy(value, s->bytes + at, sizeof(*value));
	return 0;
}

/* Return whether a call instruction ends at @pc in JIT code. If the JIT code has no unwind table,
 * the answer may be "unknown": like interpreters, the code may push return addresses without
 * calls. */
static RARE int is_after_made_call(struct opd_perf_walker *w, uint64_t pc)
{
	struct opd_made_place at;

	opd_made_tables_find(w->made, w->process, pc - 1, w->record->time, &at);
	if (!at.code || !at.code->nr_calls)
		return OPROFILE_UW_CALL_UNKNOWN;
	if (cfi_made_is_after_call(at.made, at.code, pc))
		return OPROFILE_UW_CALL_YES;
	return at.code->nr_rows ? OPROFILE_UW_CALL_NO : OPROFILE_UW_CALL_UNKNOWN;
}

static int after_call(void *data, __u64 pc)
{
	struct opd_perf_walker *w = data;

	if (!find_place(w, pc - 1) || w->place.is_stack)
		return OPROFILE_UW_CALL_NO;
	if (w->place.is_made)
		return is_after_made_call(w, pc);
	/* The answer is "unknown" if the code has no file, or if the file's table is not loaded
	 * yet. */
	if (!w->place.unwind || !w->place.unwind->file)
		return OPROFILE_UW_CALL_UNKNOWN;
	return cfi_file_is_after_call(w->place.unwind->file, pc - w->place.delta)
		       ? OPROFILE_UW_CALL_YES
		       : OPROFILE_UW_CALL_NO;
}

/* Remove the upper bits of a return address, which may contain a pointer authentication code. User
 * addresses have 48 bits, unless a program requests more. */
static __u64 strip(void *data, __u64 pc)
{
	(void)data;
	return pc & ((1ull << 48) - 1);
}

static int is_known_call(struct opd_perf_walker *w, uint64_t word)
{
	/* Look up only the known mappings, and do not read /proc: the word may not be an
	 * address. */
	return opd_maps_find(w->process->maps, word - 1) ? after_call(w, word)
							 : OPROFILE_UW_CALL_NO;
}

static int known_call(void *data, __u64 word)
{
	struct opd_perf_walker *w = data;

	if (w->nr_words == MAX_WORDS)
		return OPROFILE_UW_CALL_UNKNOWN;
	w->nr_words++;
	return is_known_call(w, word);
}

/* Look up the code at @address, to which JIT code jumps or which it calls. Return 0 or an enum
 * oprofile_uw_end. */
static int find_target(void *data, __u64 address, struct cfi_target *ret)
{
	struct opd_perf_walker *w = data;
	const struct oprofile_uw_rule *rule, *first;
	const struct opd_unwind *u;
	uint64_t offset, begin;

	*ret = (struct cfi_target){0};
	if (!opd_maps_find(w->process->maps, address) || !find_place(w, address) ||
	    w->place.is_stack)
		return OPROFILE_UW_MAPPING;
	if (w->place.is_made) {
		ret->is_made = true;
		ret->begin = w->place.start;
		ret->end = w->place.end;
		return 0;
	}
	u = w->place.unwind;
	if (!u)
		return OPROFILE_UW_NO_ROW;
	if (!u->file)
		return u->end;
	offset = address - w->place.delta;
	begin = cfi_file_function(u->file, offset);
	if (begin != offset || cfi_file_function(u->file, offset + 1) == offset)
		ret->begin = begin + w->place.delta;
	if (!u->table || u->table->machine != w->regs.machine)
		return 0;
	rule = oprofile_uw_lookup(u->table, offset);
	first = oprofile_uw_lookup(u->table, begin);
	if (!rule)
		return 0;
	ret->has_rule = true;
	ret->rule = *rule;
	/* The unwind rule is exact if the table has an entry for the start of the function, and the
	 * entry describes the stack pointer as it is at a function's start. Assembly code with many
	 * entry points often has a single entry for its whole body. */
	ret->is_exact = first && first->cfa == OPROFILE_UW_CFA_SP && first->cfa_offset == 8;
	return 0;
}

/* The argument of the callbacks below: the current frame of the walk, which is in JIT code. */
struct shown_frame {
	struct opd_perf_walker *w;
	const struct opd_perf_code_at *at;
};

static int target_of_call(void *data, __u64 address, struct cfi_target *ret)
{
	return find_target(((struct shown_frame *)data)->w, address, ret);
}

static int word_of_frame(void *data, __u64 address, unsigned int size, __u64 *value)
{
	return read_word(((struct shown_frame *)data)->w, address, size, value);
}

static int known_call_of_frame(void *data, __u64 word)
{
	return is_known_call(((struct shown_frame *)data)->w, word);
}

static __u64 called(void *data, __u64 pc, bool again)
{
	const struct shown_frame *f = data;

	return opd_perf_code_called(f->w->code, f->at, pc, again);
}

static bool may_work(void *data, unsigned int amount)
{
	const struct shown_frame *f = data;

	return opd_perf_code_may_work(f->w->code, f->at, amount);
}

static bool is_made(void *data, __u64 address)
{
	struct opd_perf_walker *w = ((struct shown_frame *)data)->w;

	return opd_maps_find(w->process->maps, address) && find_place(w, address) &&
	       w->place.is_made;
}

static struct cfi_returned *returned(void *data, __u64 mapping)
{
	const struct shown_frame *f = data;

	return opd_perf_code_returned(f->w->code, f->at, mapping);
}

static bool leaves_by_jump(void *data, __u64 begin)
{
	const struct shown_frame *f = data;

	return opd_perf_code_leaves_by_jump(f->w->code, f->at, begin);
}

/*
 * Derive the unwind rule of the current frame from the instructions of its JIT code. Return
 * OPROFILE_UW_NO_ROW if @code is not the address of the current frame, or if the frame's stack
 * pointer is uncertain. (The stack pointer is uncertain after a return from JIT code: unlike
 * functions with unwind tables, JIT code may remove arguments from the stack.)
 */
static int find_shown_rule(struct opd_perf_walker *w, uint64_t code, struct oprofile_uw_rule *rule)
{
	static const struct cfi_shown_stack_ops stack_ops = {
		target_of_call, word_of_frame, known_call_of_frame, called,
		may_work,	is_made,       returned,	    leaves_by_jump,
	};
	const struct oprofile_uw_frame *f = w->frame;
	struct opd_perf_code_at at;
	struct shown_frame shown_frame = {w, &at};
	struct cfi_shown shown;
	int end;

	if (!w->code || !f || f->by_fp || !(f->known & OPROFILE_UW_KNOWS_SP) ||
	    code != f->pc - !f->innermost || w->regs.machine != OPROFILE_UW_X86_64 ||
	    w->process->dead)
		return OPROFILE_UW_NO_ROW;
	at = (struct opd_perf_code_at){
		w->record->pid,
		w->record->tid,
		!f->innermost,
		f->pc,
		w->record->time,
		find_target,
		w,
	};
	end = opd_perf_code_find(w->code, &at, &shown);
	if (end)
		return end;
	return cfi_shown_rule(&shown, f, &stack_ops, &shown_frame, rule) ? 0 : OPROFILE_UW_NO_ROW;
}

/* Find the unwind rule at address @code in memory that may contain JIT code. Return 0 or an enum
 * oprofile_uw_end. */
static RARE int find_made_rule(struct opd_perf_walker *w, uint64_t code,
			       struct oprofile_uw_rule *rule)
{
	const struct oprofile_uw_rule *found;
	struct opd_made_place at;
	int end = opd_made_tables_find(w->made, w->process, code, w->record->time, &at);

	if (end == OPROFILE_UW_NO_TABLE && w->waits)
		return end;
	if (!at.code)
		return find_shown_rule(w, code, rule);
	found = at.made->machine == w->regs.machine ? cfi_made_rule(at.made, at.code, code) : NULL;
	if (!found)
		return find_shown_rule(w, code, rule);
	*rule = *found;
	return 0;
}

/*
 * Infer the unwind rule of the innermost frame, if its code has no entry in its file's unwind
 * table. A leaf function may not set up a frame pointer, and following frame pointers would then
 * skip its caller. Do not infer rules of other frames: their functions have made a call, and nearly
 * always set up a frame pointer.
 */
static RARE int infer_rule(struct opd_perf_walker *w, uint64_t code, struct oprofile_uw_rule *rule)
{
	const struct oprofile_uw_frame *f = w->frame;
	struct opd_perf_infer_at at;

	if (!w->infer || !f || !f->innermost || code != f->pc || !w->place.image)
		return OPROFILE_UW_NO_ROW;
	at = (struct opd_perf_infer_at){
		.image = w->place.image,
		.tgid = w->process->tgid,
		.machine = w->regs.machine,
		.pc = code - w->place.delta,
		.start = w->place.start - w->place.delta,
		.end = w->place.end - w->place.delta,
		.time = w->record->time,
	};
	return opd_perf_infer_find(w->infer, &at, rule) ? 0 : OPROFILE_UW_NO_ROW;
}

static int find_rule(void *data, __u64 code, struct oprofile_uw_rule *rule)
{
	struct opd_perf_walker *w = data;
	const struct oprofile_uw_rule *found;

	if (!find_place(w, code))
		return OPROFILE_UW_MAPPING;
	if (w->place.is_made)
		return find_made_rule(w, code, rule);
	if (!w->place.unwind)
		return OPROFILE_UW_NO_ROW;
	if (!w->place.unwind->file)
		return w->place.unwind->end;
	if (!w->place.unwind->table || w->place.unwind->table->machine != w->regs.machine)
		return OPROFILE_UW_NO_ROW;
	found = oprofile_uw_lookup(w->place.unwind->table, code - w->place.delta);
	if (!found)
		return infer_rule(w, code, rule);
	*rule = *found;
	return 0;
}

static __u64 cpu_register(void *data, unsigned int number)
{
	return opd_perf_reg(&((struct opd_perf_walker *)data)->regs, number);
}

/* Callbacks for oprofile_uw_next(). The last one is NULL, because samples contain no code to
 * read. */
static const struct oprofile_uw_ops ops = {read_word, find_rule,  cpu_register, after_call,
					   strip,     known_call, NULL};

/* Add the current frame to the path, unless its pc is in an unknown mapping. */
static void add_user_frame(struct opd_perf_walker *w, const struct oprofile_uw_frame *frame)
{
	uint64_t code = frame->pc - !frame->innermost;
	const struct place *p = &w->place;
	struct opd_frame *f;

	if (!find_place(w, code))
		return;
	f = &w->frames[--w->first];
	*f = (struct opd_frame){ .how = frame->by_fp ? OPROFILE_UW_HOW_FP : OPROFILE_UW_HOW_TABLE };
	if (p->image) {
		f->domain = OPD_USER_FILE;
		f->image = p->image;
		f->offset = code - p->delta;
	} else {
		f->domain = OPD_USER_ANON;
		f->anon = p->anon;
		f->offset = code;
	}
}

/* Replace *@frame by its caller's frame. At the end of the sample's stack copy, continue in the
 * cached part of the stack, if available. */
static int step(struct opd_perf_walker *w, struct oprofile_uw_frame *frame,
		struct oprofile_uw_slots *slots, const struct opd_perf_frame_state *state)
{
	const struct opd_perf_record *r = w->record;
	uint64_t slot = slots->pc;
	int end;

	w->frame = frame;
	end = oprofile_uw_next(w->regs.machine, frame, slots, &ops, w);

	if (end != OPROFILE_UW_COPY || !w->stacks || w->outer || w->process->dead)
		return end;
	w->outer = opd_perf_stacks_find(w->stacks, r->pid, r->tid, r->time, state, slot, w->sp,
					&r->sample.stack);
	return w->outer ? oprofile_uw_next(w->regs.machine, frame, slots, &ops, w) : end;
}

/*
 * Return the end reason of a walk that continued beyond the sample's stack copy and stopped with
 * @end. Only the copy shows the stack at the time of the sample. The part beyond the copy may
 * contain frames of different times, and frames of functions that have returned. So a walk through
 * this part may stop anywhere.
 */
static int end_in_outer(int end)
{
	switch (end) {
	case OPROFILE_UW_WHOLE:
	case OPROFILE_UW_STACK:
	case OPROFILE_UW_BACKWARDS:
	case OPROFILE_UW_NOT_CALLED:
	case OPROFILE_UW_MAPPING:
		return OPROFILE_UW_OUTER;
	default:
		return end;
	}
}

/* number of outermost frames in which to search for main() */
#define MAX_ABOVE_MAIN	8

/*
 * Return true if a walk with end reason @end has reached main(). With musl's C library or Free
 * Pascal's start code, which have no unwind information, the callers of main() cannot be unwound;
 * the path still counts as complete. @nr: number of w->states. Only frames in the sample's stack
 * copy are certain.
 */
static bool has_reached_main(struct opd_perf_walker *w, const struct oprofile_uw_frame *outermost,
			     unsigned int nr, int end)
{
	const struct opd_image *app;

	if (outermost->unsure || w->outer || (end != OPROFILE_UW_NO_ROW && end != OPROFILE_UW_COPY))
		return false;
	app = app_of(w);
	for (unsigned int i = nr; i && nr - i < MAX_ABOVE_MAIN; i--) {
		uint64_t code = w->states[i - 1].pc - (i > 1);

		if (find_place(w, code) && w->place.image && w->place.image == app &&
		    w->place.unwind && w->place.unwind->file &&
		    cfi_file_is_main(w->place.unwind->file, code - w->place.delta))
			return true;
	}
	return false;
}

/* Walk the user stack, and store the user frames at the end of w->frames, the innermost frame last.
 * Omit the innermost frame if @skip_leaf. Return the end reason of the walk. */
static int walk_user(struct opd_perf_walker *w, bool skip_leaf)
{
	struct oprofile_uw_frame frame;
	int end = OPROFILE_UW_REGISTER;
	unsigned int nr = 0;

	for (int keep = 0; keep < 2 && end == OPROFILE_UW_REGISTER; keep++) {
		struct oprofile_uw_slots slots = { 0 };

		oprofile_uw_begin(&frame, opd_perf_reg(&w->regs, OPD_PERF_REG_PC), w->sp,
				  opd_perf_reg_fp(&w->regs));
		frame.keep_other = keep;
		w->first = w->depth + 1;
		w->outer = NULL;
		if (!skip_leaf)
			add_user_frame(w, &frame);
		for (nr = 0;; nr++) {
			w->states[nr] = (struct opd_perf_frame_state){frame.pc, frame.sp, frame.fp};
			end = nr == w->depth ? OPROFILE_UW_DEPTH :
					       step(w, &frame, &slots, &w->states[nr]);
			if (end)
				break;
			add_user_frame(w, &frame);
		}
	}
	if (w->outer)
		opd_perf_outer_save(w->outer, w->states, nr + 1, w->sp, &w->record->sample.stack);
	if (has_reached_main(w, &frame, nr + 1, end))
		return OPROFILE_UW_WHOLE;
	return w->outer ? end_in_outer(end) : end;
}

/* Append the kernel frames to the user frames. The kernel lists its frames innermost first. Omit
 * the first one, which is the sampled address. */
static void add_kernel(struct opd_perf_walker *w)
{
	const struct opd_perf_stack *s = &w->record->sample.stack;
	uint64_t kernel[MAX_KERNEL], address;
	size_t nr = 0;
	bool in_kernel = false;

	for (uint64_t i = 0; i < s->nr_chain; i++) {
		memcpy(&address, s->chain + 8 * i, sizeof(address));
		if (address >= PERF_CONTEXT_MAX)
			in_kernel = address == PERF_CONTEXT_KERNEL;
		else if (in_kernel && nr < MAX_KERNEL)
			kernel[nr++] = address;
	}
	while (nr-- > 1)
		w->frames[w->depth + 1 + w->path.nr++] = (struct opd_frame){
			.domain = OPD_KERNEL,
			.how = OPROFILE_UW_HOW_KERNEL,
			.offset = kernel[nr] - 1,
		};
}

/* Return the end reason of the path of a sample that has no user-mode registers, and so no user
 * frames. */
static int end_without(const struct opd_process *process)
{
	/* A program that is exiting has no user frames any more; a kernel thread never has user
	 * frames. */
	return process && process->app ? OPROFILE_UW_EXITING : OPROFILE_UW_WHOLE;
}

const struct opd_path *opd_perf_walk(struct opd_perf_walker *w, const struct opd_perf_record *r,
				     struct opd_process *process, bool waits)
{
	const struct opd_perf_stack *s = &r->sample.stack;
	bool user = r->mode == OPD_PERF_MODE_USER;

	w->record = r;
	w->process = process;
	w->waits = waits;
	w->first = w->depth + 1;
	w->nr_words = 0;
	w->place = w->other = (struct place){ 0 };
	w->path.nr = 0;
	if (r->mode == OPD_PERF_MODE_GUEST)
		w->path.end = OPROFILE_UW_NOT_TAKEN;
	else if (!s->abi)
		w->path.end = user ? OPROFILE_UW_NOT_TAKEN : end_without(process);
	else if (!process)
		w->path.end = OPROFILE_UW_MAPPING;
	else if (opd_perf_regs_init(&w->regs, s->abi, s->regs))
		w->path.end = OPROFILE_UW_NOT_TAKEN;
	else {
		w->sp = opd_perf_reg_sp(&w->regs);
		w->path.end = (uint16_t)walk_user(w, user);
	}
	if (r->mode == OPD_PERF_MODE_KERNEL)
		add_kernel(w);
	w->path.frames = w->frames + w->first;
	w->path.nr += w->depth + 1 - w->first;
	return &w->path;
}

void opd_perf_walker_forked(struct opd_perf_walker *w, uint64_t time, pid_t tgid, pid_t parent)
{
	struct opd_process *from =
		tgid == parent ? NULL : opd_processes_find(w->processes, time, parent);

	if (from)
		opd_made_tables_forked(w->made, time, tgid, parent, from->has_dump);
}

void opd_perf_walker_execed(struct opd_perf_walker *w, pid_t tgid)
{
	opd_made_tables_execed(w->made, tgid);
}
