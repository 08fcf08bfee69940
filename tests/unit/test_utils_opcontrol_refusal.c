// SPDX-License-Identifier: GPL-2.0-or-later
/* test_utils_opcontrol_refusal.c -- tests keeping the kernel's reason against the module. */
#include "config.h"
#include "tests/unit/check.h"

#include <sys/stat.h>

#include "libop/base/fs.h"
#include "utils/opcontrol/refusal.h"

static void write_file(void **state, const char *path, const char *text)
{
	int dir = check_open_dir(state);

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	assert_int_equal(op_replace_file(dir, path, text, strlen(text), 0644), 0);
	close(dir);
}

static void reason_belongs_to_one_file(void **state)
{
	char file[300], other[300], text[100] = "x";

	snprintf(file, sizeof(file), "%s/oprofile.ko", (char *)*state);
	snprintf(other, sizeof(other), "%s/other.ko", (char *)*state);
	write_file(state, "oprofile.ko", "ELF");
	write_file(state, "other.ko", "ELF");
	/* Without /run, nothing is kept, and nothing fails. */
	ctl_refusal_keep(*state, file, "no such place");
	assert_false(ctl_refusal_read(text, sizeof(text), *state, file));
	ctl_refusal_forget(*state);
	write_file(state, "run/other", "");
	ctl_refusal_keep(*state, file, "the kernel's reason");
	assert_true(ctl_refusal_read(text, sizeof(text), *state, file));
	assert_string_equal(text, "the kernel's reason");
	assert_false(ctl_refusal_read(text, sizeof(text), *state, other));
	assert_true(ctl_refusal_read(text, 5, *state, file));
	assert_string_equal(text, "the ");
	ctl_refusal_forget(*state);
	assert_false(ctl_refusal_read(text, sizeof(text), *state, file));
}

static void damaged_file_is_no_reason(void **state)
{
	char file[300], text[100];
	static const char *const contents[] = { "", "\n", "1 2 3\n", "1 2 3.4\nreason\n", "reason" };

	snprintf(file, sizeof(file), "%s/oprofile.ko", (char *)*state);
	write_file(state, "oprofile.ko", "ELF");
	for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
		write_file(state, "run/oprofile-module.refused", contents[i]);
		assert_false(ctl_refusal_read(text, sizeof(text), *state, file));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(reason_belongs_to_one_file),
		test_in_dir(damaged_file_is_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
