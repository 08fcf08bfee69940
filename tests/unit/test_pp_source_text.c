// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_source_text.c -- tests the search for source files, refused files, printed lines, and the
 * output tree of annotated files.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "pp/annotate/source_text.h"
#include "pp/annotate/sources.h"
#include "pp/annotate/tree.h"

static const struct pp_reader reader = { .uid = 0 };

static char *path_in(const char *dir, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	return path;
}

static void write_file(const char *dir, const char *name, const char *text, size_t size)
{
	char *path = path_in(dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fwrite(text, 1, size, f);
	fclose(f);
	free(path);
}

static void make_dir(const char *dir, const char *name)
{
	char *path = path_in(dir, name);

	assert_int_equal(mkdir(path, 0755), 0);
	free(path);
}

static int read_source(const char *recorded, const struct pp_source_places *places)
{
	struct pp_source_text text = { 0 };
	int err = pp_source_text_read(&text, recorded, places, &reader);

	pp_source_text_release(&text);
	return err;
}

static void lines_are_split(void **state)
{
	const struct pp_source_places places = { 0 };
	char *path = path_in(*state, "a.c");
	struct pp_source_text text;
	const char *line;
	size_t len;

	write_file(*state, "a.c", "one\r\n\nthree", 11);
	assert_int_equal(pp_source_text_read(&text, path, &places, &reader), 0);
	assert_int_equal(text.nr, 3);
	line = pp_source_line(&text, 1, &len);
	assert_memory_equal(line, "one", 3);
	assert_int_equal(len, 3);
	assert_non_null(pp_source_line(&text, 2, &len));
	assert_int_equal(len, 0);
	line = pp_source_line(&text, 3, &len);
	assert_memory_equal(line, "three", 5);
	assert_int_equal(len, 5);
	assert_null(pp_source_line(&text, 4, &len));
	assert_null(pp_source_line(&text, 0, &len));
	pp_source_text_release(&text);
	free(path);
}

static void unreadable_sources_are_refused(void **state)
{
	const struct pp_source_places places = { 0 };
	char *fifo = path_in(*state, "fifo"), *binary = path_in(*state, "binary");
	char *huge = path_in(*state, "huge"), *empty = path_in(*state, "empty");

	assert_int_equal(mkfifo(fifo, 0644), 0);
	write_file(*state, "binary", "a\0b", 3);
	write_file(*state, "huge", "a", 1);
	write_file(*state, "empty", "", 0);
	assert_int_equal(truncate(huge, (off_t)PP_MAX_SOURCE + 1), 0);
	assert_int_equal(read_source(fifo, &places), -EINVAL);
	assert_int_equal(read_source("/dev/zero", &places), -EINVAL);
	assert_int_equal(read_source(*state, &places), -EINVAL);
	assert_int_equal(read_source(binary, &places), -EILSEQ);
	assert_int_equal(read_source(huge, &places), -EFBIG);
	assert_int_equal(read_source("/nowhere/a.c", &places), -ENOENT);
	assert_int_equal(read_source(empty, &places), 0);
	free(fifo);
	free(binary);
	free(huge);
	free(empty);
}

static void search_directories_are_tried_in_order(void **state)
{
	char *dir = path_in(*state, "moved");
	char *search_items[] = { dir }, *base_items[] = { (char *)"/build/x/" };
	const struct pp_values search = { search_items, 1 }, base = { base_items, 1 };
	struct pp_source_places places = { .search = &search };
	struct pp_source_text text;

	make_dir(*state, "moved");
	make_dir(*state, "moved/lib");
	write_file(*state, "moved/lib/a.c", "lib\n", 4);
	write_file(*state, "moved/a.c", "top\n", 4);
	/* If a source file was moved, the longest existing suffix of its recorded path is used. */
	assert_int_equal(pp_source_text_read(&text, "/build/x/lib/a.c", &places, &reader), 0);
	assert_memory_equal(text.data, "lib", 3);
	pp_source_text_release(&text);
	places.base = &base;
	assert_int_equal(pp_source_text_read(&text, "/build/x/a.c", &places, &reader), 0);
	assert_memory_equal(text.data, "top", 3);
	pp_source_text_release(&text);
	places.search = NULL;
	assert_int_equal(read_source("/build/x/a.c", &places), -ENOENT);
	places = (struct pp_source_places){ .root = *state };
	assert_int_equal(read_source("/moved/a.c", &places), 0);
	assert_string_equal(pp_source_below_base("/build/x/lib/a.c", &base), "lib/a.c");
	assert_string_equal(pp_source_below_base("/build/xy/a.c", &base), "build/xy/a.c");
	free(dir);
}

static void control_characters_are_replaced(void **state)
{
	static const char hostile[] = "a\033[2Jb\tc\302\233d\303\244\177";
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	pp_source_print(f, hostile, sizeof(hostile) - 1);
	fclose(f);
	assert_string_equal(text, "a?[2Jb\tc?d\303\244?");
	free(text);
}

static void expect_clean(const char *path, const char *expected)
{
	char *clean = pp_source_clean_path(path);

	assert_string_equal(clean, expected);
	free(clean);
}

static void expect_safe(const char *path, const char *expected)
{
	char *safe = pp_tree_safe_path(path);

	assert_string_equal(safe, expected);
	free(safe);
}

static void paths_are_normalized(void **state)
{
	(void)state;
	expect_clean("/a//b/./c.c", "/a/b/c.c");
	expect_clean("/a/b/../c.c", "/a/c.c");
	expect_clean("/../../c.c", "/c.c");
	expect_clean("../a/../../c.c", "../../c.c");
	expect_clean("a/../c.c", "c.c");
	expect_clean("./c.c", "c.c");
	expect_clean("", ".");
	expect_safe("/a/b.c", "a/b.c");
	expect_safe("../../etc/passwd", "etc/passwd");
	expect_safe("/a/../../b.c", "b.c");
	expect_safe("a/..", "_");
	expect_safe("/", "_");
}

static void files_are_written_only_below_tree(void **state)
{
	char *out = path_in(*state, "out/deep"), *source = path_in(*state, "s.c"), *path = NULL;
	struct pp_tree tree;
	struct stat st;

	write_file(*state, "s.c", "source\n", 7);
	assert_int_equal(stat(source, &st), 0);
	assert_int_equal(pp_tree_open(&tree, out), 0);
	assert_int_equal(pp_tree_write(&tree, "/x/../../../a.c", "A", 1, 0644, 0, 0, &path), 0);
	assert_string_equal(path, "a.c");
	free(path);
	/* A second file with the same name is written under another name. */
	assert_int_equal(pp_tree_write(&tree, "a.c", "B", 1, 0644, 0, 0, &path), 0);
	assert_string_equal(path, "a.c~2");
	free(path);
	/* Symbolic links are not followed, neither to directories nor to the file itself. */
	assert_int_equal(symlinkat("..", tree.fd, "up"), 0);
	assert_int_not_equal(pp_tree_write(&tree, "up/b.c", "B", 1, 0644, 0, 0, NULL), 0);
	assert_int_equal(symlinkat("../../s.c", tree.fd, "link.c"), 0);
	assert_int_equal(pp_tree_write(&tree, "link.c", "B", 1, 0644, st.st_dev, st.st_ino, NULL),
			 -EEXIST);
	assert_int_equal(pp_tree_write(&tree, "link.c", "B", 1, 0644, 0, 0, NULL), 0);
	assert_int_equal(stat(source, &st), 0);
	assert_int_equal(st.st_size, 7);
	pp_tree_close(&tree);
	/* An annotated file that would overwrite its own source file is refused. */
	assert_int_equal(pp_tree_open(&tree, *state), 0);
	assert_int_equal(pp_tree_write(&tree, "s.c", "B", 1, 0644, st.st_dev, st.st_ino, NULL), -EEXIST);
	pp_tree_close(&tree);
	free(out);
	free(source);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, check_make_dir, check_remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_are_split),
		TEST(unreadable_sources_are_refused),
		TEST(search_directories_are_tried_in_order),
		cmocka_unit_test(control_characters_are_replaced),
		cmocka_unit_test(paths_are_normalized),
		TEST(files_are_written_only_below_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
