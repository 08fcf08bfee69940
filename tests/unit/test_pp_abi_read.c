// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_abi_read.c -- tests that the daemon's abi file describes the layout that opimport assumes
 * for this machine, and that hostile abi files cause no access outside of a record.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <string.h>

#include "libop/session/abi.h"
#include "libop/base/fs.h"
#include "libop/session/sample_header.h"
#include "pp/archive/abi_read.h"
#include "tests/unit/pp_log.h"

static char *own_abi(void **state)
{
	int dir = check_open_dir(state);
	size_t len;
	char *text;

	assert_int_equal(op_abi_write(dir, "abi"), 0);
	assert_int_equal(op_read_file(dir, "abi", 10000, &text, &len), 0);
	close(dir);
	return text;
}

static void test_own_abi_is_read(void **state)
{
	struct check_log log = check_log();
	struct pp_abi abi, native;
	char *text = own_abi(state);

	pp_abi_native(&native);
	assert_int_equal(pp_abi_parse(&abi, text, "abi", &log.log), 0);
	assert_true(pp_abi_same(&abi, &native));
	free(text);
}

static void test_numbers_of_both_byte_orders_are_read(void **state)
{
	struct op_sample_header header = { .anon_start = 0x7f0012345678, .ctr_um = 77 };
	struct pp_abi abi;

	(void)state;
	pp_abi_native(&abi);
	assert_true(pp_abi_get(&abi, &abi.anon_start, &header) == 0x7f0012345678);
	assert_int_equal(pp_abi_get(&abi, &abi.ctr_um, &header), 77);
	abi.little_endian = !abi.little_endian;
	assert_int_equal(pp_abi_get(&abi, &abi.ctr_um, &header), 77 << 24);
}

/*
 * If one number of the abi file is changed, the file is refused, or every field still lies inside
 * its record.
 */
static void test_random_values_are_read(void **state)
{
	static const char *const numbers[] = { "0", "1", "3", "7", "8", "15", "31", "71", "72",
					       "4095", "4096", "4097", "4294967295" };
	char *own = own_abi(state);

	for (const char *line = own; *line; line = strchr(line, '\n') + 1) {
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			size_t before = strchr(line, ' ') + 1 - own;
			struct check_log log = check_log();
			struct pp_abi abi;
			char *text;

			assert_true(asprintf(&text, "%.*s%s%s", (int)before, own, numbers[i],
					     strchr(line, '\n')) > 0);
			if (!pp_abi_parse(&abi, text, "abi", &log.log)) {
				assert_true(abi.key.offset + abi.key.size <= abi.node_size);
				assert_true(abi.value.offset + abi.value.size <= abi.node_size);
				assert_true(abi.mtime.offset + abi.mtime.size <= abi.header_size);
				assert_true(abi.cg_to_anon_start.offset +
					    abi.cg_to_anon_start.size <= abi.header_size);
				assert_true(abi.current_size.offset + abi.current_size.size <=
					    abi.descr_size);
				assert_true(abi.key.size == 1 || abi.key.size == 2 ||
					    abi.key.size == 4 || abi.key.size == 8);
			}
			free(text);
		}
	}
	free(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_own_abi_is_read),
		cmocka_unit_test(test_numbers_of_both_byte_orders_are_read),
		test_in_dir(test_random_values_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
