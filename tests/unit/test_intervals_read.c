// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_read.c -- tests the file format of intervals: an interval is read as it was
 * written, and a changed file is an error.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "intervals/columns.h"
#include "intervals/format.h"
#include "libop/base/hash.h"
#include "tests/unit/intervals.h"

#define LIMIT (64 << 20)

static struct itv read_all(int fd)
{
	struct itv v = { 0 };

	assert_int_equal(itv_file_read(&v, fd, ITV_READ_ALL, LIMIT), 0);
	return v;
}

static void test_empty_interval_is_read_as_written(void **state)
{
	struct itv_file_sizes sizes;
	struct itv empty = { 0 }, v;
	int fd = memfd_create("interval", 0);

	(void)state;
	assert_int_equal(itv_file_write(&empty, fd, 19, &sizes), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), sizes.total);
	assert_true(sizes.total < 100);
	assert_int_equal(sizes.cells + sizes.paths + sizes.names + sizes.files, 0);
	v = read_all(fd);
	assert_same_files(&empty, &v);
	itv_release(&v);
	close(fd);
}

static void fill_about(struct op_session_about *about)
{
	about->begun = 1;
	about->ended = 2;
	about->sampled_ms = INT64_MAX;
	about->nr_commands = UINT32_MAX;
	strcpy(about->host, "host\nname\\");
	memset(about->kernel, 'k', sizeof(about->kernel) - 1);
	strcpy(about->command, "a; b \xff");
	strcpy(about->limits, "no kernel");
	strcpy(about->daemon, "/usr/sbin/oprofiled");
	strcpy(about->reader, "/usr/lib/opsymbols");
	strcpy(about->packer, "/usr/lib/opintervals");
}

/* Fill all members of @a except those that itv_sum() computes. */
static void fill_accounting(struct itv_accounting *a)
{
	fill_about(&a->about);
	a->begun_ns = -5;
	a->ended_ns = INT64_MAX;
	a->precision = ITV_FUNCTIONS;
	a->kernel = 0xc904fd71;
	a->settings = strdup("SETTING one\nOTHER \\n\n");
	assert_int_equal(op_grow(&a->parts, 0), 0);
	a->parts[a->nr_parts++] = strdup("2026-11-20T03:00");
	assert_int_equal(op_grow(&a->gaps, 0), 0);
	a->gaps[a->nr_gaps++] = (struct itv_gap){ -5, 7, strdup("not running") };
	assert_int_equal(op_session_stats_add(&a->stats, "taken", UINT64_MAX), 0);
	assert_int_equal(op_session_stats_add(&a->stats, "enabled_ns:E.1.2", 3), 0);
	a->stats.writer = (struct op_session_writer){ 1, 2, 3, 4 };
}

/*
 * Make an interval in which all members are set: times, names with arbitrary bytes, and large
 * counts.
 */
static void make_full(struct itv *v)
{
	struct random r = { 3 };

	do {
		random_interval(&r, v);
		if (v->nr_trees < 3 || v->nr_groups < 3 || v->nr_nodes < 30)
			itv_release(v);
	} while (!v->nr_trees);
	v->cells[0].count = 1ull << 63;
	v->nodes[0].count = 1ull << 63;
	assert_int_equal(itv_sort(v), 0);
	v->files = calloc(2, sizeof(*v->files));
	v->nr_files = 2;
	v->files[0] = (struct itv_file){ strdup("jit/1\xff\n.map"), calloc(1, 3), 3 };
	v->files[1] = (struct itv_file){ strdup("task-names"), strdup(""), 0 };
	fill_accounting(&v->accounting);
	assert_int_equal(itv_sum(v), 0);
}

static void assert_same_accounting(const struct itv_accounting *a, const struct itv_accounting *b)
{
	assert_memory_equal(&a->about, &b->about, sizeof(a->about));
	assert_true(a->begun_ns == b->begun_ns && a->ended_ns == b->ended_ns);
	assert_true(a->samples == b->samples && a->paths == b->paths && a->folded == b->folded);
	assert_int_equal(a->precision, b->precision);
	assert_int_equal(a->kernel, b->kernel);
	assert_string_equal(a->settings, b->settings);
	assert_int_equal(a->nr_parts, b->nr_parts);
	assert_string_equal(a->parts[0], b->parts[0]);
	assert_int_equal(a->nr_gaps, b->nr_gaps);
	assert_true(a->gaps[0].from_ns == b->gaps[0].from_ns && a->gaps[0].to_ns == b->gaps[0].to_ns);
	assert_string_equal(a->gaps[0].reason, b->gaps[0].reason);
	assert_int_equal(a->stats.nr, b->stats.nr);
	assert_true(op_session_stats_get(&b->stats, "taken") == UINT64_MAX);
	assert_true(op_session_stats_get(&b->stats, "enabled_ns:E.1.2") == 3);
	assert_int_equal(a->stats.writer.pid, b->stats.writer.pid);
	assert_true(a->stats.writer.start == b->stats.writer.start);
	assert_true(a->stats.writer.namespace == b->stats.writer.namespace);
	assert_true(a->stats.writer.boot == b->stats.writer.boot);
}

static void test_full_interval_is_read_as_written(void **state)
{
	static const int levels[] = { 1, 9, 19 };
	struct model before = { 0 }, after = { 0 };
	struct itv v, again;

	(void)state;
	make_full(&v);
	model_add_interval(&before, &v);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		int fd = write_interval(&v, levels[i]);

		again = read_all(fd);
		close(fd);
		assert_same_accounting(&v.accounting, &again.accounting);
		assert_same_files(&v, &again);
		assert_string_equal(again.files[0].name, "jit/1\xff\n.map");
		assert_memory_equal(again.files[0].data, "\0\0\0", 3);
		assert_true(again.events[0].cpu_speed == 1234.5);
		model_add_interval(&after, &again);
		model_assert_equal(&before, &after);
		model_release(&after);
		itv_release(&again);
	}
	model_release(&before);
	itv_release(&v);
}

static void test_random_intervals_are_read_as_written(void **state)
{
	struct random r = { 4 };

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct model before = { 0 }, after = { 0 };
		struct itv v, again;
		int fd;

		random_sorted(&r, &v);
		fd = write_interval(&v, 1 + (int)random_below(&r, 3));
		again = read_all(fd);
		model_add_interval(&before, &v);
		model_add_interval(&after, &again);
		model_assert_equal(&before, &after);
		assert_same_files(&v, &again);
		close(fd);
		model_release(&before);
		model_release(&after);
		itv_release(&again);
		itv_release(&v);
	}
}

/*
 * If only some parts of a file are read, their lists are complete, and the accounting has the sums
 * of the whole interval.
 */
static void test_selected_parts_are_complete(void **state)
{
	struct itv v, part = { 0 };
	int fd;

	(void)state;
	make_full(&v);
	fd = write_interval(&v, 3);
	assert_int_equal(itv_file_read(&part, fd, ITV_READ_ACCOUNTING, LIMIT), 0);
	assert_same_accounting(&v.accounting, &part.accounting);
	assert_int_equal(part.nr_images + part.nr_groups + part.nr_nodes + part.nr_files, 0);
	itv_release(&part);
	assert_int_equal(itv_file_read(&part, fd, ITV_READ_CELLS, LIMIT), 0);
	assert_int_equal(part.nr_cells, v.nr_cells);
	assert_int_equal(part.nr_frames + part.nr_trees + part.nr_nodes + part.nr_files, 0);
	itv_release(&part);
	assert_int_equal(itv_file_read(&part, fd, ITV_READ_PATHS, LIMIT), 0);
	assert_int_equal(part.nr_nodes, v.nr_nodes);
	assert_int_equal(part.nr_groups + part.nr_cells + part.nr_files, 0);
	itv_release(&part);
	assert_int_equal(itv_file_read(&part, fd, ITV_READ_FILES, LIMIT), 0);
	assert_int_equal(part.nr_files, 2);
	itv_release(&part);
	close(fd);
	itv_release(&v);
}

static int file_of(const char *bytes, size_t len)
{
	int fd = memfd_create("interval", 0);

	assert_int_equal(write(fd, bytes, len), len);
	return fd;
}

/* A file is refused if any one of its bits was changed. */
static void test_changed_bit_is_detected(void **state)
{
	struct itv v, again = { 0 };
	size_t len;
	char *bytes;
	int fd;

	(void)state;
	make_full(&v);
	fd = write_interval(&v, 3);
	bytes = read_whole(fd, &len);
	for (size_t bit = 0; bit < 8 * len; bit++) {
		char byte = (char)(bytes[bit / 8] ^ 1 << bit % 8);
		int err;

		assert_int_equal(pwrite(fd, &byte, 1, (off_t)bit / 8), 1);
		err = itv_file_read(&again, fd, ITV_READ_ALL, LIMIT);
		assert_true(err == ITV_ERR_FORMAT || err == ITV_ERR_VERSION);
		assert_null(again.images);
		assert_int_equal(pwrite(fd, &bytes[bit / 8], 1, (off_t)bit / 8), 1);
	}
	again = read_all(fd);
	itv_release(&again);
	close(fd);
	free(bytes);
	itv_release(&v);
}

static void test_truncated_file_is_detected(void **state)
{
	struct itv v, again = { 0 };
	size_t len;
	char *bytes;
	int fd;

	(void)state;
	make_full(&v);
	fd = write_interval(&v, 3);
	bytes = read_whole(fd, &len);
	assert_int_equal(ftruncate(fd, (off_t)len + 1), 0);
	assert_int_equal(itv_file_read(&again, fd, ITV_READ_ALL, LIMIT), ITV_ERR_FORMAT);
	while (len--) {
		assert_int_equal(ftruncate(fd, (off_t)len), 0);
		assert_int_equal(itv_file_read(&again, fd, ITV_READ_ACCOUNTING, LIMIT), ITV_ERR_FORMAT);
		assert_int_equal(itv_file_read(&again, fd, ITV_READ_ALL, LIMIT), ITV_ERR_FORMAT);
	}
	close(fd);
	free(bytes);
	itv_release(&v);
}

/* Write the correct checksum of a file's header and directory. */
static void write_checksum(char *bytes)
{
	uint8_t *header = (uint8_t *)bytes;
	uint32_t nr = itv_get_le32(header + ITV_AT_NR_BLOCKS);
	uint64_t check = op_hash_bytes(OP_HASH_BEGIN, header, ITV_AT_CHECK);

	check = op_hash_bytes(check, header + ITV_HEADER_LEN, nr * ITV_ENTRY_LEN);
	itv_put_le64(header + ITV_AT_CHECK, check);
}

/* Return the entry of the block @type in the file's directory. */
static uint8_t *entry_of(char *bytes, enum itv_block_type type)
{
	uint8_t *entry = (uint8_t *)bytes + ITV_HEADER_LEN;

	while (itv_get_le32(entry + ITV_ENTRY_TYPE) != type)
		entry += ITV_ENTRY_LEN;
	return entry;
}

static int read_bytes(const char *bytes, size_t len, unsigned int parts, uint64_t limit)
{
	struct itv v = { 0 };
	int fd = file_of(bytes, len), err;

	err = itv_file_read(&v, fd, parts, limit);
	close(fd);
	itv_release(&v);
	return err;
}

static void test_other_versions_are_refused(void **state)
{
	size_t len;
	struct itv v;
	char *bytes;
	int fd;

	(void)state;
	make_full(&v);
	fd = write_interval(&v, 3);
	bytes = read_whole(fd, &len);
	itv_put_le32((uint8_t *)bytes + ITV_AT_VERSION, ITV_VERSION + 1);
	assert_int_equal(read_bytes(bytes, len, ITV_READ_ALL, LIMIT), ITV_ERR_VERSION);
	itv_put_le32((uint8_t *)bytes + ITV_AT_VERSION, 0);
	write_checksum(bytes);
	assert_int_equal(read_bytes(bytes, len, ITV_READ_ALL, LIMIT), ITV_ERR_FORMAT);
	itv_put_le32((uint8_t *)bytes + ITV_AT_VERSION, ITV_VERSION);
	/* A block of a type that only later versions know is skipped. */
	itv_put_le32(entry_of(bytes, ITV_BLOCK_FILES) + ITV_ENTRY_TYPE, 1000);
	write_checksum(bytes);
	assert_int_equal(read_bytes(bytes, len, ITV_READ_ALL, LIMIT), 0);
	/* A file with two blocks of the same type is refused. */
	itv_put_le32(entry_of(bytes, 1000) + ITV_ENTRY_TYPE, ITV_BLOCK_TREES);
	write_checksum(bytes);
	assert_int_equal(read_bytes(bytes, len, ITV_READ_ALL, LIMIT), ITV_ERR_FORMAT);
	close(fd);
	free(bytes);
	itv_release(&v);
}

/* The reader allocates no more than its limit, and no more than the file's bytes can contain. */
static void test_reader_allocates_within_limit(void **state)
{
	size_t len, last = 0;
	struct itv v;
	char *bytes;
	int fd, err = 0;

	(void)state;
	make_full(&v);
	fd = write_interval(&v, 3);
	bytes = read_whole(fd, &len);
	close(fd);
	for (size_t limit = 0; limit < LIMIT; limit = limit + limit / 8 + 1) {
		err = read_bytes(bytes, len, ITV_READ_ALL, limit);
		assert_true(err == ITV_ERR_TOO_BIG || !err);
		if (err)
			last = limit;
	}
	assert_int_equal(err, 0);
	assert_true(last > len && last < 100 * len);
	/* the size is impossible, because zstd cannot have compressed so much data to so few
	 * bytes */
	itv_put_le64(entry_of(bytes, ITV_BLOCK_IMAGES) + ITV_ENTRY_RAW, 1ull << 32);
	write_checksum(bytes);
	assert_int_equal(read_bytes(bytes, len, ITV_READ_ALL, UINT64_MAX), ITV_ERR_FORMAT);
	itv_put_le64(entry_of(bytes, ITV_BLOCK_IMAGES) + ITV_ENTRY_RAW, 1 << 20);
	write_checksum(bytes);
	assert_int_equal(read_bytes(bytes, len, ITV_READ_ALL, 1 << 20), ITV_ERR_TOO_BIG);
	assert_int_equal(read_bytes(bytes, len, ITV_READ_ALL, LIMIT), ITV_ERR_FORMAT);
	assert_int_equal(read_bytes(bytes, len, ITV_READ_ACCOUNTING, LIMIT), 0);
	free(bytes);
	itv_release(&v);
}

static void test_other_files_are_refused(void **state)
{
	struct itv v = { 0 };
	int dir = check_open_dir(state), fd;

	assert_int_equal(itv_file_read(&v, dir, ITV_READ_ALL, LIMIT), ITV_ERR_FORMAT);
	assert_int_equal(itv_file_read(&v, -1, ITV_READ_ALL, LIMIT), -EBADF);
	assert_int_equal(mkfifoat(dir, "fifo", 0600), 0);
	fd = openat(dir, "fifo", O_RDWR | O_CLOEXEC);
	assert_int_equal(itv_file_read(&v, fd, ITV_READ_ALL, LIMIT), ITV_ERR_FORMAT);
	close(fd);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	assert_int_equal(itv_file_read(&v, fd, ITV_READ_ALL, LIMIT), ITV_ERR_FORMAT);
	close(fd);
	fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(itv_file_write(&v, fd, 1, NULL), -ENOSPC);
	close(fd);
	close(dir);
	for (int err = ITV_ERR_FORMAT; err <= ITV_ERR_TOO_BIG; err++)
		assert_non_null(strstr(itv_strerror(err), "interval file"));
	assert_string_equal(itv_strerror(-ENOSPC), strerror(ENOSPC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_interval_is_read_as_written),
		cmocka_unit_test(test_full_interval_is_read_as_written),
		cmocka_unit_test(test_random_intervals_are_read_as_written),
		cmocka_unit_test(test_selected_parts_are_complete),
		cmocka_unit_test(test_changed_bit_is_detected),
		cmocka_unit_test(test_truncated_file_is_detected),
		cmocka_unit_test(test_other_versions_are_refused),
		cmocka_unit_test(test_reader_allocates_within_limit),
		test_in_dir(test_other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
