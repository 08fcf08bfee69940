// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_abi.c -- tests that the abi file, from which opimport learns the layout of sample
 * files, describes libdb's actual layout.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <string.h>

#include "libdb/layout.h"
#include "libop/session/abi.h"
#include "libop/base/fs.h"

static unsigned long item(const char *text, const char *name)
{
	const char *line = text;
	size_t len = strlen(name);

	while (line && (strncmp(line, name, len) || line[len] != ' ')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		fail_msg("no %s", name);
	return strtoul(line + len, NULL, 10);
}

static void test_abi_file_has_type_sizes(void **state)
{
	int dir = check_open_dir(state);
	size_t len;
	char *text;

	assert_int_equal(op_abi_write(dir, "abi"), 0);
	assert_int_equal(op_read_file(dir, "abi", 10000, &text, &len), 0);
	assert_int_equal(item(text, "sizeof_odb_descr_t"), sizeof(struct odb_descr));
	assert_int_equal(item(text, "sizeof_odb_node_t"), sizeof(struct odb_node));
	assert_int_equal(item(text, "sizeof_odb_key_t"), sizeof(((struct odb_node *)0)->key));
	assert_int_equal(item(text, "sizeof_odb_value_t"), sizeof(((struct odb_node *)0)->value));
	assert_int_equal(item(text, "offsetof_node_key"), offsetof(struct odb_node, key));
	assert_int_equal(item(text, "offsetof_node_value"), offsetof(struct odb_node, value));
	assert_int_equal(item(text, "offsetof_node_next"), offsetof(struct odb_node, next));
	assert_int_equal(item(text, "offsetof_descr_size"), offsetof(struct odb_descr, size));
	assert_int_equal(item(text, "offsetof_descr_current_size"),
			 offsetof(struct odb_descr, current_size));
	assert_int_equal(item(text, "sizeof_struct_opd_header"), 72);
	/* OProfile 1.4's opimport refuses an abi file without these entries. */
	assert_int_equal(item(text, "sizeof_u64"), 8);
	assert_int_equal(item(text, "offsetof_header_magic"), 0);
	assert_int_equal(item(text, "offsetof_header_version"), 4);
	assert_int_equal(item(text, "offsetof_header_cpu_speed"), 32);
	assert_int_equal(item(text, "offsetof_header_cg_to_anon_start"), 64);
	assert_int_equal(item(text, "little_endian"), __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	free(text);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = { test_in_dir(test_abi_file_has_type_sizes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
