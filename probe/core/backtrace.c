// SPDX-License-Identifier: GPL-2.0-or-later
/* backtrace.c -- stack walking in a signal handler. A walk stops at the first frame that is
 * unchanged since the previous walk. */
#include "config.h"
#include "probe/core/backtrace.h"

#include <errno.h>

#include "libcfi/infer.h"
#include "module/uapi/unwind_walk.h"
#include "probe/arch/context.h"
#include "probe/arch/registers.h"
#include "probe/core/marker_code.h"
#include "probe/linux/calls.h"

/* maximum number of instructions that are decoded to infer one unwind rule */
#define INFER_STEPS	6000
#define RULES_SIZE	(BACKTRACE_RULES * sizeof(struct backtrace_rule))

static long map(size_t size)
{
	return call_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void release(struct backtrace *bt)
{
	if (bt->btbuf)
		call_munmap(bt->btbuf, (bt->btend - bt->btbuf) * sizeof(*bt->btbuf));
	if (bt->rules)
		call_munmap(bt->rules, RULES_SIZE);
	if (bt->made_code)
		call_munmap(bt->made_code, sizeof(*bt->made_code));
	*bt = (struct backtrace){ 0 };
}

int backtrace_init(struct backtrace *bt, uint32_t size, const struct epoch *epoch)
{
	long frames = map(size * sizeof(struct backtrace_frame)), rules = map(RULES_SIZE),
	     made_code = map(sizeof(*bt->made_code));

	*bt = (struct backtrace){ .epoch = epoch, .pid = call_getpid() };
	if (!call_failed(frames)) {
		bt->btbuf = (struct backtrace_frame *)frames;
		bt->btend = bt->bufstk = bt->btbuf + size;
	}
	if (!call_failed(rules))
		bt->rules = (struct backtrace_rule *)rules;
	if (!call_failed(made_code))
		bt->made_code = (struct made_code *)made_code;
	if (bt->btbuf && bt->rules && bt->made_code)
		return 0;
	release(bt);
	return -ENOMEM;
}

void backtrace_set_epoch(struct backtrace *bt, const struct epoch *epoch)
{
	bt->epoch = epoch;
	bt->bufstk = bt->btend;
	bt->held = 0;
	__builtin_memset(bt->rules, 0, RULES_SIZE);
}

static __attribute__((noinline)) int peek_by_syscall(const struct backtrace *bt, uint64_t at,
						     unsigned int size, uint64_t *value)
{
	uint64_t got = 0;

	if (call_read_memory(bt->pid, at, &got, size))
		return -EFAULT;
	*value = marker_real(got);
	return 0;
}

/* Read a word of the stack. A walk of a deep, mostly unchanged stack spends most of its time in
 * this function. So the slow path, reading by a system call, is in another function: it needs a
 * buffer. */
static inline __attribute__((always_inline)) int peek(const struct backtrace *bt, uint64_t at,
						      unsigned int size, uint64_t *value)
{
	uint64_t got = 0;

	if (at - bt->low >= bt->room)
		return peek_by_syscall(bt, at, size, value);
	__builtin_memcpy(&got, (const void *)(uintptr_t)at, size);
	*value = marker_real(got);
	return 0;
}

static inline __attribute__((always_inline)) int read_word(void *data, __u64 at, unsigned int size,
							   __u64 *value)
{
	struct backtrace *bt = data;
	struct backtrace_frame *f = bt->unwind;
	uint64_t got;

	if (peek(bt, at, size, &got))
		return OPROFILE_UW_STACK;
	if (f->nr_words < BACKTRACE_WORDS)
		f->words[f->nr_words] = (struct backtrace_word){ at, got };
	if (f->nr_words <= BACKTRACE_WORDS)
		f->nr_words++;
	*value = got;
	return 0;
}

/* Find the unwind rule at @code if it is in a signal trampoline (the code that calls sigreturn),
 * because unwind tables often lack this rule. */
static int trampoline(const struct backtrace *bt, uint64_t code, struct oprofile_uw_rule *rule)
{
	unsigned char bytes[16];

	if (call_read_memory(bt->pid, code, bytes, sizeof(bytes)) &&
	    call_read_memory(bt->pid, code, bytes, sizeof(bytes) / 2 + 1))
		return OPROFILE_UW_NO_ROW;
	return oprofile_uw_is_sigreturn(ARCH_MACHINE, bytes, rule) ? 0 : OPROFILE_UW_NO_ROW;
}

/* Return whether @code is in a second mapping of a module, or in another mapping of a file that the
 * dynamic loader does not know. Return true only once for each mapping. */
static __attribute__((noinline)) bool is_second_mapping(struct backtrace *bt, uint64_t code)
{
	struct made_range *range = made_find(&bt->made, code);

	if (!range || !range->is_file || range->asked)
		return false;
	range->asked = true;
	return true;
}

/* Return whether the epoch and the dynamic loader have the same module at @code. Within a module, a
 * walk asks the loader only once. */
static inline __attribute__((always_inline)) bool holds(struct backtrace *bt, uint64_t code)
{
	if (code - bt->asked.start < bt->asked.size)
		return true;
	return epoch_holds(bt->epoch, code, &bt->asked) &&
	       (bt->asked.module || !is_second_mapping(bt, code));
}

/* If the unwind tables of module @m have no row for an address, infer the unwind rule by decoding
 * instructions. */
static void infer(const struct epoch_module *m, struct backtrace_rule *kept)
{
	struct cfi_code code = {(const unsigned char *)(uintptr_t)m->code, m->code_end - m->code,
				ARCH_MACHINE, NULL};
	__u64 steps = INFER_STEPS;

	/* For an outer frame, @kept->code is the address of the last byte of a call instruction, so
	 * the return address is the next byte. */
	cfi_infer_at(&code, kept->code + kept->calls - m->code, kept->calls, &steps, &kept->rule);
	kept->plain = oprofile_uw_plain(ARCH_MACHINE, &kept->rule);
	kept->inferred = true;
}

static void look_up(const struct backtrace *bt, const struct epoch_module *m,
		    struct backtrace_rule *kept)
{
	struct cfi_row row;

	if (m && kept->code >= m->code + 7 && kept->code < m->code_end)
		kept->calls = oprofile_uw_is_call(
			ARCH_MACHINE, (const unsigned char *)(uintptr_t)(kept->code - 7));
	if (m && m->cfi.data && !cfi_row_at(&m->cfi, kept->code - m->moved, &row) &&
	    row.rule.cfa != OPROFILE_UW_CFA_NONE) {
		kept->rule = row.rule;
		kept->plain = oprofile_uw_plain(ARCH_MACHINE, &row.rule);
		kept->installs = row.installs;
		return;
	}
	/* A walk looks up the byte before a return address. If a frame returns to a signal
	 * trampoline, this byte precedes the trampoline. */
	if (!trampoline(bt, kept->code + 1, &kept->rule) ||
	    !trampoline(bt, kept->code, &kept->rule))
		return;
	if (ARCH_MACHINE != OPROFILE_UW_AARCH64 && m && kept->code >= m->code &&
	    kept->code < m->code_end)
		infer(m, kept);
	else
		kept->end = OPROFILE_UW_NO_ROW;
}

static inline struct backtrace_rule *place_of(const struct backtrace *bt, uint64_t code)
{
	return &bt->rules[(code ^ code >> 10) % BACKTRACE_RULES];
}

static void mark_not_reusable(struct backtrace_frame *f)
{
	f->nr_words = BACKTRACE_WORDS + 1;
}

static int read_word_of(void *data, __u64 at, unsigned int size, __u64 *value)
{
	return read_word(data, at, size, value);
}

/* Return the thread's struct made_code, which finds the rules of code that is not in any module.
 * Prepare the struct for the current walk. */
static struct made_code *made_code_of(struct backtrace *bt)
{
	struct made_code *c = bt->made_code;

	c->made = &bt->made;
	c->pid = bt->pid;
	c->epoch = bt->epoch;
	c->word = read_word_of;
	c->arg = bt;
	c->walk = bt->walks;
	return c;
}

/*
 * If @code, the address of the current frame, is in JIT code, infer the frame's unwind rule from
 * the instructions. Do so only if the frame's stack pointer is exact: JIT code that returned to the
 * frame may have popped arguments, which functions with unwind tables never do.
 */
static __attribute__((noinline)) int find_made_rule(struct backtrace *bt, uint64_t code,
						    struct oprofile_uw_rule *rule)
{
	const struct oprofile_uw_frame *f = bt->frame;

	if (ARCH_MACHINE != OPROFILE_UW_X86_64 || f->by_fp || !(f->known & OPROFILE_UW_KNOWS_SP) ||
	    code != f->pc - !f->innermost || !made_code_rule(made_code_of(bt), f, rule))
		return OPROFILE_UW_NO_ROW;
	/*
	 * JIT code is not replaced while a frame may return to it. But the code of the innermost
	 * frame may be replaced before the next walk, so the next walk must unwind this frame
	 * again.
	 */
	if (f->innermost)
		mark_not_reusable(bt->unwind);
	return 0;
}

static int find_rule(void *data, __u64 code, struct oprofile_uw_rule *rule)
{
	struct backtrace *bt = data;
	struct backtrace_rule *kept = place_of(bt, code);
	const struct epoch_module *m;

	if (!holds(bt, code)) {
		bt->stale = code;
		bt->no_row = true;
		return OPROFILE_UW_NO_ROW;
	}
	m = bt->asked.module;
	if (kept->code != code) {
		*kept = (struct backtrace_rule){ .code = code, .reads = marker_is_never(code) };
		look_up(bt, m, kept);
	}
	/* A walk looks up the address of a frame and then the address of its caller. Store the
	 * attributes in the frame only if @code is the frame's own address. */
	if (code == bt->unwind->ip - !bt->unwind->innermost) {
		bt->unwind->late = m && m->late;
		bt->unwind->installs = kept->installs;
		bt->unwind->reads = kept->reads;
	}
	if (!kept->end)
		*rule = kept->rule;
	bt->no_row = kept->end || kept->inferred;
	return kept->end == OPROFILE_UW_NO_ROW && !m ? find_made_rule(bt, code, rule) : kept->end;
}

/* Return a register of the interrupted thread. The frame's rule then needs more than memory, so the
 * next walk must unwind the frame again. */
static __u64 cpu_register(void *data, unsigned int number)
{
	struct backtrace *bt = data;

	mark_not_reusable(bt->unwind);
	return arch_register(bt->context, number);
}

static int after_call(void *data, __u64 pc)
{
	struct backtrace *bt = data;
	const struct epoch_module *m = epoch_find(bt->epoch, pc - 1);
	unsigned char code[8] = { 0 };
	size_t here = ((pc - 1) & 4095) + 1, len = here < sizeof(code) ? here : sizeof(code);
	bool is_call;

	if (m && pc - 8 >= m->code && pc <= m->code_end)
		is_call = oprofile_uw_is_call(ARCH_MACHINE,
					      (const unsigned char *)(uintptr_t)(pc - 8));
	/* If the mapping may begin less than 8 bytes before @pc, read only the bytes on the page of
	 * @pc. */
	else if (!call_read_memory(bt->pid, pc - 8, code, sizeof(code)) ||
		 !call_read_memory(bt->pid, pc - len, code + sizeof(code) - len, len))
		is_call = oprofile_uw_is_call(ARCH_MACHINE, code);
	else
		return OPROFILE_UW_CALL_NO;
	if (is_call)
		return OPROFILE_UW_CALL_YES;
	/* A search for JIT code reads the memory map, which is slow. So search only if the walk has
	 * found the caller by a frame pointer. */
	return !m && bt->no_row && made_find(&bt->made, pc - 1) ? OPROFILE_UW_CALL_MADE
								: OPROFILE_UW_CALL_NO;
}

/*
 * Remove pointer authentication bits from @pc. User addresses have 48 bits unless a program
 * requests more. If the result is the address of a stub, to which a frame with a marker returns
 * (marker.h), return the real return address instead.
 */
static __u64 strip(void *data, __u64 pc)
{
	(void)data;
	return marker_real(pc & ((1ull << 48) - 1));
}

static int known_call(void *data, __u64 word)
{
	return made_code_known_call(made_code_of(data), word);
}

static int read_code(void *data, __u64 pc, __u8 *bytes)
{
	const struct backtrace *bt = data;

	return call_read_memory(bt->pid, pc, bytes, 8);
}

static const struct oprofile_uw_ops ops = {read_word, find_rule,  cpu_register, after_call,
					   strip,     known_call, read_code};

/* Double the size of the array of frames. Keep the new frames at the start of the array, and the
 * frames of the previous walk at the end. */
static int grow(struct backtrace *bt)
{
	size_t size = bt->btend - bt->btbuf, kept = bt->btend - bt->bufstk,
	       used = bt->unwind - bt->btbuf;
	struct backtrace_frame *bigger;
	long at;

	if (size >= BACKTRACE_DEPTH)
		return -ENOMEM;
	at = map(2 * size * sizeof(*bigger));
	if (call_failed(at))
		return -ENOMEM;
	bigger = (struct backtrace_frame *)at;
	__builtin_memcpy(bigger, bt->btbuf, used * sizeof(*bigger));
	__builtin_memcpy(bigger + 2 * size - kept, bt->bufstk, kept * sizeof(*bigger));
	call_munmap(bt->btbuf, size * sizeof(*bigger));
	bt->btbuf = bigger;
	bt->btend = bigger + 2 * size;
	bt->bufstk = bt->btend - kept;
	bt->unwind = bigger + used;
	return 0;
}

static bool words_are_unchanged(const struct backtrace *bt, const struct backtrace_frame *f)
{
	const size_t size = ARCH_MACHINE == OPROFILE_UW_I386 ? 4 : 8;

	if (f->nr_words > BACKTRACE_WORDS)
		return false;
	for (const struct backtrace_word *w = f->words, *behind = w + f->nr_words; w < behind;
	     w++) {
		uint64_t value = 0;

		/* The word may have changed because it now contains a marker (marker.h). So compare
		 * the value that peek() returns: the real return address. */
		if (w->at - bt->low < bt->room &&
		    !__builtin_memcmp((const void *)(uintptr_t)w->at, &w->value, size))
			continue;
		if (peek(bt, w->at, size, &value) || value != w->value)
			return false;
	}
	return true;
}

static bool is_still_there(struct backtrace *bt, const struct backtrace_frame *f)
{
	return !f->late || holds(bt, f->ip - !f->innermost);
}

/* Find the outermost frame of the previous walk whose stack words have changed, so that unwinding
 * it would give another result. Discard this frame and all frames inside of it (its callees). */
static void keep_valid_frames(struct backtrace *bt)
{
	struct backtrace_frame *f = bt->held ? bt->btend - bt->nr_held : bt->btend;

	while (f > bt->bufstk && words_are_unchanged(bt, f - 1) && is_still_there(bt, f - 1))
		f--;
	bt->bufstk = f;
}

/* Return whether the previous walk has found the same frame as @frame. Discard the frames of the
 * previous walk that are inside of @frame (its callees). */
static bool stands(struct backtrace *bt, const struct oprofile_uw_frame *frame)
{
	while (bt->bufstk < bt->btend && bt->bufstk->sp < frame->sp)
		bt->bufstk++;
	for (struct backtrace_frame *f = bt->bufstk; f < bt->btend && f->sp == frame->sp; f++)
		if (f->ip == frame->pc && f->fp == frame->fp && f->innermost == frame->innermost) {
			bt->bufstk = f;
			return true;
		}
	return false;
}

/* Return whether the return address of the newest frame was read from bt->held, the address of the
 * stack word with the marker. If the walk has passed this address, clear bt->held. */
static bool reads_marker_word(struct backtrace *bt, uint64_t sp)
{
	if (!bt->held)
		return false;
	if (bt->unwind->slot == bt->held) {
		bt->bufstk = bt->btend - bt->nr_held;
		return true;
	}
	if (sp > bt->held) {
		bt->held = 0;
		bt->bufstk = bt->btend;
	}
	return false;
}

static inline void begin_frame(struct backtrace_frame *f, const struct oprofile_uw_frame *frame)
{
	f->ip = frame->pc;
	f->sp = frame->sp;
	f->fp = frame->fp;
	f->slot = 0;
	f->node = f->calling = 0;
	f->innermost = frame->innermost;
	f->is_unsafe = f->late = f->installs = f->reads = 0;
	f->nr_words = 0;
}

/*
 * Unwind one frame by a fast path. This is possible if the rule is cached and in short form, and if
 * the frame and its caller are at known return addresses. Otherwise return false; in this case only
 * the saved words of the newest frame have changed.
 */
static bool step_plain(struct backtrace *bt, struct oprofile_uw_frame *frame)
{
	uint64_t code = frame->pc - 1;
	const struct backtrace_rule *r = place_of(bt, code), *to;
	struct backtrace_frame *f = bt->unwind;

	if (r->code != code || !r->plain.plain || !holds(bt, code) || !bt->asked.module)
		return false;
	f->late = bt->asked.module->late;
	f->installs = r->installs;
	f->reads = r->reads;
	if (oprofile_uw_step_plain(ARCH_MACHINE, &r->plain, frame, &ops, bt))
		return false;
	to = place_of(bt, frame->pc - 1);
	if (to->code != frame->pc - 1 || !to->calls || !holds(bt, to->code) || !bt->asked.module) {
		*frame = (struct oprofile_uw_frame){
			.pc = f->ip,
			.sp = f->sp,
			.fp = f->fp,
			.known = OPROFILE_UW_KNOWS_SP | OPROFILE_UW_KNOWS_FP,
		};
		return false;
	}
	f->slot = frame->sp + (ARCH_MACHINE == OPROFILE_UW_AARCH64 ? r->plain.reads.pc * 8 : -8);
	return true;
}

/* Walk the stack. @keep_other: also unwind registers other than pc, sp and the frame pointer. Few
 * walks need these registers. */
static int walk(struct backtrace *bt, uint8_t keep_other)
{
	const uint8_t known = OPROFILE_UW_KNOWS_SP | OPROFILE_UW_KNOWS_FP;
	struct oprofile_uw_frame frame;
	struct oprofile_uw_slots slots;
	bool sure, is_held;
	int end;

	if (bt->from && !keep_other) {
		oprofile_uw_begin(&frame, marker_real(bt->from->pc), bt->from->sp, bt->from->fp);
		frame.innermost = 0;
	} else {
		oprofile_uw_begin(&frame, arch_pc(bt->context), arch_sp(bt->context),
				  arch_fp(bt->context));
		frame.keep_other = keep_other;
	}
	bt->unwind = bt->btbuf;
	bt->frame = &frame;
	if (bt->held && bt->bufstk > bt->btend - bt->nr_held)
		bt->bufstk = bt->btend - bt->nr_held;
	for (;;) {
		sure = (frame.known & known) == known;
		if (sure && stands(bt, &frame)) {
			bt->reused += bt->btend - bt->bufstk;
			return bt->end;
		}
		if (bt->unwind == bt->bufstk && grow(bt))
			return OPROFILE_UW_DEPTH;
		begin_frame(bt->unwind, &frame);
		if (sure && !keep_other && !frame.innermost && step_plain(bt, &frame)) {
			is_held = reads_marker_word(bt, frame.sp);
			bt->unwind++;
			if (!is_held)
				continue;
			bt->reused += bt->nr_held;
			return bt->end;
		}
		begin_frame(bt->unwind, &frame);
		end = ARCH_MACHINE ? oprofile_uw_next(ARCH_MACHINE, &frame, &slots, &ops, bt)
				   : OPROFILE_UW_NO_ROW;
		if (keep_other || !sure)
			mark_not_reusable(bt->unwind);
		if (!end && !frame.by_fp && !frame.innermost)
			bt->unwind->slot = slots.pc;
		is_held = !end && reads_marker_word(bt, frame.sp);
		bt->unwind++;
		if (is_held) {
			bt->reused += bt->nr_held;
			return bt->end;
		}
		if (end)
			break;
	}
	/* The walk has not reached a frame of the previous walk, so the previous frames belong to
	 * another stack: discard them. */
	bt->bufstk = bt->btend;
	return end;
}

int backtrace_walk(struct backtrace *bt, const void *context, const struct arch_caller *from,
		   uint32_t *fresh)
{
	uint64_t code = from && from->pc ? marker_real(from->pc) - 1 : arch_pc(context);
	uint32_t nr;
	int end = 0;

	bt->walks++;
	bt->context = context;
	bt->asked.size = 0;
	bt->from = from && from->pc ? from : NULL;
	bt->room = bt->high - bt->low >= 8 ? bt->high - bt->low - 7 : 0;
	bt->stale = holds(bt, code) ? 0 : code;
	if (!bt->stale) {
		keep_valid_frames(bt);
		end = walk(bt, 0);
		if (end == OPROFILE_UW_REGISTER)
			end = walk(bt, 1);
	}
	bt->came_by_held = bt->held && !bt->stale && bt->bufstk <= bt->btend - bt->nr_held;
	bt->held = 0;
	if (bt->stale) {
		bt->bufstk = bt->btend;
		return -ESTALE;
	}
	nr = bt->unwind - bt->btbuf;
	bt->bufstk -= nr;
	__builtin_memmove(bt->bufstk, bt->btbuf, nr * sizeof(*bt->btbuf));
	*fresh = nr;
	bt->end = end;
	return end;
}
