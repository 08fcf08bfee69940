// SPDX-License-Identifier: GPL-2.0-or-later
/* test_module_unwind_walk.c -- tests unwinding one frame by every kind of rule, on hand-made
 * stacks. */
#include "config.h"
#include "tests/unit/check.h"

#include "module/uapi/unwind_walk.h"

#define STACK	0x7000
#define CALLER	0x40001000	/* a return address that follows a call instruction */
/* a return address in code without a file that does not follow a call instruction */
#define MADE	0x50001000
/* an address in an executable mapping whose bytes cannot be read */
#define UNREADABLE	0x50002000
#define X86	OPROFILE_UW_X86_64
#define I386	OPROFILE_UW_I386
#define ARM	OPROFILE_UW_AARCH64

/*
 * A simulated thread: a stack of 1 kB, registers with values of the form 0xNN00, and unwind rules
 * at two addresses.
 */
struct world {
	unsigned char stack[1024];
	uint64_t registers[32];
	uint64_t rule_at[2];
	struct oprofile_uw_rule rules[2];
	int reads;
	unsigned char code[8];		/* the bytes that are read before every pc */
};

static int word(void *data, __u64 address, unsigned int size, __u64 *value)
{
	struct world *w = data;

	w->reads++;
	if (address < STACK || address + size > STACK + sizeof(w->stack))
		return OPROFILE_UW_STACK;
	*value = 0;
	memcpy(value, w->stack + (address - STACK), size);
	return 0;
}

#define NOT_MAPPED	0x1f
#define OF_NO_FILE	0x2f

static int rule_of(void *data, __u64 code, struct oprofile_uw_rule *rule)
{
	struct world *w = data;

	for (int i = 0; i < 2; i++)
		if (w->rule_at[i] == code) {
			*rule = w->rules[i];
			return 0;
		}
	return code == NOT_MAPPED ? OPROFILE_UW_MAPPING : code == OF_NO_FILE ? OPROFILE_UW_NO_FILE : OPROFILE_UW_NO_ROW;
}

static __u64 cpu_register(void *data, unsigned int number)
{
	return ((struct world *)data)->registers[number];
}

static int after_call(void *data, __u64 pc)
{
	(void)data;
	switch (pc) {
	case CALLER: return OPROFILE_UW_CALL_YES;
	case MADE: return OPROFILE_UW_CALL_MADE;
	case UNREADABLE: return OPROFILE_UW_CALL_UNKNOWN;
	}
	return OPROFILE_UW_CALL_NO;
}

static __u64 strip(void *data, __u64 pc)
{
	(void)data;
	return pc & ((1ULL << 48) - 1);
}

static const struct oprofile_uw_ops ops = { word, rule_of, cpu_register, after_call, strip, NULL, NULL };

static int code(void *data, __u64 pc, __u8 *bytes)
{
	(void)pc;
	memcpy(bytes, ((struct world *)data)->code, 8);
	return 0;
}

static const struct oprofile_uw_ops ops_with_code = {
	word, rule_of, cpu_register, after_call, strip, after_call, code
};

static void store(struct world *w, uint64_t address, int size, uint64_t value)
{
	memcpy(w->stack + (address - STACK), &value, size);
}

static struct oprofile_uw_frame innermost_frame(uint64_t sp, uint64_t fp)
{
	struct oprofile_uw_frame frame;

	oprofile_uw_begin(&frame, 0x1000, sp, fp);
	return frame;
}

static struct oprofile_uw_frame outer_frame(uint64_t sp, uint64_t fp)
{
	struct oprofile_uw_frame frame = innermost_frame(sp, fp);

	frame.innermost = 0;
	return frame;
}

#define RULE(kind, ...)	((struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_##kind, __VA_ARGS__ })

static int unwind(struct world *w, unsigned int machine, struct oprofile_uw_rule rule,
		  struct oprofile_uw_frame *frame, struct oprofile_uw_slots *slots)
{
	assert_true(oprofile_uw_rule_sound(&rule, machine));
	return oprofile_uw_step(machine, &rule, frame, slots, &ops, w);
}

static void cfa_from_sp(void **state)
{
	struct oprofile_uw_frame frame = innermost_frame(STACK + 16, 0x5555);
	struct oprofile_uw_slots slots;
	struct world w = { 0 };

	(void)state;
	store(&w, STACK + 32, 8, CALLER);
	assert_int_equal(unwind(&w, X86, RULE(SP, .cfa_offset = 24), &frame, &slots), 0);
	assert_int_equal(frame.pc, CALLER);
	assert_int_equal(frame.sp, STACK + 40);
	assert_int_equal(frame.fp, 0x5555);
	assert_int_equal(frame.innermost, 0);
	assert_int_equal(slots.pc, STACK + 32);
	assert_int_equal(slots.fp, 0);
	assert_int_equal(w.reads, 1);
}

static void cfa_from_fp(void **state)
{
	struct oprofile_uw_frame frame = outer_frame(STACK, STACK + 48);
	struct oprofile_uw_slots slots;
	struct world w = { 0 };

	(void)state;
	store(&w, STACK + 48, 8, 0x7777);
	store(&w, STACK + 56, 8, CALLER);
	assert_int_equal(unwind(&w, X86,
				RULE(FP, .cfa_offset = 16, .saved = OPROFILE_UW_AT_CFA,
				     .fp_offset = -2),
				&frame, &slots), 0);
	assert_int_equal(frame.pc, CALLER);
	assert_int_equal(frame.sp, STACK + 64);
	assert_int_equal(frame.fp, 0x7777);
	assert_int_equal(slots.fp, STACK + 48);
}

/*
 * The CFA is loaded from the frame: in gcc's prologue of a function that aligns its stack, the CFA
 * is stored at rbp - 8 and the caller's rbp at rbp.
 */
static void cfa_loaded_from_fp(void **state)
{
	struct oprofile_uw_frame frame = outer_frame(STACK, STACK + 32);
	struct oprofile_uw_slots slots;
	struct world w = { 0 };

	(void)state;
	store(&w, STACK + 24, 8, STACK + 128);
	store(&w, STACK + 32, 8, 0x7777);
	store(&w, STACK + 120, 8, CALLER);
	assert_int_equal(unwind(&w, X86, RULE(AT_FP, .cfa_offset = -8, .saved = OPROFILE_UW_AT_FP),
				&frame, &slots), 0);
	assert_int_equal(frame.sp, STACK + 128);
	assert_int_equal(frame.fp, 0x7777);
	assert_int_equal(slots.cfa, STACK + 24);
	assert_int_equal(slots.fp, STACK + 32);
	assert_int_equal(slots.pc, STACK + 120);
}

/*
 * At the end of a function that aligns its stack, the frame pointer register already has the
 * caller's value. The step does not load the register from the stack, although the row says so.
 */
static void restored_frame_pointer_is_not_loaded(void **state)
{
	static const uint64_t restored[] = { 0, STACK - 8, STACK + 64, STACK + 512, 1 };
	struct oprofile_uw_slots slots;
	struct world w = { .registers = { [10] = STACK + 64 } };

	(void)state;
	store(&w, STACK + 56, 8, CALLER);
	for (int i = 0; i < 5; i++) {
		struct oprofile_uw_frame frame = innermost_frame(STACK, restored[i]);

		assert_int_equal(unwind(&w, X86,
					RULE(REGISTER, .cfa_register = 10,
					     .saved = OPROFILE_UW_AT_FP),
					&frame, &slots), 0);
		assert_int_equal(frame.fp, restored[i]);
		assert_int_equal(slots.fp, 0);
	}
}

static void cfa_loaded_from_sp(void **state)
{
	struct oprofile_uw_frame frame = outer_frame(STACK, 0);
	struct oprofile_uw_slots slots;
	struct world w = { 0 };

	(void)state;
	store(&w, STACK + 40, 8, STACK + 120);
	store(&w, STACK + 120, 8, CALLER);
	store(&w, STACK + 8, 8, 0x7777);
	assert_int_equal(unwind(&w, X86,
				RULE(AT_SP, .cfa_offset = 40, .cfa_add = 1,
				     .saved = OPROFILE_UW_AT_SP, .fp_offset = 8), &frame, &slots), 0);
	assert_int_equal(frame.sp, STACK + 128);
	assert_int_equal(frame.fp, 0x7777);
}

static void cfa_loaded_by_index(void **state)
{
	struct oprofile_uw_rule rule = RULE(AT_INDEX, .cfa_offset = 8, .cfa_register = 9, .cfa_add = 1);
	struct oprofile_uw_frame frame = innermost_frame(STACK, 0), outer = outer_frame(STACK, 0);
	struct oprofile_uw_slots slots;
	struct world w = { .registers = { [9] = 4 } };

	(void)state;
	store(&w, STACK + 40, 8, STACK + 120);
	store(&w, STACK + 120, 8, CALLER);
	assert_int_equal(unwind(&w, X86, rule, &frame, &slots), 0);
	assert_int_equal(frame.sp, STACK + 128);
	assert_int_equal(slots.cfa, STACK + 40);
	assert_int_equal(unwind(&w, X86, rule, &outer, &slots), OPROFILE_UW_REGISTER);
}

static void cfa_from_register_in_innermost_frame(void **state)
{
	struct oprofile_uw_frame frame = innermost_frame(STACK, 0), outer = outer_frame(STACK, 0);
	struct oprofile_uw_slots slots;
	struct world w = { .registers = { [10] = STACK + 64 } };

	(void)state;
	store(&w, STACK + 56, 8, CALLER);
	assert_int_equal(unwind(&w, X86, RULE(REGISTER, .cfa_register = 10), &frame, &slots), 0);
	assert_int_equal(frame.sp, STACK + 64);
	assert_int_equal(unwind(&w, X86, RULE(REGISTER, .cfa_register = 10), &outer, &slots),
			 OPROFILE_UW_REGISTER);
	assert_int_equal(outer.sp, STACK);
}

/*
 * In ld.so's lazy resolver, where rbx contains the CFA, unwinding works even if a called function
 * has saved rbx.
 */
static void cfa_from_saved_rbx(void **state)
{
	struct oprofile_uw_rule saves = RULE(SP, .cfa_offset = 32, .saved = OPROFILE_UW_AT_CFA << 4, .other_offset = -3);
	struct oprofile_uw_rule uses = RULE(REGISTER, .cfa_register = 3, .cfa_offset = 16);
	struct oprofile_uw_frame frame = innermost_frame(STACK, 0);
	struct oprofile_uw_slots slots;
	struct world w = { 0 };

	(void)state;
	store(&w, STACK + 8, 8, STACK + 100 * 8);
	store(&w, STACK + 24, 8, CALLER);
	store(&w, STACK + 101 * 8, 8, CALLER + 1);
	assert_int_equal(unwind(&w, X86, saves, &frame, &slots), 0);
	assert_int_equal(w.reads, 1);
	assert_int_equal(unwind(&w, X86, uses, &frame, &slots), OPROFILE_UW_REGISTER);

	frame = innermost_frame(STACK, 0);
	frame.keep_other = 1;
	assert_int_equal(unwind(&w, X86, saves, &frame, &slots), 0);
	assert_int_equal(slots.other, STACK + 8);
	assert_int_equal(unwind(&w, X86, uses, &frame, &slots), 0);
	assert_int_equal(frame.pc, CALLER + 1);
	assert_int_equal(frame.sp, STACK + 102 * 8);
}

static void cfa_in_plt_stub(void **state)
{
	struct oprofile_uw_slots slots;
	struct world w = { 0 };

	(void)state;
	for (int low = 0; low < 16; low++) {
		struct oprofile_uw_frame frame = innermost_frame(STACK, 0);

		frame.pc = 0x1000 + low;
		assert_int_equal(unwind(&w, X86, RULE(PLT, .cfa_offset = 11), &frame, &slots), 0);
		assert_int_equal(frame.sp, STACK + (low >= 11 ? 16 : 8));
	}
}

/* The return address is read from a register if the rule says so, as in vfork(), which keeps its
 * return address in rdi. */
static void return_address_in_a_register(void **state)
{
	struct oprofile_uw_rule rule = RULE(SP, .saved = OPROFILE_UW_RETURN << 4, .other_offset = 5);
	struct oprofile_uw_frame frame = innermost_frame(STACK, 0), outer = outer_frame(STACK, 0);
	struct oprofile_uw_slots slots;
	struct world w = { .registers = { [5] = CALLER } };

	(void)state;
	assert_int_equal(unwind(&w, X86, rule, &frame, &slots), 0);
	assert_int_equal(frame.pc, CALLER);
	assert_int_equal(frame.sp, STACK);
	assert_int_equal(slots.pc, 0);
	rule.cfa_offset = 8;
	assert_int_equal(unwind(&w, X86, rule, &outer, &slots), OPROFILE_UW_REGISTER);
}

static void i386_words_have_four_bytes(void **state)
{
	struct oprofile_uw_frame frame = innermost_frame(STACK, STACK + 12);
	struct oprofile_uw_slots slots;
	struct world w = { 0 };

	(void)state;
	store(&w, STACK + 12, 4, 0x7777);
	store(&w, STACK + 16, 4, CALLER);
	store(&w, STACK + 20, 4, 0xdeadbeef);
	assert_int_equal(unwind(&w, I386,
				RULE(FP, .cfa_offset = 8, .saved = OPROFILE_UW_AT_CFA,
				     .fp_offset = -2),
				&frame, &slots), 0);
	assert_int_equal(frame.pc, CALLER);
	assert_int_equal(frame.fp, 0x7777);
	assert_int_equal(frame.sp, STACK + 20);
}

static void aarch64_frames_are_unwound(void **state)
{
	struct oprofile_uw_rule leaf = RULE(SP, .saved = OPROFILE_UW_RETURN << 4, .other_offset = 30);
	struct oprofile_uw_rule usual = RULE(SP, .cfa_offset = 32, .other_offset = -3, .fp_offset = -4,
					     .saved = OPROFILE_UW_AT_CFA << 4 | OPROFILE_UW_AT_CFA);
	struct oprofile_uw_frame frame = innermost_frame(STACK, 0), outer = outer_frame(STACK, 0);
	struct oprofile_uw_slots slots;
	struct world w = { .registers = { [30] = CALLER | 0x7fULL << 48 } };

	(void)state;
	store(&w, STACK, 8, 0x7777);
	/* the return address is signed (pointer authentication) */
	store(&w, STACK + 8, 8, CALLER | 0x2aULL << 48);
	assert_int_equal(unwind(&w, ARM, leaf, &frame, &slots), 0);
	assert_int_equal(frame.pc, CALLER);
	assert_int_equal(frame.sp, STACK);
	assert_int_equal(unwind(&w, ARM, usual, &frame, &slots), 0);
	assert_int_equal(frame.pc, CALLER);
	assert_int_equal(frame.fp, 0x7777);
	assert_int_equal(frame.sp, STACK + 32);
	assert_int_equal(slots.pc, STACK + 8);
	/* Only the innermost frame can be a leaf, whose return address is in a register. */
	assert_int_equal(unwind(&w, ARM, leaf, &outer, &slots), OPROFILE_UW_BACKWARDS);
}

static void end_rules_stop_unwinding(void **state)
{
	struct oprofile_uw_frame frame = outer_frame(STACK, STACK), before = frame;
	struct oprofile_uw_slots slots = { 1, 2, 3, 4 };
	struct world w = { 0 };

	(void)state;
	assert_int_equal(unwind(&w, X86, RULE(NONE), &frame, &slots), OPROFILE_UW_NO_ROW);
	assert_int_equal(unwind(&w, X86, RULE(END), &frame, &slots), OPROFILE_UW_WHOLE);
	assert_int_equal(unwind(&w, X86, RULE(UNSUPPORTED), &frame, &slots), OPROFILE_UW_RULE);
	/* Unwinding fails if the caller's stack pointer is not above the frame's. */
	assert_int_equal(unwind(&w, X86, RULE(SP), &frame, &slots), OPROFILE_UW_BACKWARDS);
	assert_int_equal(unwind(&w, X86, RULE(SP, .cfa_offset = -8), &frame, &slots),
			 OPROFILE_UW_BACKWARDS);
	assert_int_equal(unwind(&w, X86, RULE(SP, .cfa_offset = 12), &frame, &slots),
			 OPROFILE_UW_BACKWARDS);
	assert_int_equal(unwind(&w, X86, RULE(AT_SP), &frame, &slots), OPROFILE_UW_BACKWARDS);
	/* Unwinding fails if the stack cannot be read. */
	assert_int_equal(unwind(&w, X86, RULE(SP, .cfa_offset = 4096), &frame, &slots),
			 OPROFILE_UW_STACK);
	assert_int_equal(unwind(&w, X86, RULE(AT_SP, .cfa_offset = -8), &frame, &slots),
			 OPROFILE_UW_STACK);
	assert_int_equal(unwind(&w, X86,
				RULE(SP, .cfa_offset = 8, .saved = OPROFILE_UW_AT_CFA,
				     .fp_offset = 32767),
				&frame, &slots), OPROFILE_UW_STACK);
	assert_int_equal(unwind(&w, X86, RULE(SIGNAL, .cfa_offset = 4096), &frame, &slots),
			 OPROFILE_UW_STACK);
	/* Unwinding fails if the rule needs a frame pointer that an earlier step lost. */
	frame.known &= ~OPROFILE_UW_KNOWS_FP;
	before.known = frame.known;
	assert_int_equal(unwind(&w, X86, RULE(FP, .cfa_offset = 16), &frame, &slots),
			 OPROFILE_UW_REGISTER);
	assert_memory_equal(&frame, &before, sizeof(frame));
	assert_int_equal(slots.pc, 1);
}

/*
 * A frame with the rule SIGNAL restores the registers of the interrupted code from the kernel's
 * signal frame.
 */
static void signal_frame_is_unwound(void **state)
{
	struct oprofile_uw_frame frame = outer_frame(STACK, 0);
	struct oprofile_uw_slots slots;
	struct world w = { 0 };
	__u64 value;

	(void)state;
	frame.keep_other = 1;
	for (int i = 0; i < 17; i++)	/* r8-r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip */
		store(&w, STACK + 40 + i * 8, 8, 0x100 + i);
	assert_int_equal(unwind(&w, X86, RULE(SIGNAL, .cfa_offset = 160), &frame, &slots), 0);
	assert_int_equal(frame.sp, 0x100 + 15);
	assert_int_equal(frame.pc, 0x100 + 16);
	assert_int_equal(frame.fp, 0x100 + 10);
	assert_int_equal(frame.other, 0x100 + 11);
	assert_int_equal(frame.innermost, 1);
	assert_int_equal(slots.pc, STACK + 168);
	for (unsigned int number = 0; number < 16; number++) {
		static const int place[] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7 };

		assert_int_equal(oprofile_uw_register(X86, &frame, number, &value, &ops, &w), 0);
		assert_int_equal(value, 0x100 + place[number]);
	}

	frame = outer_frame(STACK, 0);
	for (int i = 0; i < 15; i++)	/* gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax, trap, error, eip */
		store(&w, STACK + 4 + i * 4, 4, 0x100 + i);
	assert_int_equal(unwind(&w, I386, RULE(SIGNAL, .cfa_offset = 32), &frame, &slots), 0);
	assert_int_equal(frame.sp, 0x107);
	assert_int_equal(frame.pc, 0x10e);
	assert_int_equal(frame.fp, 0x106);
	for (unsigned int number = 0; number < 8; number++) {
		static const int place[] = { 11, 10, 9, 8, 7, 6, 5, 4 };

		assert_int_equal(oprofile_uw_register(I386, &frame, number, &value, &ops, &w), 0);
		assert_int_equal(value, 0x100 + place[number]);
	}

	frame = outer_frame(STACK, 0);
	for (int i = 0; i < 33; i++)	/* registers x0 to x30, sp and pc */
		store(&w, STACK + 312 + i * 8, 8, 0x100 + i);
	assert_int_equal(unwind(&w, ARM, RULE(SIGNAL, .cfa_offset = 560), &frame, &slots), 0);
	assert_int_equal(frame.sp, 0x100 + 31);
	assert_int_equal(frame.pc, 0x100 + 32);
	assert_int_equal(frame.fp, 0x100 + 29);
	assert_int_equal(oprofile_uw_register(ARM, &frame, 30, &value, &ops, &w), 0);
	assert_int_equal(value, 0x100 + 30);
}

static void frame_pointers_are_followed(void **state)
{
	struct oprofile_uw_frame frame = outer_frame(STACK, STACK + 16);
	struct oprofile_uw_slots slots;
	struct world w = { 0 };

	(void)state;
	store(&w, STACK + 16, 8, STACK + 64);
	store(&w, STACK + 24, 8, CALLER);
	store(&w, STACK + 64, 8, STACK + 96);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), 0);
	assert_int_equal(frame.pc, CALLER);
	assert_int_equal(frame.sp, STACK + 32);
	assert_int_equal(frame.fp, STACK + 64);
	assert_int_equal(frame.by_fp, 1);
	/* The walk ends because the code has no row and the next word is not a return address. */
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NO_ROW);
	assert_int_equal(frame.pc, CALLER);
	frame.fp = 0;
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_WHOLE);
	/* The walk ends in the same way if the frame record contains a return address that does not
	 * follow a call. */
	frame.fp = STACK + 64;
	store(&w, STACK + 64, 8, 0);
	store(&w, STACK + 72, 8, 0x2000);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_WHOLE);
	assert_int_equal(frame.pc, CALLER);
	/* The register may contain data, because no frame pointer has led to this frame. */
	frame.by_fp = 0;
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NO_ROW);
	frame.by_fp = 1;
	/*
	 * A return address in unmapped memory is rejected: it is data, because this code uses the
	 * frame pointer register for another purpose.
	 */
	store(&w, STACK + 72, 8, NOT_MAPPED + 1);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NO_ROW);
	frame.fp = STACK + 24;		/* A frame pointer below the stack pointer is rejected. */
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NO_ROW);

	/*
	 * Code of a file that could not be read may have rows and may not keep the frame pointer,
	 * so a step by frame pointer could skip frames.
	 */
	frame = outer_frame(STACK, STACK + 16);
	frame.pc = OF_NO_FILE + 1;
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NO_FILE);
	assert_int_equal(frame.pc, OF_NO_FILE + 1);

	/* On aarch64 a step by frame pointer does not recover the caller's sp. */
	frame = outer_frame(STACK, STACK + 16);
	assert_int_equal(oprofile_uw_next(ARM, &frame, &slots, &ops, &w), 0);
	assert_int_equal(unwind(&w, ARM, RULE(SP, .cfa_offset = 16), &frame, &slots),
			 OPROFILE_UW_REGISTER);
	store(&w, STACK + 72, 8, CALLER);
	assert_int_equal(unwind(&w, ARM, RULE(FP, .cfa_offset = 16, .other_offset = -1,
					      .saved = OPROFILE_UW_AT_CFA << 4),
				&frame, &slots), 0);
	assert_int_equal(frame.known & OPROFILE_UW_KNOWS_SP, OPROFILE_UW_KNOWS_SP);
}

static void address_without_call_ends_path(void **state)
{
	struct oprofile_uw_frame frame = innermost_frame(STACK, 0);
	struct oprofile_uw_slots slots;
	struct world w = { .rule_at = { 0x1000, 0x2fff }, .rules = { RULE(SP, .cfa_offset = 8), RULE(SIGNAL) } };

	(void)state;
	store(&w, STACK, 8, 0x2000);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NOT_CALLED);
	assert_int_equal(frame.pc, 0x1000);
	w.rule_at[1] = 0x1fff;
	w.rules[1] = RULE(SP, .cfa_offset = 8);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NOT_CALLED);
	/*
	 * The return address in a coroutine's entry function does not follow a call either, but the
	 * function's rule ends the path.
	 */
	w.rule_at[1] = 0x2000;
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NOT_CALLED);
	w.rules[1] = RULE(END);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_WHOLE);
	assert_int_equal(frame.pc, 0x1000);
	/* The address to which a signal handler returns (the trampoline) need not follow a call. */
	w.rule_at[1] = 0x2fff;
	w.rules[1] = RULE(SIGNAL);
	store(&w, STACK, 8, 0x3000);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), 0);
	assert_int_equal(frame.pc, 0x3000);
}

/* A return address into code that cannot be read is accepted, because a call may precede it. */
static void unknown_code_is_not_evidence(void **state)
{
	struct oprofile_uw_frame frame = innermost_frame(STACK, STACK + 32);
	struct oprofile_uw_slots slots;
	struct world w = { .rule_at = { 0x1000 }, .rules = { RULE(SP, .cfa_offset = 8) } };

	(void)state;
	/*
	 * A step by a row accepts an unreadable return address and a return address in JIT code. It
	 * refuses a readable return address that does not follow a call.
	 */
	store(&w, STACK, 8, CALLER + 1);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NOT_CALLED);
	store(&w, STACK, 8, MADE);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), 0);
	assert_int_equal(frame.pc, MADE);
	assert_int_equal(frame.by_fp, 0);
	frame = innermost_frame(STACK, STACK + 32);
	store(&w, STACK, 8, UNREADABLE);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), 0);
	assert_int_equal(frame.pc, UNREADABLE);
	assert_int_equal(frame.by_fp, 0);
	/*
	 * A step by frame pointer accepts unreadable return addresses and return addresses in JIT
	 * code, too.
	 */
	store(&w, STACK + 32, 8, STACK + 64);
	store(&w, STACK + 40, 8, MADE);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), 0);
	assert_int_equal(frame.pc, MADE);
	assert_int_equal(frame.by_fp, 1);
	store(&w, STACK + 64, 8, 0);
	store(&w, STACK + 72, 8, UNREADABLE);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), 0);
	assert_int_equal(frame.pc, UNREADABLE);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_WHOLE);
}

/* A frame pointer of 0 completes a path only if a chain of frame pointers led to it. */
static void zero_frame_pointer_ends_path(void **state)
{
	struct oprofile_uw_frame frame = innermost_frame(STACK, 0);
	struct oprofile_uw_slots slots;
	struct world w = { .rule_at = { 0x1000 }, .rules = { RULE(SP, .cfa_offset = 8) } };

	(void)state;
	/* The path is not complete if a row has led to a frame of code without rows, because that
	 * code may not use the frame pointer register. */
	store(&w, STACK, 8, CALLER);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), 0);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NO_ROW);
	/* The path is not complete if the innermost frame itself is in code without rows. */
	frame = innermost_frame(STACK, 0);
	w.rule_at[0] = 0;
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_NO_ROW);
	/* The path is complete if a chain of frame pointers has led to the frame pointer 0. */
	frame = innermost_frame(STACK, STACK + 16);
	store(&w, STACK + 16, 8, 0);
	store(&w, STACK + 24, 8, CALLER);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), 0);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_WHOLE);
}

/*
 * The first and last instructions of a function that sets up a frame pointer are recognised: at
 * these instructions the frame pointer register contains the caller's value.
 */
static void function_edges_have_rows(void **state)
{
	static const struct {
		unsigned int machine, words;
		unsigned char code[8];
	} edges[] = {
		{ X86, 1, { 0x55, 0x48, 0x89, 0xe5 } }, { X86, 1, { 0x55, 0x48, 0x8b, 0xec } },
		{ X86, 1, { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5 } }, { X86, 2, { 0x48, 0x89, 0xe5 } },
		{ X86, 1, { 0xc3 } }, { X86, 1, { 0xf3, 0xc3 } }, { X86, 1, { 0xc2, 8, 0 } },
		{ I386, 1, { 0x55, 0x89, 0xe5 } }, { I386, 1, { 0xf3, 0x0f, 0x1e, 0xfb, 0x55, 0x89, 0xe5 } },
		{ I386, 2, { 0x89, 0xe5 } }, { I386, 1, { 0xc3 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++) {
		struct oprofile_uw_frame frame = innermost_frame(STACK, STACK + 64);
		int word = edges[i].machine == X86 ? 8 : 4;
		struct oprofile_uw_slots slots;
		struct world w = { 0 };

		memcpy(w.code, edges[i].code, 8);
		store(&w, STACK, word, STACK + 64);
		store(&w, STACK + (edges[i].words - 1) * word, word, CALLER);
		store(&w, STACK + 64, word, STACK + 128);
		store(&w, STACK + 64 + word, word, CALLER + 1);
		assert_int_equal(oprofile_uw_next(edges[i].machine, &frame, &slots, &ops_with_code, &w), 0);
		assert_int_equal(frame.pc, CALLER);
		assert_int_equal(frame.sp, STACK + edges[i].words * word);
		assert_int_equal(frame.fp, STACK + 64);
		assert_int_equal(frame.unsure, 0);
	}
}

/*
 * A return address at the stack pointer shows that the function does not set up a frame pointer,
 * unless the word is left from an earlier call.
 */
static void leaf_without_frame_is_unwound(void **state)
{
	struct oprofile_uw_frame frame = innermost_frame(STACK, STACK + 64);
	struct oprofile_uw_slots slots;
	struct world w = { 0 };

	(void)state;
	store(&w, STACK + 64, 8, 0);
	store(&w, STACK + 72, 8, CALLER);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops_with_code, &w), 0);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops_with_code, &w), OPROFILE_UW_WHOLE);
	for (int i = 0; i < 2; i++) {
		frame = innermost_frame(STACK, STACK + 64);
		store(&w, STACK, 8, i ? 1 : CALLER);
		store(&w, STACK + 8, 8, CALLER);
		assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops_with_code, &w), 0);
		assert_int_equal(frame.pc, CALLER);
		assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops_with_code, &w), OPROFILE_UW_LEAF);
	}
	/*
	 * The words above the frame pointer belong to the caller, because this function's frame
	 * begins at the stack pointer.
	 */
	frame = innermost_frame(STACK, STACK);
	store(&w, STACK, 8, 0);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops_with_code, &w), 0);
	assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops_with_code, &w), OPROFILE_UW_WHOLE);
}

/*
 * In code with the rule "chain" (unwind by frame pointer), a caller may be missing if a word of the
 * frame follows a call.
 */
static void rbp_chain_is_followed(void **state)
{
	static const struct { uint64_t word, fp; int end; } cases[] = {
		{ 1, STACK + 64, OPROFILE_UW_WHOLE }, { CALLER, STACK + 64, OPROFILE_UW_LEAF },
		{ UNREADABLE, STACK + 64, OPROFILE_UW_LEAF }, { MADE, STACK + 64, OPROFILE_UW_LEAF },
		/*
		 * The word that follows a call belongs to the caller's frame, so no caller is
		 * missing.
		 */
		{ CALLER, STACK + 32, OPROFILE_UW_WHOLE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int is_return = 0; is_return < 2; is_return++) {
			struct oprofile_uw_frame frame = innermost_frame(STACK, cases[i].fp);
			struct world w = { .rule_at = { 0x1000 - is_return }, .rules = { RULE(CHAIN) } };
			struct oprofile_uw_slots slots;

			frame.innermost = !is_return;
			store(&w, STACK + 56, 8, cases[i].word);
			store(&w, cases[i].fp, 8, 0);
			store(&w, cases[i].fp + 8, 8, CALLER);
			assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops_with_code, &w), 0);
			assert_int_equal(frame.pc, CALLER);
			assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops_with_code, &w),
					 cases[i].end);
			/* If the words of the frame cannot be read, it is uncertain whether a
			 * caller is missing. */
			frame = outer_frame(STACK, cases[i].fp);
			frame.innermost = !is_return;
			assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), 0);
			assert_int_equal(oprofile_uw_next(X86, &frame, &slots, &ops, &w), OPROFILE_UW_LEAF);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cfa_from_sp),
		cmocka_unit_test(function_edges_have_rows),
		cmocka_unit_test(leaf_without_frame_is_unwound),
		cmocka_unit_test(rbp_chain_is_followed),
		cmocka_unit_test(cfa_from_fp),
		cmocka_unit_test(cfa_loaded_from_fp),
		cmocka_unit_test(restored_frame_pointer_is_not_loaded),
		cmocka_unit_test(cfa_loaded_from_sp),
		cmocka_unit_test(cfa_loaded_by_index),
		cmocka_unit_test(cfa_from_register_in_innermost_frame),
		cmocka_unit_test(cfa_from_saved_rbx),
		cmocka_unit_test(cfa_in_plt_stub),
		cmocka_unit_test(return_address_in_a_register),
		cmocka_unit_test(i386_words_have_four_bytes),
		cmocka_unit_test(aarch64_frames_are_unwound),
		cmocka_unit_test(end_rules_stop_unwinding),
		cmocka_unit_test(signal_frame_is_unwound),
		cmocka_unit_test(frame_pointers_are_followed),
		cmocka_unit_test(address_without_call_ends_path),
		cmocka_unit_test(unknown_code_is_not_evidence),
		cmocka_unit_test(zero_frame_pointer_ends_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
