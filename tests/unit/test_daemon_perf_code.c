// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_perf_code.c -- tests unwinding of JIT code without unwind information: frames are
 * inferred from the code's bytes, which are read within a budget.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "daemon/source/perf_code.h"

#define MADE 0x10000u
#define MADE_END 0x20000u
#define EXACT 0x400000u /* address of a function in a file, whose body has a frame of 160 bytes */
#define BODY (EXACT + 32)
#define SECOND 1000000000ull

static unsigned char memory[MADE_END - MADE];
static size_t nr_reads;

static ssize_t read_code(void *arg, pid_t tid, uint64_t address, void *to, size_t size)
{
	(void)arg;
	assert_int_equal(tid, 8);
	nr_reads++;
	if (address < MADE || address >= MADE_END)
		return -EFAULT;
	if (size > MADE_END - address)
		size = MADE_END - address;
	memcpy(to, memory + (address - MADE), size);
	return (ssize_t)size;
}

static int find_target(void *arg, __u64 address, struct cfi_target *ret)
{
	(void)arg;
	*ret = (struct cfi_target){
		.is_made = address >= MADE && address < MADE_END, .begin = MADE, .end = MADE_END};
	if (ret->is_made)
		return 0;
	if (address < EXACT || address >= EXACT + 4096)
		return OPROFILE_UW_MAPPING;
	*ret = (struct cfi_target){
		.is_exact = true,
		.has_rule = true,
		.begin = EXACT,
		.rule = {.cfa = OPROFILE_UW_CFA_SP, .cfa_offset = address < BODY ? 8 : 160},
	};
	if (address >= BODY) {
		ret->rule.saved = OPROFILE_UW_AT_CFA;
		ret->rule.fp_offset = -4;
	}
	return 0;
}

static const struct opd_perf_code_at at_made = {
	.pid = 7,
	.tid = 8,
	.pc = MADE + 64,
	.time = 10 * SECOND,
	.target = find_target,
};

static struct cfi_shown infer_frame(const unsigned char *code, size_t size, bool is_return)
{
	struct opd_perf_code_at at = at_made;
	struct cfi_shown shown;
	struct opd_perf_code *c;

	memset(memory, 0xcc, sizeof(memory));
	/* the instruction call *rax */
	memcpy(memory + 62, (const unsigned char[]){0xff, 0xd0}, 2);
	memcpy(memory + 64, code, size);
	at.is_return = is_return;
	assert_int_equal(opd_perf_code_create(&c, read_code, NULL), 0);
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	opd_perf_code_destroy(c);
	return shown;
}

#define SHOWN(...)                                                                                 \
	infer_frame((const unsigned char[]){__VA_ARGS__},					   \
		    sizeof((const unsigned char[]){__VA_ARGS__}), true)
#define JMP_TO(to)                                                                                 \
	0xe9, (unsigned char)(to), (unsigned char)((to) >> 8), (unsigned char)((to) >> 16),        \
		(unsigned char)((to) >> 24)

static void frame_is_inferred_from_straight_code_to_return(void **state)
{
	struct cfi_shown shown = SHOWN(0xc3); /* code: ret */

	(void)state;
	assert_true(shown.is_sure);
	assert_int_equal(shown.rule.cfa, OPROFILE_UW_CFA_SP);
	assert_int_equal(shown.rule.cfa_offset, 8);
	assert_int_equal(shown.rule.saved, 0);
	shown = SHOWN(0x48, 0x83, 0xc4, 8, 0xc3); /* code: add 8,rsp; ret */
	assert_int_equal(shown.rule.cfa_offset, 16);
	shown = SHOWN(0x48, 0x81, 0xc4, 0, 1, 0, 0, 0x90, 0xc3); /* add 256,rsp; nop; ret */
	assert_int_equal(shown.rule.cfa_offset, 264);
	/* add 8,rsp; pop rbx; pop rbp; pop r12; ret */
	shown = SHOWN(0x48, 0x83, 0xc4, 8, 0x5b, 0x5d, 0x41, 0x5c, 0xc3);
	assert_true(shown.is_sure);
	assert_int_equal(shown.rule.cfa_offset, 40);
	assert_int_equal(shown.rule.saved, OPROFILE_UW_AT_CFA | OPROFILE_UW_AT_CFA << 4);
	assert_int_equal(shown.rule.other_offset, -4);
	assert_int_equal(shown.rule.fp_offset, -3);
}

static void frame_is_inferred_across_branches(void **state)
{
	/* jne to the second add; call *rax; add 8,rsp; ret; add 8,rsp; ret */
	struct cfi_shown shown =
		SHOWN(0x75, 7, 0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3, 0x48, 0x83, 0xc4, 8, 0xc3);

	(void)state;
	assert_int_equal(shown.shows, CFI_SHOWS_RULE);
	assert_false(shown.is_sure);
	assert_int_equal(shown.rule.cfa_offset, 16);
	assert_int_equal(shown.entered, MADE);
	assert_int_equal(shown.rule.saved >> 4, OPROFILE_UW_LOST);
	/* push rbp; xor ebp,ebp; pop rbp; ret */
	shown = SHOWN(0x55, 0x31, 0xed, 0x5d, 0xc3);
	assert_int_equal(shown.rule.cfa_offset, 8);
	assert_int_equal(shown.rule.saved & 15, OPROFILE_UW_SAME);
	/* code: xor ebp,ebp; ret */
	shown = SHOWN(0x31, 0xed, 0xc3);
	assert_int_equal(shown.rule.saved & 15, OPROFILE_UW_LOST);
}

static void branch_to_frame_pointer_code_is_ignored(void **state)
{
	/* ja to the push; add 8,rsp; ret; push rbp; mov rsp,rbp; leave; ret */
	struct cfi_shown shown = SHOWN(0x77, 5, 0x48, 0x83, 0xc4, 8, 0xc3, 0x55, 0x48, 0x89,
					    0xe5, 0xc9, 0xc3);

	(void)state;
	assert_int_equal(shown.shows, CFI_SHOWS_RULE);
	assert_int_equal(shown.rule.cfa_offset, 16);
	/* ja to the leave; push rbp; mov rsp,rbp; leave; ret */
	assert_false(SHOWN(0x77, 4, 0x55, 0x48, 0x89, 0xe5, 0xc9, 0xc3).shows);
	/* push rbp; mov rsp,rbp; leave; ret */
	assert_false(SHOWN(0x55, 0x48, 0x89, 0xe5, 0xc9, 0xc3).shows);
}

static void frame_is_inferred_from_jump_to_function(void **state)
{
	/* add 16,rsp; jmp BODY */
	struct cfi_shown shown =
		SHOWN(0x48, 0x83, 0xc4, 16, JMP_TO(BODY - (MADE + 64 + 4 + 5)));

	(void)state;
	assert_int_equal(shown.shows, CFI_SHOWS_RULE);
	assert_int_equal(shown.rule.cfa_offset, 176);
	assert_int_equal(shown.rule.saved & 15, OPROFILE_UW_AT_CFA);
	assert_int_equal(shown.rule.fp_offset, -4);
	assert_int_equal(shown.entered, EXACT);
	/* movabs BODY,rax; jmp *rax */
	shown = SHOWN(0x48, 0xb8, (unsigned char)BODY, BODY >> 8 & 0xff, BODY >> 16, 0, 0, 0, 0, 0,
		      0xff, 0xe0);
	assert_int_equal(shown.rule.cfa_offset, 160);
	/* code: add 8,rsp; jmp EXACT, which is a tail call */
	shown = SHOWN(0x48, 0x83, 0xc4, 8, JMP_TO(EXACT - (MADE + 64 + 4 + 5)));
	assert_int_equal(shown.rule.cfa_offset, 16);
}

static void indirect_jump_gets_frame_of_neighbouring_code(void **state)
{
	/* jmp *(r15); and behind it, not reached: jmp BODY */
	struct cfi_shown shown = SHOWN(0x41, 0xff, 0x27, JMP_TO(BODY - (MADE + 64 + 3 + 5)));

	(void)state;
	assert_int_equal(shown.shows, CFI_SHOWS_RULE);
	assert_true(shown.is_guess);
	assert_int_equal(shown.rule.cfa_offset, 160);
	/* The other code jumps to two frames: jmp *(r15); jmp BODY; je EXACT + 8 */
	shown = SHOWN(0x41, 0xff, 0x27, JMP_TO(BODY - (MADE + 64 + 3 + 5)),
		      JMP_TO(EXACT + 8 - (MADE + 64 + 8 + 5)));
	assert_int_equal(shown.shows, CFI_SHOWS_NOTHING);
}

static void frame_of_ambiguous_code_is_not_inferred(void **state)
{
	(void)state;
	/* no frame is inferred, because an int3 follows this code */
	assert_false(SHOWN(0x48, 0x83, 0xc4, 8).shows);
	/* no frame is inferred, because 4 bytes are not a whole word */
	assert_false(SHOWN(0x48, 0x83, 0xc4, 4, 0xc3).shows);
	assert_false(SHOWN(0x48, 0x81, 0xc4, 0, 0, 0, 0x80, 0xc3).shows);
	assert_false(SHOWN(0x5c, 0xc3).shows);		      /* the instruction pop rsp */
	assert_false(SHOWN(0xc9, 0xc3).shows);		      /* the instruction leave */
	assert_false(SHOWN(0xc2, 8, 0).shows);		      /* the instruction ret 8 */
	/* jne leads to two different frames */
	assert_false(SHOWN(0x75, 1, 0xc3, 0x5a, 0xc3).shows);
	/* the instruction jmp *(r15) */
	assert_int_equal(SHOWN(0x41, 0xff, 0x27).shows, CFI_SHOWS_JUMP);
}

static void return_address_without_call_is_marked(void **state)
{
	struct opd_perf_code_at at = at_made;
	struct cfi_shown shown;
	struct opd_perf_code *c;

	(void)state;
	memset(memory, 0xc3, sizeof(memory));
	assert_int_equal(opd_perf_code_create(&c, read_code, NULL), 0);
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	assert_true(shown.shows);
	assert_false(shown.is_pushed);
	at.is_return = true;
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	assert_true(shown.is_pushed);
	opd_perf_code_destroy(c);
}

static void call_at_start_of_mapping_is_found(void **state)
{
	struct opd_perf_code_at at = at_made;
	struct cfi_shown shown;
	struct opd_perf_code *c;

	(void)state;
	/* call *rdi; add 8,rsp; ret */
	memcpy(memory, (const unsigned char[]){0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3}, 7);
	at.pc = MADE + 2;
	at.is_return = true;
	assert_int_equal(opd_perf_code_create(&c, read_code, NULL), 0);
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	assert_int_equal(shown.rule.cfa_offset, 16);
	assert_false(shown.is_pushed);
	at.pc = MADE + 6;
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	assert_true(shown.is_pushed);
	opd_perf_code_destroy(c);
}

static void inferred_frames_are_cached(void **state)
{
	struct opd_perf_code_at at = at_made;
	struct cfi_shown shown;
	struct opd_perf_code *c;

	(void)state;
	memset(memory, 0xc3, sizeof(memory));
	assert_int_equal(opd_perf_code_create(&c, read_code, NULL), 0);
	nr_reads = 0;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
		assert_int_equal(shown.rule.cfa_offset, 8);
	}
	assert_int_equal(nr_reads, 1);
	/* The result expires, because the address may contain other code later. */
	memory[64] = 0x5a; /* pop rdx */
	at.time = 13 * SECOND;
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	assert_int_equal(shown.rule.cfa_offset, 16);
	/* If a process has much code, only as much of the code is read as the time budget
	 * allows. */
	for (at.pc = 0x100000; at.pc < 0x300000; at.pc += 4096)
		opd_perf_code_find(c, &at, &shown);
	assert_int_equal(nr_reads, 1 + 200);
	at.pc = MADE + 0x5000;
	assert_int_equal(opd_perf_code_find(c, &at, &shown), OPROFILE_UW_NO_ROW);
	at.time = 14 * SECOND;
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	assert_true(shown.shows);
	opd_perf_code_destroy(c);
}

static void long_code_is_searched_within_budget(void **state)
{
	struct opd_perf_code_at at = at_made;
	struct cfi_shown shown;
	struct opd_perf_code *c;
	unsigned int nr = 0;

	(void)state;
	/* If code has more instructions than one search follows, no frame is inferred. */
	memset(memory, 0x90, sizeof(memory));
	for (size_t n = 300; n < sizeof(memory); n += 300) {
		memcpy(memory + n, (const unsigned char[]){0x74, 0x7f}, 2); /* the instruction jz */
		memory[n + 2 + 0x7f] = 0xc3;
	}
	assert_int_equal(opd_perf_code_create(&c, read_code, NULL), 0);
	for (unsigned int i = 0; i < 20000; i++) {
		at.pid = 7 + (pid_t)(i / 4000);
		at.pc = MADE + 64 + i % 4000;
		nr += !opd_perf_code_find(c, &at, &shown) && shown.shows;
	}
	assert_true(nr > 100 && nr < 19000);
	assert_false(opd_perf_code_may_work(c, &at, 1));
	assert_int_equal(opd_perf_code_find(c, &at, &shown), OPROFILE_UW_NO_ROW);
	at.time += SECOND;
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	assert_true(shown.shows);
	opd_perf_code_destroy(c);
}

static void new_code_is_read_after_cache_expires(void **state)
{
	struct opd_perf_code_at at = at_made;
	struct cfi_shown shown;
	struct opd_perf_code *c;

	(void)state;
	memset(memory, 0, sizeof(memory));
	memory[1024] = 0xc3;
	assert_int_equal(opd_perf_code_create(&c, read_code, NULL), 0);
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	assert_false(shown.shows);
	memory[64] = 0xc3;
	at.time += SECOND / 10;
	assert_int_equal(opd_perf_code_find(c, &at, &shown), 0);
	assert_true(shown.shows);
	opd_perf_code_destroy(c);
}

static void direct_call_target_is_decoded(void **state)
{
	struct opd_perf_code_at at = at_made;
	struct opd_perf_code *c;

	(void)state;
	memcpy(memory + 64, (const unsigned char[]){0xe8, 0, 1, 0, 0, 0xff, 0xd0}, 7);
	assert_int_equal(opd_perf_code_create(&c, read_code, NULL), 0);
	assert_int_equal(opd_perf_code_called(c, &at_made, MADE + 69, false), MADE + 69 + 256);
	assert_int_equal(opd_perf_code_called(c, &at_made, MADE + 71, false), 0);
	assert_int_equal(opd_perf_code_called(c, &at_made, 0x1000, false), 0);
	/* Change the target of the call instruction. */
	memory[66] = 2;
	at.time += SECOND;
	assert_int_equal(opd_perf_code_called(c, &at, MADE + 69, false), MADE + 69 + 256);
	assert_int_equal(opd_perf_code_called(c, &at, MADE + 69, true), MADE + 69 + 512);
	opd_perf_code_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_is_inferred_from_straight_code_to_return),
		cmocka_unit_test(frame_is_inferred_across_branches),
		cmocka_unit_test(branch_to_frame_pointer_code_is_ignored),
		cmocka_unit_test(frame_is_inferred_from_jump_to_function),
		cmocka_unit_test(indirect_jump_gets_frame_of_neighbouring_code),
		cmocka_unit_test(frame_of_ambiguous_code_is_not_inferred),
		cmocka_unit_test(return_address_without_call_is_marked),
		cmocka_unit_test(call_at_start_of_mapping_is_found),
		cmocka_unit_test(inferred_frames_are_cached),
		cmocka_unit_test(long_code_is_searched_within_budget),
		cmocka_unit_test(new_code_is_read_after_cache_expires),
		cmocka_unit_test(direct_call_target_is_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
