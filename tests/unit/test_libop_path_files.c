// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_path_files.c -- tests file names of call path trees, and the names of the reasons why
 * a path ends.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/base/error.h"
#include "libop/session/path_files.h"
#include "module/uapi/unwind.h"

static const struct {
	struct op_sample_name name;
	const char *path;
} trees[] = {
	{ { .app = { .path = "/usr/bin/gcc" }, .event = "TIMER", .count = 1000000, .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL },
	  "paths/root/usr/bin/gcc/TIMER.1000000.0.all.all.all" },
	{ { .app = { .kind = OP_IMAGE_KERN, .path = "vmlinux" }, .event = "CYCLES", .count = 1, .um = 3, .tgid = 0, .tid = 0, .cpu = 5 },
	  "paths/kern/vmlinux/CYCLES.1.3.0.0.5" },
	{ { .app = { .path = "/a" }, .event = "E", .count = 5, .tgid = 12, .tid = 13, .cpu = OP_ALL },
	  "paths/root/a/E.5.0.12.13.all" },
	{ { .app = { .path = "/kern/frames/paths" }, .event = "E", .count = 5, .tgid = 12, .tid = 13, .cpu = OP_ALL },
	  "paths/root/kern/frames/paths/E.5.0.12.13.all" },
	{ { .app = { .path = "/usr/bin/gcc", .unit = "/a.slice/{dep}" }, .event = "E", .count = 5, .tgid = OP_ALL, .tid = OP_ALL, .cpu = 3 },
	  "paths/unit/a.slice/%7Bdep}/{root}/usr/bin/gcc/E.5.0.all.all.3" },
	{ { .app = { .path = "/a", .unit = "/" }, .event = "E", .count = 5, .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL },
	  "paths/unit/{root}/a/E.5.0.all.all.all" },
	{ { .app = { .kind = OP_IMAGE_KERN, .path = "vmlinux", .unit = "/b" }, .event = "E", .count = 5, .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL },
	  "paths/unit/b/{kern}/vmlinux/E.5.0.all.all.all" },
};

static void tree_names_are_parsed_as_made(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		const struct op_sample_name *name = &trees[i].name;
		struct op_sample_name back;
		char *path;

		assert_int_equal(op_tree_name(&path, name), 0);
		assert_string_equal(path, trees[i].path);
		assert_int_equal(op_tree_unname(&back, path), 0);
		assert_int_equal(back.app.kind, name->app.kind);
		assert_string_equal(back.app.path, name->app.path);
		assert_string_equal(back.app.unit ? back.app.unit : "none", name->app.unit ? name->app.unit : "none");
		assert_null(back.image.path);
		assert_null(back.callee.path);
		assert_string_equal(back.event, name->event);
		assert_int_equal(back.count, name->count);
		assert_int_equal(back.um, name->um);
		assert_int_equal(back.tgid, name->tgid);
		assert_int_equal(back.tid, name->tid);
		assert_int_equal(back.cpu, name->cpu);
		op_sample_name_release(&back);
		free(path);
	}
}

/*
 * The name of a tree is made only from some members of a sample file's name; the other members are
 * ignored.
 */
static void other_parts_of_sample_name_are_ignored(void **state)
{
	struct op_sample_name name = trees[0].name;
	char *path;

	(void)state;
	name.image = (struct op_image_name){ .path = "/lib/x" };
	name.callee = name.image;
	assert_int_equal(op_tree_name(&path, &name), 0);
	assert_string_equal(path, trees[0].path);
	free(path);
}

static void names_of_other_files_are_refused(void **state)
{
	static const char *const none[] = {
		"", "paths", "paths/", "paths/frames", "paths/images", "paths/root", "paths/root/E.1.0.all.all.all",
		"paths/rooted/a/E.1.0.all.all.all", "{root}/a/{dep}/{root}/a/E.1.0.all.all.all",
		"paths/root//a/E.1.0.all.all.all", "paths/root/a/../b/E.1.0.all.all.all", "paths/kern/E.1.0.all.all.all",
		"paths/kern/a/b/E.1.0.all.all.all", "paths/root/a/E.1.0.all.all", "paths/root/a/E.1.0.all.all.all/",
		"paths/unit/a/E.1.0.all.all.all", "paths/unit/a/{root}/E.1.0.all.all.all", "paths/unita/{root}/a/E.1.0.all.all.all",
		"paths/unit/a/{root}/b/{dep}/{root}/c/{cg}/{root}/d/E.1.0.all.all.all",
		"paths/unit/a/../{root}/b/E.1.0.all.all.all",
		"paths/root/a/{dep}/{root}/b/E.1.0.all.all.all", "paths/root/{cg}/E.1.0.all.all.all",
	};
	struct op_sample_name name = { .app = { .kind = OP_IMAGE_ANON, .path = "x" }, .event = "E" };
	char *path;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(op_tree_unname(&name, none[i]), OP_ERR_NAME);
	assert_int_equal(op_tree_name(&path, &name), -EINVAL);
}

static void end_reasons_have_texts(void **state)
{
	(void)state;
	assert_null(op_path_end_words(OPROFILE_UW_HOW_TABLE));
	assert_null(op_path_end_words(OPROFILE_UW_HOW_FP));
	assert_null(op_path_end_words(OPROFILE_UW_HOW_KERNEL));
	assert_null(op_path_end_words(OPROFILE_UW_HOW_ENDS + OPROFILE_UW_GOES_ON));
	assert_null(op_path_end_words(OPROFILE_UW_HOW_ENDS + OPROFILE_UW_WHOLE));
	assert_string_equal(op_path_end_words(OPROFILE_UW_HOW_ENDS + OPROFILE_UW_NO_TABLE), "table not loaded yet");
	assert_string_equal(op_path_end_words(OPROFILE_UW_HOW_ENDS + OPROFILE_UW_NOT_TAKEN), "no stack with the sample");
	assert_null(op_path_end_words(OPROFILE_UW_HOW_ENDS + OPROFILE_UW_NR_ENDS));
	assert_null(op_path_end_words(UINT16_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree_names_are_parsed_as_made),
		cmocka_unit_test(other_parts_of_sample_name_are_ignored),
		cmocka_unit_test(names_of_other_files_are_refused),
		cmocka_unit_test(end_reasons_have_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
