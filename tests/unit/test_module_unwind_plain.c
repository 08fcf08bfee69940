// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_module_unwind_plain.c -- tests that an unwind rule in its short form has the same effect as
 * the full rule.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <stdbool.h>

#include "module/uapi/unwind_walk.h"

#define STACK	0x7000
#define X86	OPROFILE_UW_X86_64
#define I386	OPROFILE_UW_I386
#define ARM	OPROFILE_UW_AARCH64

static int read_word(void *data, __u64 address, unsigned int size, __u64 *value)
{
	if (address < STACK || address + size > STACK + 512)
		return OPROFILE_UW_STACK;
	*value = 0;
	memcpy(value, (const char *)data + (address - STACK), size);
	return 0;
}

static __u64 cpu_register(void *data, unsigned int number)
{
	(void)data;
	return number * 0x100;
}

static __u64 strip(void *data, __u64 pc)
{
	(void)data;
	return pc & ((1ULL << 48) - 1);
}

static const struct oprofile_uw_ops ops = {
	.word = read_word, .cpu_register = cpu_register, .strip = strip,
};

static uint64_t draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Return a random rule. Most offsets are small, so that most rules lead to a valid frame. */
static struct oprofile_uw_rule random_rule(uint64_t *seed)
{
	return (struct oprofile_uw_rule){
		.cfa = draw(seed) % 4 ? OPROFILE_UW_CFA_SP + draw(seed) % 2
				      : draw(seed) % OPROFILE_UW_NR_CFA,
		.cfa_offset = (int)(draw(seed) % 40) * 4 - 16,
		.saved = draw(seed) % OPROFILE_UW_RETURN | draw(seed) % OPROFILE_UW_NR_SAVED << 4,
		.fp_offset = draw(seed) % 50 ? -(int)(draw(seed) % 8) : (int)draw(seed),
		.other_offset = draw(seed) % 50 ? -(int)(draw(seed) % 8) : (int)draw(seed),
	};
}

/*
 * Check that the full rule and the short form unwind to the same frame. Return true if they unwind,
 * false if both fail.
 */
static bool same_step(unsigned int machine, const struct oprofile_uw_rule *rule, const struct oprofile_uw_plain *plain,
		     const struct oprofile_uw_frame *frame, void *stack)
{
	struct oprofile_uw_frame by_plain = *frame, by_rule = *frame;
	struct oprofile_uw_slots slots;
	int end = oprofile_uw_step(machine, rule, &by_rule, &slots, &ops, stack);

	if (oprofile_uw_step_plain(machine, plain, &by_plain, &ops, stack)) {
		/*
		 * The short form may fail where the full rule succeeds only for an innermost frame
		 * that is empty or at its function's end.
		 */
		assert_true(end || (frame->innermost && (by_rule.sp == frame->sp || !(by_rule.known & OPROFILE_UW_KNOWS_FP))));
		assert_memory_equal(&by_plain, frame, sizeof(*frame));
		return false;
	}
	assert_int_equal(end, 0);
	assert_int_equal(by_plain.pc, by_rule.pc);
	assert_int_equal(by_plain.sp, by_rule.sp);
	assert_int_equal(by_plain.fp, by_rule.fp);
	assert_int_equal(by_plain.known, by_rule.known);
	assert_int_equal(by_plain.innermost | by_plain.by_fp | by_plain.context, 0);
	return true;
}

/*
 * Check, also for 4-byte words, that the stack reads reported for a rule are the reads of its
 * unwind step. Return false if the step fails.
 */
static bool same_reads(unsigned int machine, const struct oprofile_uw_rule *rule, struct oprofile_uw_reads reads,
		       struct oprofile_uw_frame frame, void *stack)
{
	int word = oprofile_uw_word(machine);
	struct oprofile_uw_slots slots;

	if (!reads.pc || oprofile_uw_step(machine, rule, &frame, &slots, &ops, stack))
		return false;
	assert_int_equal(slots.pc, frame.sp + reads.pc * word);
	assert_int_equal(slots.fp, reads.fp ? frame.sp + reads.fp * word : 0);
	assert_int_equal(slots.cfa | slots.other, 0);
	return true;
}

static void short_form_unwinds_like_full_rule(void **state)
{
	static const unsigned int machines[] = { X86, I386, ARM };
	unsigned int made[3] = { 0 }, read[3] = { 0 }, refused = 0, not_plain = 0;
	uint64_t seed = 1, stack[64];

	(void)state;
	for (int i = 0; i < 300000; i++) {
		struct oprofile_uw_rule rule = random_rule(&seed);
		struct oprofile_uw_plain plain = oprofile_uw_plain(machines[i % 3], &rule);
		struct oprofile_uw_frame frame;

		if (!oprofile_uw_rule_sound(&rule, machines[i % 3])) {
			not_plain++;
			continue;
		}
		for (int word = 0; word < 64; word++)
			stack[word] = draw(&seed) << 32 | draw(&seed);
		oprofile_uw_begin(&frame, 0x1000, STACK + draw(&seed) % 16 * 8,
				  STACK + draw(&seed) % 32 * 4);
		frame.innermost = draw(&seed) & 1;
		frame.by_fp = draw(&seed) & 1;
		read[i % 3] += same_reads(machines[i % 3], &rule, plain.reads, frame, stack);
		if (!plain.plain)
			not_plain++;
		else if (same_step(machines[i % 3], &rule, &plain, &frame, stack))
			made[i % 3]++;
		else
			refused++;
	}
	assert_true(made[0] > 5000 && made[2] > 1000 && refused > 1000 && not_plain > 1000);
	assert_int_equal(made[1], 0);	/* the short form is never used for 4-byte words */
	assert_true(read[0] > 5000 && read[1] > 5000 && read[2] > 1000);
}

/*
 * At a function's end, and only there, the caller's registers are already restored, so the rule
 * must not read them from the stack.
 */
static void restored_registers_are_not_read(void **state)
{
	const struct oprofile_uw_rule rule = { .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = 16, .saved = OPROFILE_UW_AT_CFA * 17,
					       .fp_offset = -4, .other_offset = -3 };
	uint64_t stack[64] = { 0, 0x1234 };
	struct oprofile_uw_frame frame, outer;
	struct oprofile_uw_slots slots;

	(void)state;
	oprofile_uw_begin(&frame, 0x1000, STACK, 0x5555);
	frame.keep_other = 1;
	outer = frame;
	outer.innermost = 0;
	assert_int_equal(oprofile_uw_step(X86, &rule, &frame, &slots, &ops, stack), 0);
	assert_true(frame.pc == 0x1234 && frame.known == OPROFILE_UW_KNOWS_SP);
	assert_int_equal(oprofile_uw_step(X86, &rule, &outer, &slots, &ops, stack), OPROFILE_UW_STACK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_form_unwinds_like_full_rule),
		cmocka_unit_test(restored_registers_are_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
