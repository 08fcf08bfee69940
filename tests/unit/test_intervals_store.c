// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_store.c -- tests the store (the directory of intervals): names of files, parts
 * that a merged interval replaces, kernel symbols, and gaps.
 */
#include "config.h"
#include "intervals/store.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "intervals/file.h"
#include "intervals/gaps.h"
#include "libop/session/kernel_syms.h"
#include "tests/unit/check.h"

#define BEGIN	1795950000	/* 2026-11-29 11:00:00 UTC */

static int nr_sleeps;

/* Replace nanosleep() of the C library, and count its calls. */
int nanosleep(const struct timespec *wait, struct timespec *left)
{
	nr_sleeps++;
	return clock_nanosleep(CLOCK_MONOTONIC, 0, wait, left);
}

static void test_interval_names_are_parsed(void **state)
{
	static const char *const bad[] = {
		"", "x", "20261129T110000Z-20261129T111000Z-0.opi", "20261129T110000Z-20261129T111000Z-4-00000000.opi",
		"20261129T110000Z-20261129T110000Z-0-00000000.opi", "20261129T110000Z-20261129T111000Z-0-00000000.1.opi.tmp",
		"20261129T110000Z-20261129T111000Z-0-00000000.0.opi", "20261129T110000Z-20261129T111000Z-0-0000000A.opi",
		"20261129T110000Z-20261129T111000Z-0-00000000.session", "20261129T110000Z-20261129T250000Z-0.session",
		"20261129T110000Z-20261129T111000Z-0.01.session", "20261129T110000Z-20261129T111000Z-0-00000000",
	};
	struct itv_entry entry = { .begin = BEGIN, .end = BEGIN + 600 }, parsed;

	(void)state;
	itv_name(entry.name, &entry);
	assert_string_equal(entry.name, "20261129T110000Z-20261129T111000Z-0-00000000.opi");
	entry.step = 3;
	entry.copy = 12;
	entry.kernel = 0xc904fd71;
	itv_name(entry.name, &entry);
	assert_string_equal(entry.name, "20261129T110000Z-20261129T111000Z-3-c904fd71.12.opi");
	assert_true(itv_name_parse(&parsed, entry.name));
	assert_int_equal(parsed.begin, entry.begin);
	assert_int_equal(parsed.end, entry.end);
	assert_int_equal(parsed.step, 3);
	assert_int_equal(parsed.copy, 12);
	assert_int_equal(parsed.kernel, entry.kernel);
	assert_false(parsed.is_session);
	entry.is_session = true;
	itv_name(entry.name, &entry);
	assert_string_equal(entry.name, "20261129T110000Z-20261129T111000Z-3.12.session");
	assert_true(itv_name_parse(&parsed, entry.name));
	assert_true(parsed.is_session);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (itv_name_parse(&parsed, bad[i]))
			fail_msg("%s was accepted", bad[i]);
	/* A time that does not fit into 63 bits of nanoseconds is refused. */
	assert_true(itv_name_parse(&parsed, "22620411T234700Z-22620411T234716Z-0.session"));
	assert_int_equal(parsed.end, ITV_MAX_TIME);
	assert_false(itv_name_parse(&parsed, "22620411T234700Z-22620411T234717Z-0.session"));
	assert_false(itv_name_parse(&parsed, "99990101T000000Z-99990101T001000Z-0-00000000.opi"));
	assert_false(itv_name_parse(&parsed, "16000101T000000Z-20261129T111000Z-0.session"));
}

/*
 * Write an interval that begins @at minutes after BEGIN and replaces the @parts. Set @name to its
 * file name.
 */
static void make_interval(int dir, char name[ITV_NAME_SIZE], int at, int minutes, unsigned int step, const char *const *parts,
			  size_t nr_parts)
{
	struct itv_entry entry = { .begin = BEGIN + at * 60, .end = BEGIN + (at + minutes) * 60, .step = step };
	struct itv v = { .nr_images = 0 };
	int fd;

	v.accounting.parts = (char **)parts;
	v.accounting.nr_parts = nr_parts;
	v.accounting.begun_ns = entry.begin * 1000000000;
	v.accounting.ended_ns = entry.end * 1000000000;
	assert_int_equal(itv_sum(&v), 0);
	itv_name(name, &entry);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL, 0644);
	assert_true(fd >= 0);
	assert_int_equal(itv_file_write(&v, fd, 1, NULL), 0);
	close(fd);
}

static void test_store_is_listed_in_order(void **state)
{
	char first[ITV_NAME_SIZE], second[ITV_NAME_SIZE], third[ITV_NAME_SIZE], sum[ITV_NAME_SIZE];
	const char *const parts[] = { first, second };
	int dir = check_open_dir(state);
	struct itv_list list;

	make_interval(dir, second, 10, 10, 0, NULL, 0);
	make_interval(dir, first, 0, 10, 0, NULL, 0);
	make_interval(dir, third, 20, 10, 0, NULL, 0);
	close(openat(dir, "notes", O_CREAT | O_WRONLY, 0644));
	close(openat(dir, ".new-1", O_CREAT | O_WRONLY, 0644));
	assert_int_equal(itv_store_list(&list, dir), 0);
	assert_int_equal(list.nr, 3);
	assert_int_equal(list.nr_replaced, 0);
	assert_string_equal(list.entries[0].name, first);
	assert_string_equal(list.entries[2].name, third);
	assert_true(list.entries[0].bytes > 0);
	itv_list_release(&list);

	/*
	 * A merged interval replaces its parts as soon as it is in the store, even before its parts
	 * are deleted.
	 */
	make_interval(dir, sum, 0, 20, 1, parts, 2);
	assert_int_equal(itv_store_list(&list, dir), 0);
	assert_int_equal(list.nr, 2);
	assert_string_equal(list.entries[0].name, sum);
	assert_string_equal(list.entries[1].name, third);
	assert_int_equal(list.nr_replaced, 2);
	itv_list_release(&list);

	/* A damaged merged interval does not replace its parts. */
	assert_int_equal(unlinkat(dir, sum, 0), 0);
	close(openat(dir, sum, O_CREAT | O_WRONLY, 0644));
	assert_int_equal(itv_store_list(&list, dir), 0);
	assert_int_equal(list.nr, 4);
	itv_list_release(&list);
	close(dir);
}

/*
 * A merged interval replaces parts of its own step that a killed daemon has not deleted. An
 * interval that has the times of a part because the clock was set back is not replaced.
 */
static void test_killed_daemons_parts_are_replaced(void **state)
{
	char first[ITV_NAME_SIZE], second[ITV_NAME_SIZE], sum[ITV_NAME_SIZE];
	const char *const parts[] = { first, second }, *const sums[] = { sum };
	struct itv_entry again = { .begin = BEGIN, .end = BEGIN + 120 };
	int dir = check_open_dir(state);
	struct itv_list list;

	make_interval(dir, first, 0, 2, 0, NULL, 0);
	make_interval(dir, second, 2, 8, 0, NULL, 0);
	make_interval(dir, sum, 0, 10, 0, parts, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(itv_store_list(&list, dir), 0);
		assert_int_equal(list.nr, 1);
		assert_string_equal(list.entries[0].name, sum);
		assert_int_equal(list.nr_replaced, 2 - i);
		assert_int_equal(itv_store_has(dir, sums, 1), 1);
		assert_int_equal(itv_store_has(dir, parts, 1), 0);
		itv_list_release(&list);
		assert_int_equal(unlinkat(dir, parts[i], 0), 0);
	}
	assert_int_equal(itv_store_new_name(&again, dir), 0);
	assert_int_equal(again.copy, 1);
	close(dir);
}

/* The process that writes the store can list the store immediately after a change, without a
 * wait. */
static void test_writer_does_not_wait(void **state)
{
	struct itv_entry session = { .begin = BEGIN + 60, .end = BEGIN + 90, .is_session = true };
	char late[ITV_NAME_SIZE], early[ITV_NAME_SIZE], newest[ITV_NAME_SIZE];
	int dir = check_open_dir(state);
	struct itv_list list;

	make_interval(dir, late, 0, 20, 1, NULL, 0);
	make_interval(dir, early, 10, 5, 0, NULL, 0);
	make_interval(dir, newest, 20, 10, 0, NULL, 0);
	nr_sleeps = 0;
	assert_int_equal(itv_store_list_writer(&list, dir), 0);
	assert_int_equal(list.nr, 3);
	itv_list_release(&list);
	assert_int_equal(itv_store_new_name(&session, dir), 0);
	assert_int_equal(mkdirat(dir, session.name, 0755), 0);
	/* The list is ordered by the ends of intervals, and does not contain sessions. */
	assert_int_equal(itv_store_list_old(&list, dir, BEGIN + 30 * 60), 0);
	assert_int_equal(list.nr, 2);
	assert_string_equal(list.entries[0].name, early);
	assert_string_equal(list.entries[1].name, late);
	itv_list_release(&list);
	assert_int_equal(nr_sleeps, 0);
	close(dir);
}

static void test_packed_session_is_not_listed(void **state)
{
	struct itv_entry session = { .begin = BEGIN, .end = BEGIN + 600, .is_session = true };
	char interval[ITV_NAME_SIZE];
	const char *const parts[] = { session.name };
	int dir = check_open_dir(state);
	struct itv_list list;

	assert_int_equal(itv_store_new_name(&session, dir), 0);
	assert_int_equal(session.copy, 0);
	assert_int_equal(mkdirat(dir, session.name, 0755), 0);
	assert_int_equal(itv_store_list(&list, dir), 0);
	assert_int_equal(list.nr, 1);
	assert_true(list.entries[0].is_session);
	itv_list_release(&list);
	make_interval(dir, interval, 0, 10, 0, parts, 1);
	assert_int_equal(itv_store_list(&list, dir), 0);
	assert_int_equal(list.nr, 1);
	assert_string_equal(list.entries[0].name, interval);
	assert_string_equal(list.replaced[0].name, session.name);
	itv_list_release(&list);
	/* If the clock was set back, a new interval with the same times gets another name. */
	session.name[0] = '\0';
	assert_int_equal(itv_store_new_name(&session, dir), 0);
	assert_int_equal(session.copy, 1);
	close(dir);
}

static void write_kernel(int dir, const char *build_id, const char *const *images, size_t nr)
{
	struct op_kernel_syms syms = { 0 };

	assert_int_equal(op_kernel_syms_set_release(&syms, "6.1.0"), 0);
	assert_int_equal(op_kernel_syms_set_build_id(&syms, build_id), 0);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(op_kernel_syms_add_image(&syms, images[i], 0x1000), 0);
		assert_int_equal(op_kernel_syms_add_symbol(&syms, 0x10, 't', images[i]), 0);
	}
	op_kernel_syms_sort(&syms);
	assert_int_equal(op_kernel_syms_write(&syms, dir), 0);
	op_kernel_syms_release(&syms);
}

static void test_kernel_symbols_are_stored_once(void **state)
{
	static const char *const before[] = { "vmlinux", "ext4", "old" }, *const after[] = { "vmlinux", "ext4", "new" };
	int dir = check_open_dir(state), samples, copy;
	struct op_kernel_syms syms;
	uint32_t none = 1, first, second, other;
	struct itv_entry entry = { .begin = 1, .end = 2 };
	struct itv_list list = { .entries = &entry, .nr = 1 };

	assert_int_equal(mkdirat(dir, "s", 0755), 0);
	assert_int_equal(mkdirat(dir, "c", 0755), 0);
	samples = openat(dir, "s", O_RDONLY | O_DIRECTORY);
	copy = openat(dir, "c", O_RDONLY | O_DIRECTORY);
	assert_int_equal(itv_store_kernel(&none, dir, samples), 0);
	assert_int_equal(none, 0);
	write_kernel(samples, "aabb", before, 3);
	assert_int_equal(itv_store_kernel(&first, dir, samples), 0);
	assert_int_not_equal(first, 0);
	write_kernel(samples, "aabb", after, 3);
	assert_int_equal(itv_store_kernel(&second, dir, samples), 0);
	assert_int_equal(first, second);
	write_kernel(samples, "aacc", after, 3);
	assert_int_equal(itv_store_kernel(&other, dir, samples), 0);
	assert_int_not_equal(first, other);

	/* The symbols of the kernel include the modules of both snapshots. */
	assert_int_equal(itv_store_kernel_export(first, dir, copy), 0);
	assert_int_equal(op_kernel_syms_read(&syms, copy), 0);
	assert_int_equal(syms.nr_images, 4);
	assert_non_null(op_kernel_syms_image(&syms, "old"));
	assert_non_null(op_kernel_syms_image(&syms, "new"));
	op_kernel_syms_release(&syms);

	/* If no interval uses a kernel, the symbols of this kernel are deleted. */
	entry.kernel = other;
	itv_store_kernels_keep(&list, dir);
	assert_int_equal(itv_store_kernel_export(first, dir, copy), -ENOENT);
	assert_int_equal(itv_store_kernel_export(other, dir, copy), 0);
	close(samples);
	close(copy);
	close(dir);
}

static void test_removal_times_are_stored(void **state)
{
	int dir = check_open_dir(state);
	struct itv_removed removed;

	itv_store_removed(&removed, dir);
	assert_false(removed.any);
	assert_int_equal(itv_store_note_removed(dir, BEGIN, false), 0);
	assert_int_equal(itv_store_note_removed(dir, BEGIN - 5, false), 0);
	itv_store_removed(&removed, dir);
	assert_true(removed.any);
	assert_true(removed.by_disk == BEGIN && removed.by_keep == INT64_MIN);
	assert_int_equal(itv_store_note_removed(dir, BEGIN - 9, true), 0);
	itv_store_removed(&removed, dir);
	assert_true(removed.by_disk == BEGIN && removed.by_keep == BEGIN - 9);
	close(dir);
}

static void test_gaps_are_read_without_invalid_lines(void **state)
{
	struct itv v = { .nr_images = 0 };
	int dir = check_open_dir(state), fd;

	assert_int_equal(mkdirat(dir, "stats", 0755), 0);
	assert_int_equal(itv_gaps_append(dir, 500, 700, "suspended"), 0);
	assert_int_equal(itv_gaps_append(dir, 100, 200, "stopped"), 0);
	assert_int_equal(itv_gaps_append(dir, 150, 300, "stopped"), 0);
	fd = openat(dir, ITV_GAPS_FILE, O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "nonsense\n9 5 backwards\n1 2", 26), 26);
	close(fd);
	assert_int_equal(itv_gaps_read(&v.accounting, dir), 0);
	assert_int_equal(v.accounting.nr_gaps, 3);
	assert_int_equal(v.accounting.gaps[0].from_ns, 100);
	assert_int_equal(v.accounting.gaps[1].from_ns, 200);
	assert_int_equal(v.accounting.gaps[1].to_ns, 300);
	assert_string_equal(v.accounting.gaps[2].reason, "suspended");
	itv_release(&v);
	close(dir);
}

#define WITH_DIR(test)	cmocka_unit_test_setup_teardown(test, check_make_dir, check_remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interval_names_are_parsed),
		WITH_DIR(test_store_is_listed_in_order),
		WITH_DIR(test_killed_daemons_parts_are_replaced),
		WITH_DIR(test_writer_does_not_wait),
		WITH_DIR(test_packed_session_is_not_listed),
		WITH_DIR(test_kernel_symbols_are_stored_once),
		WITH_DIR(test_removal_times_are_stored),
		WITH_DIR(test_gaps_are_read_without_invalid_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
