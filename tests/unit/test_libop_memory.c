// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_memory.c -- each allocation of libop fails once: -ENOMEM, nothing leaked (ASan looks),
 * and out-parameters as they were.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <string.h>

#include "libop/event_spec.h"
#include "libop/kernel_syms.h"
#include "libop/mangle.h"
#include "libop/session_paths.h"
#include "libop/session_stats.h"
#include "tests/fault/fault.h"

static int mangle(int dir)
{
	static const char path[] = "{root}/a/{dep}/{root}/b/{cg}/{anon:x}/1.0x1.0x2/E.1.2.3.4.5";
	struct op_sample_name name = { .um = 42 };
	char *again;
	int err;

	(void)dir;
	err = op_unmangle(&name, path);
	if (err) {
		assert_int_equal(name.um, 42);
		return err;
	}
	err = op_mangle(&again, &name);
	if (!err) {
		assert_string_equal(again, path);
		free(again);
	}
	op_sample_name_release(&name);
	return err;
}

static int event_spec(int dir)
{
	struct op_event_spec spec = { .um = 42 };
	int err = op_event_spec_parse(&spec, "X:1:2");

	(void)dir;
	assert_int_equal(spec.um, err ? 42 : 2);
	if (!err)
		op_event_spec_release(&spec);
	return err;
}

static int session_paths(int dir)
{
	struct op_session_paths p;
	int err = op_session_paths_init(&p, "x");

	(void)dir;
	if (!err)
		op_session_paths_release(&p);
	return err;
}

static int session_stats(int dir)
{
	struct op_session_stats s = { 0 }, r = { 0 };
	int err = op_session_stats_add(&s, "stored", 1);

	if (!err)
		err = op_session_stats_add(&s, "unknown", 2);
	if (!err)
		err = op_session_stats_write(&s, dir);
	if (!err)
		err = op_session_stats_read(&r, dir);
	assert_int_equal(r.nr, err ? 0 : 2);
	op_session_stats_release(&s);
	op_session_stats_release(&r);
	return err;
}

static int kernel_syms(int dir)
{
	struct op_kernel_syms s = { 0 }, r = { 0 };
	int err = op_kernel_syms_set_release(&s, "6"), i;

	for (i = 0; i < 3 && !err; i++) {
		err = op_kernel_syms_add_image(&s, "x", 1);
		if (!err)
			err = op_kernel_syms_add_symbol(&s, 1, 't', "y");
	}
	if (!err)
		err = op_kernel_syms_write(&s, dir);
	if (!err)
		err = op_kernel_syms_read(&r, dir);
	assert_int_equal(r.nr_images, err ? 0 : 3);
	op_kernel_syms_release(&s);
	op_kernel_syms_release(&r);
	return err;
}

static void fail_each(void **state, int (*run)(int dir))
{
	int dir = check_open_dir(state), err;
	long n;

	for (n = 1;; n++) {
		fault_arm(n, EIO);
		err = run(dir);
		if (!fault_disarm())
			break;
		assert_int_equal(err, -ENOMEM);
	}
	assert_int_equal(err, 0);
	assert_true(n > 1);
	close(dir);
}

#define TEST(f) static void test_##f(void **state) { fail_each(state, f); }
TEST(mangle)
TEST(event_spec)
TEST(session_paths)
TEST(session_stats)
TEST(kernel_syms)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_mangle),
		test_in_dir(test_event_spec),
		test_in_dir(test_session_paths),
		test_in_dir(test_session_stats),
		test_in_dir(test_kernel_syms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
