// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_path_images.c -- tests the session's file that numbers the images of call paths. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "libdb/frames.h"
#include "libdb/odb.h"
#include "libop/session/path_images.h"

static const struct op_path_image images[] = {
	{ { .path = "/usr/bin/a b" }, { 0x12345678, 1001 }, 1700000000, false },
	{ { .path = "/odd\nname\\n\\" }, { 1, 0 }, 0, false },
	{ { .kind = OP_IMAGE_KERN, .path = "vmlinux" }, { 0, 0 }, 0, true },
	{ { .path = "/boot/vmlinux" }, { 5, 1 }, 9, true },
	{ { .kind = OP_IMAGE_ANON, .path = "anon", .anon_tgid = 77, .anon_start = 0x1000, .anon_end = 0xfffffffffffff000 },
	  { 0, 0 }, 0, false },
	{ { .path = "/usr/bin/a b" }, { 0x12345679, 1001 }, 1700000000, false },
};
#define NR	(sizeof(images) / sizeof(images[0]))

static uint64_t frames_id;

/*
 * Return a descriptor of a samples directory with an empty list of images, which belongs to the
 * file of frames with the id frames_id.
 */
static int make_samples_dir(void **state)
{
	int dir = check_open_dir(state), fd;
	struct frames *frames;

	assert_int_equal(mkdirat(dir, "paths", 0755), 0);
	fd = openat(dir, "paths/frames", O_RDWR | O_CREAT, 0600);
	assert_int_equal(frames_open(&frames, fd, ODB_WRITE, 1), 0);
	frames_id = frames_generation(frames);
	frames_close(frames);
	return dir;
}

static void append_text(int dir, const char *text)
{
	int fd = openat(dir, OP_PATH_IMAGES_FILE, O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void expect_image(const struct op_path_image *a, const struct op_path_image *b)
{
	assert_non_null(a);
	assert_int_equal(a->name.kind, b->name.kind);
	assert_string_equal(a->name.path, b->name.path);
	assert_int_equal(a->name.anon_tgid, b->name.anon_tgid);
	assert_int_equal(a->name.anon_start, b->name.anon_start);
	assert_int_equal(a->name.anon_end, b->name.anon_end);
	assert_int_equal(a->identity.build, b->identity.build);
	assert_int_equal(a->identity.owner, b->identity.owner);
	assert_int_equal(a->mtime, b->mtime);
	assert_int_equal(a->is_kernel, b->is_kernel);
}

static void add_all(struct op_path_images_writer *w)
{
	uint32_t number;

	for (uint32_t i = 0; i < NR; i++) {
		assert_int_equal(op_path_images_number(w, &images[i], &number), 0);
		assert_int_equal(number, i + 1);
	}
}

static void numbers_are_kept_after_restart(void **state)
{
	struct op_path_images_writer *w;
	struct op_path_images read;
	int dir = make_samples_dir(state);

	assert_int_equal(op_path_images_read(&read, dir), -ENOENT);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(op_path_images_open(&w, dir, frames_id, 0), 0);
		add_all(w);
		add_all(w);
		op_path_images_close(w);
	}
	assert_int_equal(op_path_images_read(&read, dir), 0);
	assert_int_equal(read.nr, NR);
	for (uint32_t i = 0; i < NR; i++)
		expect_image(op_path_image(&read, i + 1), &images[i]);
	assert_null(op_path_image(&read, 0));
	assert_null(op_path_image(&read, NR + 1));
	op_path_images_release(&read);
	close(dir);
}

/* If the writer was killed while it wrote its last line, the line is ignored and its number is
 * free. */
static void incomplete_line_is_ignored(void **state)
{
	struct op_path_images_writer *w;
	struct op_path_images read;
	uint32_t number;
	int dir = make_samples_dir(state);

	append_text(dir, "00000001 00000002 3 0 {root}/a\n00000001 00000002 3 0 {root}/b");
	assert_int_equal(op_path_images_read(&read, dir), 0);
	assert_int_equal(read.nr, 1);
	op_path_images_release(&read);
	assert_int_equal(op_path_images_open(&w, dir, frames_id, 0), 0);
	assert_int_equal(op_path_images_number(w, &images[2], &number), 0);
	assert_int_equal(number, 2);
	op_path_images_close(w);
	assert_int_equal(op_path_images_read(&read, dir), 0);
	assert_int_equal(read.nr, 2);
	assert_string_equal(read.images[0].name.path, "/a");
	expect_image(op_path_image(&read, 2), &images[2]);
	op_path_images_release(&read);
	close(dir);
}

static void invalid_lines_use_a_number(void **state)
{
	static const char *const bad[] = {
		"", "00000001", "00000001 00000002 3 0", "00000001 00000002 3 0 /a", "00000001 00000002 3 0 {root}/../a",
		"00000001 00000002 3 0 {root}/a\\x", "00000001 00000002 3 0 {root}/a\\", "x 00000002 3 0 {root}/a",
		"00000001 00000002 3 0 {root}/a/{dep}/{root}/b", "00000001 00000002 3 0{root}/a",
	};
	const uint32_t nr = sizeof(bad) / sizeof(bad[0]);
	struct op_path_images_writer *w;
	struct op_path_images read;
	uint32_t number;
	int dir = make_samples_dir(state);

	for (uint32_t i = 0; i < nr; i++) {
		append_text(dir, bad[i]);
		append_text(dir, "\n");
	}
	assert_int_equal(op_path_images_open(&w, dir, frames_id, 0), 0);
	assert_int_equal(op_path_images_number(w, &images[0], &number), 0);
	assert_int_equal(number, nr + 1);
	op_path_images_close(w);
	assert_int_equal(op_path_images_read(&read, dir), 0);
	assert_int_equal(read.nr, nr + 1);
	for (uint32_t i = 1; i <= nr; i++)
		assert_null(op_path_image(&read, i));
	expect_image(op_path_image(&read, nr + 1), &images[0]);
	op_path_images_release(&read);
	close(dir);
}

static void invalid_names_are_refused(void **state)
{
	const struct op_path_image bad = { .name.path = "no/path" };
	struct op_path_images_writer *w;
	uint32_t number = 7;
	int dir = make_samples_dir(state);

	assert_int_equal(op_path_images_open(&w, dir, frames_id, 0), 0);
	assert_int_equal(op_path_images_number(w, &bad, &number), -EINVAL);
	assert_int_equal(number, 7);
	assert_int_equal(op_path_images_size(w), 0);
	op_path_images_close(w);
	close(dir);
}

/*
 * The number of lines that are read is limited, because an empty line needs seventy times its size
 * in memory.
 */
static void number_of_lines_is_limited(void **state)
{
	char *text = malloc(OP_PATH_IMAGES_MAX + 101);
	struct op_path_images read;
	int dir = make_samples_dir(state);

	assert_non_null(text);
	memset(text, '\n', OP_PATH_IMAGES_MAX + 100);
	text[OP_PATH_IMAGES_MAX + 100] = '\0';
	append_text(dir, text);
	assert_int_equal(op_path_images_read(&read, dir), 0);
	assert_int_equal(read.nr, OP_PATH_IMAGES_MAX);
	op_path_images_release(&read);
	free(text);
	close(dir);
}

/*
 * Lines of a list that belongs to another file of frames, for example in a copied list, are
 * ignored, and the numbers in these lines are not assigned again.
 */
static void lines_of_other_frames_file_are_ignored(void **state)
{
	struct op_path_images_writer *w;
	struct op_path_images read;
	int dir = make_samples_dir(state);
	uint32_t number;

	assert_int_equal(op_path_images_open(&w, dir, frames_id + 2, 0), 0);
	add_all(w);
	op_path_images_close(w);
	assert_int_equal(op_path_images_read(&read, dir), 0);
	assert_int_equal(read.nr, 0);
	assert_int_equal(op_path_images_open(&w, dir, frames_id, NR), 0);
	assert_int_equal(op_path_images_number(w, &images[1], &number), 0);
	assert_int_equal(number, NR + 1);
	op_path_images_close(w);
	assert_int_equal(op_path_images_read(&read, dir), 0);
	assert_null(op_path_image(&read, 1));
	expect_image(op_path_image(&read, NR + 1), &images[1]);
	op_path_images_release(&read);
	close(dir);
}

/*
 * If the file is truncated to half and a byte is changed, the lost numbers do not belong to any
 * image and are not assigned again.
 */
static void numbers_of_truncated_file_are_not_reused(void **state)
{
	struct op_path_images_writer *w;
	struct op_path_images read;
	int dir = make_samples_dir(state), fd;
	uint32_t number;
	struct stat st;

	assert_int_equal(op_path_images_open(&w, dir, frames_id, 0), 0);
	add_all(w);
	op_path_images_close(w);
	fd = openat(dir, OP_PATH_IMAGES_FILE, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(ftruncate(fd, st.st_size / 2), 0);
	assert_int_equal(pwrite(fd, "x", 1, 50), 1);
	close(fd);
	assert_int_equal(op_path_images_open(&w, dir, frames_id, NR), 0);
	assert_int_equal(op_path_images_number(w, &images[NR - 1], &number), 0);
	assert_int_equal(number, NR + 1);
	op_path_images_close(w);
	assert_int_equal(op_path_images_read(&read, dir), 0);
	assert_null(op_path_image(&read, 1));
	assert_null(op_path_image(&read, NR));
	expect_image(op_path_image(&read, 2), &images[1]);
	expect_image(op_path_image(&read, NR + 1), &images[NR - 1]);
	op_path_images_release(&read);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(numbers_are_kept_after_restart),
		test_in_dir(incomplete_line_is_ignored),
		test_in_dir(invalid_lines_use_a_number),
		test_in_dir(invalid_names_are_refused),
		test_in_dir(number_of_lines_is_limited),
		test_in_dir(lines_of_other_frames_file_are_ignored),
		test_in_dir(numbers_of_truncated_file_are_not_reused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
