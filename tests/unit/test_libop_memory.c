// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_memory.c -- failure injection: each allocation and system call of libop fails once.
 * The function then returns an error, leaks no memory (checked by ASan), leaves output parameters
 * unchanged, and never writes a file partially.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/error.h"
#include "libop/event/choose.h"
#include "libdb/frames.h"
#include "libdb/odb.h"
#include "libop/event/file.h"
#include "libop/event/spec.h"
#include "libop/session/about.h"
#include "libop/session/build_ids.h"
#include "libop/session/kernel_syms.h"
#include "libop/session/mangle.h"
#include "libop/session/path_images.h"
#include "libop/session/paths.h"
#include "libop/session/stats.h"
#include "libop/session/task_names.h"
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

/*
 * Each of the following write functions writes a file whose contents depend on @version, and the
 * matching read function returns this version.
 */
static int write_stats(int dir, uint32_t version)
{
	struct op_session_stats s = { 0 };
	int err = op_session_stats_add(&s, "stored", version);

	if (!err)
		err = op_session_stats_add(&s, "unknown", 2);
	if (!err)
		err = op_session_stats_write(&s, dir);
	op_session_stats_release(&s);
	return err;
}

static int read_stats(int dir, uint32_t *version)
{
	struct op_session_stats s = { 0 };
	int err = op_session_stats_read(&s, dir);

	assert_int_equal(s.nr, err ? 0 : 2);
	if (!err)
		*version = (uint32_t)op_session_stats_get(&s, "stored");
	op_session_stats_release(&s);
	return err;
}

static int write_kernel_syms(int dir, uint32_t version)
{
	struct op_kernel_syms s = { 0 };
	int err = op_kernel_syms_set_release(&s, "6");

	for (uint32_t i = 0; i < version && !err; i++) {
		err = op_kernel_syms_add_image(&s, "x", 1);
		if (!err)
			err = op_kernel_syms_add_symbol(&s, 1, 't', "y");
	}
	if (!err)
		err = op_kernel_syms_write(&s, dir);
	op_kernel_syms_release(&s);
	return err;
}

static int read_kernel_syms(int dir, uint32_t *version)
{
	struct op_kernel_syms s = { 0 };
	int err = op_kernel_syms_read(&s, dir);

	if (!err)
		*version = (uint32_t)s.nr_images;
	op_kernel_syms_release(&s);
	return err;
}

static int write_build_ids(int dir, uint32_t version)
{
	struct op_build_ids b = { 0 };
	int err = 0;

	for (uint8_t i = 0; i < version && !err; i++)
		err = op_build_ids_add(&b, "/bin/a", &i, 1);
	if (!err)
		err = op_build_ids_write(&b, dir);
	op_build_ids_release(&b);
	return err;
}

static int read_build_ids(int dir, uint32_t *version)
{
	struct op_build_ids b = { 0 };
	int err = op_build_ids_read(&b, dir);

	if (!err)
		*version = (uint32_t)b.nr;
	op_build_ids_release(&b);
	return err;
}

static int write_task_names(int dir, uint32_t version)
{
	struct op_task_names t = { 0 };
	int err = 0;

	for (uint32_t i = 1; i <= version && !err; i++) {
		struct op_task_name *task = op_task_names_get(&t, 1, (pid_t)i);

		err = task ? 0 : -ENOMEM;
		if (task) {
			op_task_name_set(task, "x", 1);
			task->flags = 1;
		}
	}
	if (!err)
		err = op_task_names_write(&t, 1, dir);
	op_task_names_release(&t);
	return err;
}

static int read_task_names(int dir, uint32_t *version)
{
	struct op_task_names t = { 0 };
	int err = op_task_names_read(&t, 1, dir);

	if (!err)
		*version = (uint32_t)t.table.nr;
	op_task_names_release(&t);
	return err;
}

static int write_about(int dir, uint32_t version)
{
	const struct op_session_about about = { .begun = version, .command = "x" };

	return op_session_about_write(&about, dir);
}

static int read_about(int dir, uint32_t *version)
{
	struct op_session_about about = { 0 };
	int err = op_session_about_read(&about, dir);

	assert_string_equal(about.command, err ? "" : "x");
	if (!err)
		*version = (uint32_t)about.begun;
	return err;
}

static uint64_t path_frames;	/* id of the file of frames */

/*
 * Add an image while a call fails: the image nevertheless has one number and one line in the file.
 */
static int number_images(int dir)
{
	static const struct op_path_image images[] = {
		{ .name.path = "/bin/a" }, { .name.path = "/bin/b" }, { .name.path = "/lib/c" },
	};
	struct op_path_images_writer *w = NULL;
	int first = op_path_images_open(&w, dir, path_frames, 0), err;
	uint32_t number = 0;

	if (first)
		assert_int_equal(op_path_images_open(&w, dir, path_frames, 0), 0);
	for (uint32_t i = 0; i < 6; i++) {
		err = op_path_images_number(w, &images[i % 3], &number);
		if (err) {
			first = err;
			assert_int_equal(op_path_images_number(w, &images[i % 3], &number), 0);
		}
		assert_int_equal(number, i % 3 + 1);
	}
	op_path_images_close(w);
	return first;
}

static int read_images(int dir, uint32_t *version)
{
	struct op_path_images p = { 0 };
	int err = op_path_images_read(&p, dir);

	if (!err)
		*version = (uint32_t)p.nr;
	op_path_images_release(&p);
	return err;
}

static void make_event_files(int dir)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ "t/base/unit_masks", "name:z type:mandatory default:0\n\t0 No unit mask\n"
		  "name:a type:exclusive default:one\n\t1 extra: one One\n\t1 extra:inv two Two\n" },
		{ "t/base/events", "event:1 counters:cpuid um:z minimum:1 name:ONE : One\n"
		  "event:2 counters:0 um:a minimum:1 name:TWO : Two\n" },
		{ "t/cpu/unit_masks", "include:t/base\nname:b type:bitmask default:2\n\t2 Bit\n" },
		{ "t/cpu/events", "include:t/base\nevent:3 counters:1 um:a,b minimum:1 name:THREE : Three\n" },
	};
	int fd;

	mkdirat(dir, "t", 0755);
	mkdirat(dir, "t/base", 0755);
	mkdirat(dir, "t/cpu", 0755);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		fd = openat(dir, files[i].path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, files[i].text, strlen(files[i].text)),
				 strlen(files[i].text));
		close(fd);
	}
}

/* Load an event table that has includes and a merged mask, and look up two events in it. */
static int event_table(int dir)
{
	struct op_event_spec specs[] = {
		{ .name = "THREE", .count = 1, .user = 1, .um_name = "two" },
		{ .name = "r1", .count = 1000, .user = 1 },
	};
	struct op_event_table *table = NULL;
	struct op_event_choice choices[2];
	struct op_reason error = { "" };
	char root[40];
	int err;

	snprintf(root, sizeof(root), "/proc/self/fd/%d", dir);
	err = op_event_file_load_folder(&table, op_cpu_by_name("i386/skylake"), "t/cpu", root, &error);
	if (!err) {
		err = op_events_choose(choices, table, specs, 2, op_counter_mask(4, 0), 0, &error);
		/* If memory is short, a raw event is refused as unknown. */
		if (err == OP_ERR_EVENT_UNKNOWN)
			err = -ENOMEM;
	}
	assert_true(err ? *op_reason_text(&error, err) : !*error.text);
	op_event_table_free(table);
	return err;
}

static void expect_fault(int err, long n)
{
	if (err != -ENOMEM && err != -EIO)
		fail_msg("call %ld: %d", n, err);
}

static void fail_each(void **state, int (*run)(int dir))
{
	int dir = check_open_dir(state), err;
	long n;

	make_event_files(dir);
	for (n = 1;; n++) {
		fault_arm(n, EIO);
		err = run(dir);
		if (!fault_disarm())
			break;
		expect_fault(err, n);
	}
	assert_int_equal(err, 0);
	assert_true(n > 1);
	close(dir);
}

/*
 * Make each allocation and system call of @read fail once. @read must return an error or the
 * complete contents of the file.
 */
static void fail_each_read(int dir, int (*read)(int dir, uint32_t *version), uint32_t version)
{
	uint32_t got;
	long n;
	int err;

	for (n = 1;; n++) {
		got = 99;
		fault_arm(n, EIO);
		err = read(dir, &got);
		if (!fault_disarm())
			break;
		if (err)
			expect_fault(err, n);
		else
			assert_int_equal(got, version);
	}
	assert_int_equal(err, 0);
	assert_int_equal(got, version);
	assert_true(n > 3);
}

/*
 * Make each allocation and system call of @write fail once. If @write returns an error, the file
 * must have its old contents, otherwise the new contents.
 */
static void fail_each_file(void **state, int (*write)(int dir, uint32_t version), int (*read)(int dir, uint32_t *version))
{
	int dir = check_open_dir(state), err, failed;
	uint32_t got;
	long n;

	for (n = 1;; n++) {
		assert_int_equal(write(dir, 1), 0);
		fault_arm(n, EIO);
		err = write(dir, 2);
		failed = fault_disarm();
		assert_int_equal(read(dir, &got), 0);
		assert_int_equal(got, err ? 1 : 2);
		if (!failed)
			break;
		if (err)
			expect_fault(err, n);
	}
	assert_int_equal(err, 0);
	assert_true(n > 3);
	fail_each_read(dir, read, 2);
	close(dir);
}

static void test_failing_calls_while_reading_path_images(void **state)
{
	struct frames *frames;
	int dir = check_open_dir(state), err, failed;
	uint32_t got;

	assert_int_equal(mkdirat(dir, "paths", 0755), 0);
	assert_int_equal(frames_open(&frames, openat(dir, "paths/frames", O_RDWR | O_CREAT, 0600), ODB_WRITE, 1), 0);
	path_frames = frames_generation(frames);
	frames_close(frames);
	for (long n = 1;; n++) {
		fault_arm(n, EIO);
		err = number_images(dir);
		failed = fault_disarm();
		assert_int_equal(read_images(dir, &got), 0);
		assert_int_equal(got, 3);
		if (!failed)
			break;
		if (err)
			expect_fault(err, n);
		assert_int_equal(unlinkat(dir, OP_PATH_IMAGES_FILE, 0), 0);
	}
	assert_int_equal(err, 0);
	fail_each_read(dir, read_images, 3);
	close(dir);
}

#define TEST(f) static void test_##f(void **state) { fail_each(state, f); }
#define FILE_TEST(f) static void test_##f(void **state) { fail_each_file(state, write_##f, read_##f); }
TEST(mangle)
TEST(event_spec)
TEST(session_paths)
TEST(event_table)
FILE_TEST(stats)
FILE_TEST(kernel_syms)
FILE_TEST(build_ids)
FILE_TEST(task_names)
FILE_TEST(about)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_mangle),
		test_in_dir(test_event_spec),
		test_in_dir(test_session_paths),
		test_in_dir(test_event_table),
		test_in_dir(test_stats),
		test_in_dir(test_kernel_syms),
		test_in_dir(test_build_ids),
		test_in_dir(test_task_names),
		test_in_dir(test_about),
		test_in_dir(test_failing_calls_while_reading_path_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
