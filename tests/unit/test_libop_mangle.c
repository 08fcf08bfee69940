// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_mangle.c -- tests names of sample files: creating, parsing, and refusing names that
 * are ambiguous or lead outside of the session.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <limits.h>

#include "libop/base/error.h"
#include "libop/session/mangle.h"

static struct op_sample_name example(void)
{
	return (struct op_sample_name){
		.app = { .kind = OP_IMAGE_ROOT, .path = (char *)"/usr/bin/ls" },
		.image = { .kind = OP_IMAGE_ROOT, .path = (char *)"/usr/lib/libc.so.6" },
		.event = (char *)"TIMER",
		.count = 1000000,
		.tgid = OP_ALL,
		.tid = OP_ALL,
		.cpu = OP_ALL,
	};
}

/* Check that @name is converted to @expected, and that @expected is parsed to @name. */
static void check_name(const struct op_sample_name *name, const char *expected)
{
	struct op_sample_name back;
	char *path, *again;

	assert_int_equal(op_mangle(&path, name), 0);
	assert_string_equal(path, expected);
	assert_int_equal(op_unmangle(&back, path), 0);
	assert_int_equal(back.app.kind, name->app.kind);
	assert_string_equal(back.app.path, name->app.path);
	assert_int_equal(back.image.kind, name->image.kind);
	assert_string_equal(back.image.path, name->image.path);
	assert_int_equal(back.image.anon_tgid, name->image.anon_tgid);
	assert_true(back.image.anon_start == name->image.anon_start);
	assert_true(back.image.anon_end == name->image.anon_end);
	assert_int_equal(back.image.anon_program, name->image.anon_program);
	assert_int_equal(!back.callee.path, !name->callee.path);
	assert_string_equal(back.event, name->event);
	assert_true(back.count == name->count);
	assert_int_equal(back.um, name->um);
	assert_int_equal(back.tgid, name->tgid);
	assert_int_equal(back.tid, name->tid);
	assert_int_equal(back.cpu, name->cpu);
	assert_int_equal(op_mangle(&again, &back), 0);
	assert_string_equal(again, path);
	op_sample_name_release(&back);
	op_sample_name_release(&back);
	free(again);
	free(path);
}

static void test_names_of_files(void **state)
{
	struct op_sample_name n = example();

	(void)state;
	check_name(&n, "{root}/usr/bin/ls/{dep}/{root}/usr/lib/libc.so.6/TIMER.1000000.0.all.all.all");
	n.tgid = 4242;
	n.tid = 4243;
	n.cpu = 0;
	n.um = UINT32_MAX;
	n.image.path = (char *)"/a b/c.d (deleted)";
	check_name(&n, "{root}/usr/bin/ls/{dep}/{root}/a b/c.d (deleted)/"
		       "TIMER.1000000.4294967295.4242.4243.0");
}

static void test_names_of_kernel_images(void **state)
{
	struct op_sample_name n = example();

	(void)state;
	n.image = (struct op_image_name){ .kind = OP_IMAGE_KERN, .path = (char *)"no-vmlinux" };
	check_name(&n, "{root}/usr/bin/ls/{dep}/{kern}/no-vmlinux/TIMER.1000000.0.all.all.all");
	n.app = n.image;
	check_name(&n, "{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/TIMER.1000000.0.all.all.all");
}

static void test_names_of_anonymous_memory(void **state)
{
	static const char *const unnumbered[] = { "a~", "~1", "a~0", "a~01", "a~1b", "a~1234567890" };
	char *path;
	struct op_sample_name n = example();

	(void)state;
	n.image = (struct op_image_name){
		.kind = OP_IMAGE_ANON,
		.path = (char *)"[heap]",
		.anon_tgid = 77,
		.anon_start = 0x55550000,
		.anon_end = UINT64_MAX,
	};
	check_name(&n, "{root}/usr/bin/ls/{dep}/{anon:[heap]}/77.0x55550000.0xffffffffffffffff/"
		       "TIMER.1000000.0.all.all.all");
	n.image.path = (char *)"a}b";
	check_name(&n, "{root}/usr/bin/ls/{dep}/{anon:a}b}/77.0x55550000.0xffffffffffffffff/"
		       "TIMER.1000000.0.all.all.all");
	n.image.anon_program = 12;
	check_name(&n, "{root}/usr/bin/ls/{dep}/{anon:a}b~12}/77.0x55550000.0xffffffffffffffff/"
		       "TIMER.1000000.0.all.all.all");
	/* A label of anonymous memory need not end in a number. */
	n.image.anon_program = 0;
	for (size_t i = 0; i < sizeof(unnumbered) / sizeof(unnumbered[0]); i++) {
		char expected[128];

		n.image.path = (char *)unnumbered[i];
		snprintf(expected, sizeof(expected), "{root}/usr/bin/ls/{dep}/{anon:%s}/77.0x55550000.0xffffffffffffffff/"
			 "TIMER.1000000.0.all.all.all", unnumbered[i]);
		check_name(&n, expected);
	}
	n.image.path = (char *)"a~1";
	assert_int_equal(op_mangle(&path, &n), -EINVAL);
}

/*
 * A directory or program whose name looks like a mark such as {root} or {dep} is not mistaken for
 * the mark.
 */
static void test_names_like_marks_are_escaped(void **state)
{
	struct op_sample_name n = example();

	(void)state;
	n.app.path = (char *)"/{root}/{dep}";
	n.image.path = (char *)"/x/{anon:y}/{dep/%7Bx}/{cg}/{kern}";
	check_name(&n, "{root}/%7Broot}/%7Bdep}/{dep}/{root}/x/%7Banon:y}/{dep/%7Bx}/%7Bcg}/%7Bkern}/"
		       "TIMER.1000000.0.all.all.all");
	n.app.path = (char *)"/%7Broot}/%257Bdep}/%25";
	check_name(&n, "{root}/%257Broot}/%25257Bdep}/%25/{dep}/{root}/x/%7Banon:y}/{dep/%7Bx}/%7Bcg}/%7Bkern}/"
		       "TIMER.1000000.0.all.all.all");
}

static void test_names_of_call_graph_arcs(void **state)
{
	struct op_sample_name n = example();

	(void)state;
	n.callee = (struct op_image_name){ .kind = OP_IMAGE_KERN, .path = (char *)"ext4" };
	check_name(&n, "{root}/usr/bin/ls/{dep}/{root}/usr/lib/libc.so.6/{cg}/{kern}/ext4/"
		       "TIMER.1000000.0.all.all.all");
}

static void expect_refused(const struct op_sample_name *name)
{
	char *path = (char *)"untouched";

	assert_int_equal(op_mangle(&path, name), -EINVAL);
	assert_string_equal(path, "untouched");
}

static void test_invalid_names_are_not_mangled(void **state)
{
	static const char *const bad_paths[] = {
		"", "relative", "/", "/a/", "//a", "/a//b", "/a/../b", "/..", "/a/./b",
	};
	static const char *const bad_events[] = { "", "A.B", "A/B", "..", "{dep}" };
	struct op_sample_name n;

	(void)state;
	for (size_t i = 0; i < sizeof(bad_paths) / sizeof(*bad_paths); i++) {
		n = example();
		n.app.path = (char *)bad_paths[i];
		expect_refused(&n);
		n = example();
		n.image.path = (char *)bad_paths[i];
		expect_refused(&n);
	}
	for (size_t i = 0; i < sizeof(bad_events) / sizeof(*bad_events); i++) {
		n = example();
		n.event = (char *)bad_events[i];
		expect_refused(&n);
	}
	n = example();
	n.image = (struct op_image_name){ .kind = OP_IMAGE_KERN, .path = (char *)"a/b" };
	expect_refused(&n);
	n.image.path = (char *)"..";
	expect_refused(&n);
	n = example();
	n.app = (struct op_image_name){ .kind = OP_IMAGE_ANON, .path = (char *)"x" };
	expect_refused(&n);
	n = example();
	n.image.kind = OP_IMAGE_ANON;
	n.image.path = (char *)"a/b";
	expect_refused(&n);
	n = example();
	n.image.path = NULL;
	expect_refused(&n);
	n = example();
	n.cpu = -2;
	expect_refused(&n);
}

#define EV "TIMER.1.0.all.all.all"
static const char *const no_names[] = {
	"",
	"/",
	EV,
	"{root}",
	"{root}/",
	"{root}/{dep}/{root}/x/" EV,
	"{root}/x/" EV,				/* refused: a name without {dep} */
	"{root}/x/{dep}/" EV,
	"{root}/x/{dep}/{root}/" EV,
	"{root}/x/{dep}/{root}/y",
	"{root}/x/{dep}/{root}/y/",
	"{root}/x/{dep}/{root}/y/" EV "/",
	"/{root}/x/{dep}/{root}/y/" EV,
	"{other}/x/{dep}/{root}/y/" EV,
	"x/{dep}/{root}/y/" EV,
	"{root}//x/{dep}/{root}/y/" EV,
	"{root}/x//{dep}/{root}/y/" EV,
	"{root}/../x/{dep}/{root}/y/" EV,
	"{root}/x/{dep}/{root}/../../y/" EV,
	"{root}/x/{dep}/{root}/./y/" EV,
	"{root}/x/{dep}/{dep}/{root}/y/" EV,
	"{root}/x/{dep}/{root}/y/{dep}/{root}/z/" EV,
	"{root}/x/{cg}/{root}/y/{dep}/{root}/z/" EV,
	"{root}/x/{dep}/{root}/y/{cg}/" EV,
	"{root}/x/{dep}/{root}/y/{cg}/{root}/z/{cg}/{root}/z/" EV,
	"{kern}/a/b/{dep}/{kern}/y/" EV,
	"{kern}/a/{dep}/{kern}/" EV,
	"{anon:x}/1.0x1.0x2/{dep}/{root}/y/" EV,
	"{root}/x/{dep}/{anon:}/1.0x1.0x2/" EV,
	"{root}/x/{dep}/{anon:a/1.0x1.0x2/" EV,
	"{root}/x/{dep}/{anon:a}/" EV,
	"{root}/x/{dep}/{anon:a}/1.0x1/" EV,
	"{root}/x/{dep}/{anon:a}/1.0x1.0x2.0x3/" EV,
	"{root}/x/{dep}/{anon:a}/1.1.2/" EV,
	"{root}/x/{dep}/{anon:a}/1.0x.0x2/" EV,
	"{root}/x/{dep}/{anon:a}/1.0x1.0xABC/" EV,
	"{root}/x/{dep}/{anon:a}/1.0x1.0x10000000000000000/" EV,
	"{root}/x/{dep}/{anon:a}/2147483648.0x1.0x2/" EV,
	"{root}/x/{dep}/{anon:a}/1.0x1.0x2/more/" EV,
	"{root}/x/{dep}/{root}/y/TIMER.1.0.all.all",
	"{root}/x/{dep}/{root}/y/TIMER.1.0.all.all.all.all",
	"{root}/x/{dep}/{root}/y/.1.0.all.all.all",
	"{root}/x/{dep}/{root}/y/T..0.all.all.all",
	"{root}/x/{dep}/{root}/y/T.-1.0.all.all.all",
	"{root}/x/{dep}/{root}/y/T.+1.0.all.all.all",
	"{root}/x/{dep}/{root}/y/T. 1.0.all.all.all",
	"{root}/x/{dep}/{root}/y/T.01.0.all.all.all",
	"{root}/x/{dep}/{root}/y/T.18446744073709551616.0.all.all.all",
	"{root}/x/{dep}/{root}/y/T.99999999999999999999999999.0.all.all.all",
	"{root}/x/{dep}/{root}/y/T.1.4294967296.all.all.all",
	"{root}/x/{dep}/{root}/y/T.1.0.2147483648.all.all",
	"{root}/x/{dep}/{root}/y/T.1.0.-1.all.all",
	"{root}/x/{dep}/{root}/y/T.1.0.All.all.all",
	"{root}/x/{dep}/{root}/y/1.jo",
};

static void test_invalid_paths_are_not_unmangled(void **state)
{
	struct op_sample_name name = { .um = 42 };

	(void)state;
	for (size_t i = 0; i < sizeof(no_names) / sizeof(*no_names); i++) {
		if (op_unmangle(&name, no_names[i]) != OP_ERR_NAME)
			fail_msg("accepted \"%s\"", no_names[i]);
		assert_int_equal(name.um, 42);
	}
}

static void test_largest_numbers_are_parsed(void **state)
{
	struct op_sample_name name;

	(void)state;
	assert_int_equal(op_unmangle(&name, "{root}/x/{dep}/{root}/y/"
				     "T.18446744073709551615.4294967295.2147483647.0.2147483647"), 0);
	assert_true(name.count == UINT64_MAX);
	assert_int_equal(name.um, UINT32_MAX);
	assert_int_equal(name.tgid, INT_MAX);
	assert_int_equal(name.tid, 0);
	op_sample_name_release(&name);
}

static void test_names_with_units(void **state)
{
	static const char *const units[][2] = {
		{ "/", "" },
		{ "/system.slice/a.service", "/system.slice/a.service" },
		{ "/a\nb/{dep}/%x", "/a\nb/%7Bdep}/%x" },
		{ "/{root}/{unit}/%7Broot}", "/%7Broot}/%7Bunit}/%257Broot}" },
	};
	static const char *const invalid[] = { "", "a", "/a/", "//a", "/a/../b", "/." };
	struct op_sample_name n = example(), back;
	char *path;

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		char expected[256];

		n.app.unit = (char *)units[i][0];
		snprintf(expected, sizeof(expected), "{unit}%s/{root}/usr/bin/ls/{dep}/{root}"
			 "/usr/lib/libc.so.6/TIMER.1000000.0.all.all.all", units[i][1]);
		check_name(&n, expected);
		assert_int_equal(op_unmangle(&back, expected), 0);
		assert_string_equal(back.app.unit, units[i][0]);
		op_sample_name_release(&back);
	}
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		n.app.unit = (char *)invalid[i];
		assert_int_equal(op_mangle(&path, &n), -EINVAL);
	}
	n.app = (struct op_image_name){ .kind = OP_IMAGE_KERN, .path = (char *)"no-vmlinux",
					.unit = (char *)"/a" };
	n.image = n.app;
	check_name(&n, "{unit}/a/{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/TIMER.1000000.0.all.all.all");
	assert_int_equal(op_unmangle(&back, "{unit}/a/TIMER.1000000.0.all.all.all"), OP_ERR_NAME);
	assert_int_equal(op_unmangle(&back, "{unit}/{unit}/{root}/a/{dep}/{root}/a/T.1.0.all.all.all"),
			 OP_ERR_NAME);
	assert_int_equal(op_unmangle(&back, "{unit}/a/../{root}/a/{dep}/{root}/a/T.1.0.all.all.all"),
			 OP_ERR_NAME);
	assert_int_equal(op_unmangle(&back, "{root}/a/{dep}/{unit}/b/{root}/a/T.1.0.all.all.all"),
			 OP_ERR_NAME);
}

static void test_names_of_wakers(void **state)
{
	static const char *const woken[][2] = {
		{ OP_WOKEN_KERNEL, "/" }, { "/usr/bin/psql", "/usr/bin/psql/" },
		{ "/{woken}/{unit}", "/%7Bwoken}/%7Bunit}/" }, { "/a b (deleted)", "/a b (deleted)/" },
	};
	static const char *const invalid[] = { "", "psql", "/a/", "//", "/../a" };
	struct op_sample_name n = example(), back;
	char expected[300], *path;

	(void)state;
	for (size_t i = 0; i < sizeof(woken) / sizeof(woken[0]); i++) {
		n.woken = (char *)woken[i][0];
		snprintf(expected, sizeof(expected), "{woken}%s{root}/usr/bin/ls/{dep}/{root}"
			 "/usr/lib/libc.so.6/TIMER.1000000.0.all.all.all", woken[i][1]);
		check_name(&n, expected);
		assert_int_equal(op_unmangle(&back, expected), 0);
		assert_string_equal(back.woken, woken[i][0]);
		op_sample_name_release(&back);
	}
	n.app.unit = (char *)"/a.service";
	check_name(&n, "{woken}/a b (deleted)/{unit}/a.service/{root}/usr/bin/ls/{dep}/{root}"
		       "/usr/lib/libc.so.6/TIMER.1000000.0.all.all.all");
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		n.woken = (char *)invalid[i];
		assert_int_equal(op_mangle(&path, &n), -EINVAL);
	}
	assert_int_equal(op_unmangle(&back, "{woken}/a/T.1.0.all.all.all"), OP_ERR_NAME);
	assert_int_equal(op_unmangle(&back, "{woken}/{woken}/{root}/a/{dep}/{root}/a/T.1.0.all.all.all"),
			 OP_ERR_NAME);
	assert_int_equal(op_unmangle(&back, "{woken}/a/../{root}/a/{dep}/{root}/a/T.1.0.all.all.all"),
			 OP_ERR_NAME);
	assert_int_equal(op_unmangle(&back, "{unit}/b/{woken}/a/{root}/a/{dep}/{root}/a/T.1.0.all.all.all"),
			 OP_ERR_NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_files),
		cmocka_unit_test(test_names_of_kernel_images),
		cmocka_unit_test(test_names_with_units),
		cmocka_unit_test(test_names_of_wakers),
		cmocka_unit_test(test_names_of_anonymous_memory),
		cmocka_unit_test(test_names_like_marks_are_escaped),
		cmocka_unit_test(test_names_of_call_graph_arcs),
		cmocka_unit_test(test_invalid_names_are_not_mangled),
		cmocka_unit_test(test_invalid_paths_are_not_unmangled),
		cmocka_unit_test(test_largest_numbers_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
