// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_code.c -- rules of frames in made code without unwinding information: the code that shows them, and the time of its reading. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "daemon/source/perf_code.h"

#define DECODE(rule, ...)	opd_perf_code_decode((const unsigned char[]){ __VA_ARGS__ }, sizeof((const unsigned char[]){ __VA_ARGS__ }), rule)

static void straight_ways_to_a_return_show_the_frame(void **state)
{
	struct oprofile_uw_rule rule;

	(void)state;
	assert_true(DECODE(&rule, 0xc3));						/* ret */
	assert_int_equal(rule.cfa, OPROFILE_UW_CFA_SP);
	assert_int_equal(rule.cfa_offset, 8);
	assert_int_equal(rule.saved, 0);
	assert_true(DECODE(&rule, 0x48, 0x83, 0xc4, 8, 0xc3));				/* add 8,rsp; ret */
	assert_int_equal(rule.cfa_offset, 16);
	assert_true(DECODE(&rule, 0x48, 0x81, 0xc4, 0, 1, 0, 0, 0x90, 0xc3));		/* add 256,rsp; nop; ret */
	assert_int_equal(rule.cfa_offset, 264);
	/* add 8,rsp; pop rbx; pop rbp; pop r12; ret */
	assert_true(DECODE(&rule, 0x48, 0x83, 0xc4, 8, 0x5b, 0x5d, 0x41, 0x5c, 0xc3));
	assert_int_equal(rule.cfa_offset, 40);
	assert_int_equal(rule.saved, OPROFILE_UW_AT_CFA | OPROFILE_UW_AT_CFA << 4);
	assert_int_equal(rule.other_offset, -4);
	assert_int_equal(rule.fp_offset, -3);
}

static void other_code_shows_nothing(void **state)
{
	struct oprofile_uw_rule rule;

	(void)state;
	assert_false(DECODE(&rule, 0x48, 0x83, 0xc4, 8));				/* it goes on */
	assert_false(DECODE(&rule, 0x48, 0x83));
	assert_false(DECODE(&rule, 0x41));
	assert_false(DECODE(&rule, 0x48, 0x83, 0xc4, 0xf8, 0xc3));			/* add -8,rsp */
	assert_false(DECODE(&rule, 0x48, 0x83, 0xc4, 4, 0xc3));				/* not a word */
	assert_false(DECODE(&rule, 0x48, 0x81, 0xc4, 0, 0, 0, 0x80, 0xc3));
	assert_false(DECODE(&rule, 0x5c, 0xc3));					/* pop rsp */
	assert_false(DECODE(&rule, 0xc9, 0xc3));					/* leave */
	assert_false(DECODE(&rule, 0xc2, 8, 0));					/* ret 8 */
	assert_false(DECODE(&rule, 0x75, 0, 0xc3));					/* jne */
	assert_false(DECODE(&rule, 0xe8, 0, 0, 0, 0, 0xc3));				/* call */
}

static unsigned char code[] = { 0x48, 0x83, 0xc4, 8, 0xc3 };
static size_t nr_reads;

static ssize_t read_code(void *arg, pid_t tid, uint64_t address, void *to, size_t size)
{
	(void)arg;
	assert_int_equal(tid, 8);
	nr_reads++;
	if (address == 0x2000)
		return -EFAULT;
	memcpy(to, code, sizeof(code) < size ? sizeof(code) : size);
	return sizeof(code);
}

static void code_is_read_seldom(void **state)
{
	const uint64_t second = 1000000000;
	struct oprofile_uw_rule rule;
	struct opd_perf_code *c;

	(void)state;
	assert_int_equal(opd_perf_code_create(&c, read_code, NULL), 0);
	for (int i = 0; i < 3; i++) {
		assert_true(opd_perf_code_rule(c, 7, 8, 0x1000, 10 * second, &rule));
		assert_int_equal(rule.cfa_offset, 16);
		assert_false(opd_perf_code_rule(c, 7, 8, 0x2000, 10 * second, &rule));
	}
	assert_int_equal(nr_reads, 2);
	/* It may be other code later. */
	code[3] = 24;
	assert_true(opd_perf_code_rule(c, 7, 8, 0x1000, 13 * second, &rule));
	assert_int_equal(rule.cfa_offset, 32);
	/* A process with very much code is read as far as there is time. */
	for (uint64_t pc = 0x10000; pc < 0x20000; pc++)
		opd_perf_code_rule(c, 7, 8, pc, 13 * second, &rule);
	assert_int_equal(nr_reads, 2 + 200);
	assert_true(opd_perf_code_rule(c, 7, 8, 0x30000, 14 * second, &rule));
	opd_perf_code_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_ways_to_a_return_show_the_frame),
		cmocka_unit_test(other_code_shows_nothing),
		cmocka_unit_test(code_is_read_seldom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
