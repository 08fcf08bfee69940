// SPDX-License-Identifier: GPL-2.0-or-later
/* test_module_unwind.c -- tests unwind tables: refused tables, and the row found for an address. */
#include "config.h"
#include "tests/unit/check.h"

#include "module/uapi/unwind.h"

#define START	0x1000
#define SHIFT	8

/* An unwind table of three buckets of addresses; no row begins in the second bucket. */
struct table {
	struct oprofile_uw_table head;
	uint32_t buckets[4];
	uint32_t rows[3];
	struct oprofile_uw_rule rules[3];
};

#define ROW(pc, rule)	((uint32_t)(pc) << 16 | (rule))

static struct table valid_table(void)
{
	return (struct table){
		.head = { .magic = OPROFILE_UW_MAGIC, .version = OPROFILE_UW_VERSION,
			  .machine = OPROFILE_UW_X86_64, .bucket_shift = SHIFT, .start = START, .length = 0x2f0,
			  .nr_buckets = 3, .nr_rows = 3, .nr_rules = 3 },
		.buckets = { 0, 2, 2, 3 },
		.rows = { ROW(0x10, 1), ROW(0xff, 2), ROW(0x20, 0) },
		.rules = { { .cfa = OPROFILE_UW_CFA_NONE }, { .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = 8 },
			   { .cfa = OPROFILE_UW_CFA_FP, .cfa_offset = 16, .saved = OPROFILE_UW_AT_CFA,
			     .fp_offset = -2 } },
	};
}

static enum oprofile_uw_fault check(const struct table *table)
{
	return oprofile_uw_check(&table->head, sizeof(*table));
}

static void row_of_address_is_found(void **state)
{
	struct table t = valid_table();

	(void)state;
	assert_int_equal(check(&t), OPROFILE_UW_SOUND);
	assert_null(oprofile_uw_lookup(&t.head, START - 1));
	assert_null(oprofile_uw_lookup(&t.head, START));
	assert_null(oprofile_uw_lookup(&t.head, START + 0xf));
	assert_ptr_equal(oprofile_uw_lookup(&t.head, START + 0x10), &t.rules[1]);
	assert_ptr_equal(oprofile_uw_lookup(&t.head, START + 0xfe), &t.rules[1]);
	assert_ptr_equal(oprofile_uw_lookup(&t.head, START + 0xff), &t.rules[2]);
	/* In a bucket without rows, the last row of an earlier bucket applies. */
	assert_ptr_equal(oprofile_uw_lookup(&t.head, START + 0x180), &t.rules[2]);
	assert_ptr_equal(oprofile_uw_lookup(&t.head, START + 0x21f), &t.rules[2]);
	assert_null(oprofile_uw_lookup(&t.head, START + 0x220));
	assert_null(oprofile_uw_lookup(&t.head, START + 0x2f0));
	assert_null(oprofile_uw_lookup(&t.head, ~0ULL));
	t.rows[2] = ROW(0x20, 1);	/* the last row applies until the end of the table */
	assert_ptr_equal(oprofile_uw_lookup(&t.head, START + 0x2ef), &t.rules[1]);
	assert_null(oprofile_uw_lookup(&t.head, START + 0x2f0));
}

#define refused(fault, change)						\
	do {								\
		struct table t = valid_table();				\
									\
		change;							\
		assert_int_equal(check(&t), OPROFILE_UW_##fault);	\
	} while (0)

static void invalid_headers_are_refused(void **state)
{
	struct table good = valid_table();

	(void)state;
	assert_int_equal(oprofile_uw_check(&good.head, sizeof(good) - 1), OPROFILE_UW_FAULT_SIZE);
	assert_int_equal(oprofile_uw_check(&good.head, sizeof(good) + 1), OPROFILE_UW_FAULT_SIZE);
	assert_int_equal(oprofile_uw_check(&good.head, sizeof(good.head) - 1), OPROFILE_UW_FAULT_SIZE);
	assert_int_equal(oprofile_uw_check(&good.head, 0), OPROFILE_UW_FAULT_SIZE);
	refused(FAULT_VERSION, t.head.magic ^= 1);
	refused(FAULT_VERSION, t.head.version++);
	refused(FAULT_VERSION, t.head.reserved = 1);
	refused(FAULT_MACHINE, t.head.machine = 0);
	refused(FAULT_MACHINE, t.head.machine = 4);
	refused(FAULT_RANGE, t.head.bucket_shift = OPROFILE_UW_MIN_SHIFT - 1);
	refused(FAULT_RANGE, t.head.bucket_shift = OPROFILE_UW_MAX_SHIFT + 1);
	refused(FAULT_RANGE, t.head.bucket_shift = 255);
	refused(FAULT_RANGE, t.head.length = 0);
	refused(FAULT_RANGE, t.head.start = ~0ULL);
	refused(FAULT_BUCKETS, t.head.length = 0x301);
	refused(FAULT_BUCKETS, t.head.length = 0x200);
	refused(FAULT_BUCKETS, t.head.length = ~0ULL - START);
	refused(FAULT_BUCKETS, t.head.nr_buckets = 0);
	refused(FAULT_BUCKETS, t.head.nr_buckets = ~0U);
	refused(FAULT_ROWS, t.head.nr_rows = ~0U);
	refused(FAULT_SIZE, t.head.nr_rows++);
	refused(FAULT_RULES, t.head.nr_rules = ~0U);
	refused(FAULT_SIZE, t.head.nr_rules--);
}

static void invalid_rows_are_refused(void **state)
{
	(void)state;
	refused(FAULT_BUCKETS, t.buckets[0] = 1);
	/* the third row has a smaller address than the second row */
	refused(FAULT_ROWS, t.buckets[1] = 3);
	refused(FAULT_BUCKETS, t.buckets[2] = ~0U);
	refused(FAULT_BUCKETS, t.buckets[3] = 2);
	refused(FAULT_BUCKETS, t.buckets[3] = 4);
	refused(FAULT_ROWS, t.rows[0] = ROW(0xff, 1));
	refused(FAULT_ROWS, t.rows[0] = ROW(0x10, 3));
	refused(FAULT_ROWS, t.rows[1] = ROW(0x10, 2));
	refused(FAULT_ROWS, t.rows[2] = ROW(0x100, 0));
	refused(FAULT_RULES, t.rules[1].cfa = OPROFILE_UW_NR_CFA);
	refused(FAULT_RULES, t.rules[1].cfa_register = 16);
	refused(FAULT_RULES, t.rules[1].saved = OPROFILE_UW_RETURN);
	refused(FAULT_RULES, t.rules[1].saved = OPROFILE_UW_NR_SAVED << 4);
	refused(FAULT_RULES, (t.rules[1].saved = OPROFILE_UW_RETURN << 4, t.rules[1].other_offset = 16));
	refused(FAULT_RULES, (t.rules[1].saved = OPROFILE_UW_RETURN << 4, t.rules[1].other_offset = -1));
	refused(FAULT_RULES, (t.head.machine = OPROFILE_UW_I386, t.rules[1].cfa_register = 8));
	refused(SOUND, (t.head.machine = OPROFILE_UW_AARCH64, t.rules[1].cfa_register = 31));
}

/*
 * Random bytes are either refused, or accepted as a table in which every address can be looked up
 * without an invalid access (checked by ASan).
 */
static void random_bytes_are_refused_or_searchable(void **state)
{
	unsigned int seed = 1;
	int sounds = 0;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		struct table *t = malloc(sizeof(*t));

		assert_non_null(t);
		*t = valid_table();
		for (int i = 0; i < 2; i++) {
			seed = seed * 1103515245 + 12345;
			((unsigned char *)t)[(seed >> 8) % sizeof(*t)] = seed >> 16;
		}
		if (!check(t)) {
			sounds++;
			for (uint64_t at = t->head.start - 1; at != t->head.start + 0x310; at++)
				oprofile_uw_lookup(&t->head, at);
		}
		free(t);
	}
	assert_true(sounds > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(row_of_address_is_found),
		cmocka_unit_test(invalid_headers_are_refused),
		cmocka_unit_test(invalid_rows_are_refused),
		cmocka_unit_test(random_bytes_are_refused_or_searchable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
