// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libdb_frames.c -- tests the file that numbers the frames of call paths: a number always
 * refers to the same frame, or to no frame.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "libdb/frames.h"
#include "libdb/slots.h"

static struct frames *open_frames(int fd, enum odb_mode mode, uint64_t boot)
{
	struct frames *f = NULL;

	assert_int_equal(frames_open(&f, dup(fd), mode, boot), 0);
	return f;
}

static uint32_t number_of(struct frames *f, uint64_t offset, uint32_t image, uint16_t how)
{
	struct frame frame = { .offset = offset, .image = image, .how = how };
	uint32_t number = 0;

	assert_int_equal(frames_number(f, &frame, &number), 0);
	return number;
}

static void test_equal_frames_have_equal_numbers(void **state)
{
	int fd = memfd_create("frames", 0), again;
	struct frames *f = open_frames(fd, ODB_WRITE, 1), *reader;
	char path[40];
	uint64_t generation = frames_generation(f);
	struct frame frame;

	(void)state;
	assert_int_equal(frames_end(f), FRAME_FIRST);
	assert_int_equal(number_of(f, 0, 0, 0), 4);
	assert_int_equal(number_of(f, 0, 1, 0), 5);
	assert_int_equal(number_of(f, 0, 0, 1), 6);
	assert_int_equal(number_of(f, UINT64_MAX, UINT32_MAX, UINT16_MAX), 7);
	assert_int_equal(number_of(f, 0, 0, 1), 6);
	reader = open_frames(fd, ODB_READ, 0);
	assert_true(frames_get(reader, 7, &frame));
	assert_true(frame.offset == UINT64_MAX && frame.image == UINT32_MAX && frame.how == UINT16_MAX);
	assert_true(frames_get(reader, 4, &frame));
	assert_false(frames_get(reader, 3, &frame));
	assert_false(frames_get(reader, 8, &frame));
	assert_false(frames_get(reader, UINT32_MAX, &frame));
	assert_int_equal(number_of(f, 8, 0, 1), 8);
	/* A reader sees the frame while the writer still has the file open. */
	assert_true(frames_get(reader, 8, &frame));
	frames_close(reader);
	frames_close(f);

	f = open_frames(fd, ODB_WRITE, 1);
	assert_true(frames_generation(f) == generation);
	assert_int_equal(number_of(f, 0, 1, 0), 5);
	assert_int_equal(number_of(f, 9, 9, 9), 9);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	frames_close(f);
	/* If a reader locks the file, a writer can still open it. */
	again = open(path, O_RDONLY);
	assert_int_equal(flock(again, LOCK_EX | LOCK_NB), 0);
	f = open_frames(fd, ODB_WRITE, 1);
	assert_true(frames_generation(f) == generation);
	frames_close(f);
	close(again);
	close(fd);
}

static void test_many_frames_keep_their_numbers(void **state)
{
	int fd = memfd_create("frames", 0);
	struct frames *f = open_frames(fd, ODB_WRITE, 1);

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		for (uint32_t i = 0; i < 200000; i++)
			assert_int_equal(number_of(f, i * 16, i % 7, 0), i + 4);
	}
	frames_close(f);
	f = open_frames(fd, ODB_READ, 0);
	assert_int_equal(frames_end(f), 200004);
	frames_close(f);
	close(fd);
}

/*
 * After a reboot, some assigned numbers may not have reached the disk: new numbers are greater than
 * all numbers that may have been assigned.
 */
static void test_numbers_after_a_restart(void **state)
{
	int fd = memfd_create("frames", 0);
	struct frames *f = open_frames(fd, ODB_WRITE, 1);
	struct frame frame;
	struct stat st;
	size_t length;

	(void)state;
	for (uint32_t i = 0; i < 300; i++)
		number_of(f, i, 1, 0);
	frames_close(f);
	assert_int_equal(fstat(fd, &st), 0);
	length = st.st_size;
	/* Only the daemon was killed, without a reboot. */
	f = open_frames(fd, ODB_WRITE, 1);
	assert_int_equal(number_of(f, 300, 1, 0), 304);
	frames_close(f);
	f = open_frames(fd, ODB_WRITE, 2);
	assert_int_equal(number_of(f, 301, 1, 0), length / 16);
	assert_int_equal(number_of(f, 7, 1, 0), 11);	/* frames in the file keep their numbers */
	frames_close(f);
	f = open_frames(fd, ODB_WRITE, 2);
	assert_int_equal(number_of(f, 302, 1, 0), length / 16 + 1);
	assert_false(frames_get(f, 305, &frame));
	frames_close(f);
	close(fd);
}

static void test_number_of_frames_is_limited(void **state)
{
	int fd = memfd_create("frames", 0);
	struct frames *f = open_frames(fd, ODB_WRITE, 1);
	struct frame frame = { .offset = 3 };
	uint32_t number = 77;

	(void)state;
	frames_limit(f, 6);
	number_of(f, 1, 0, 0);
	number_of(f, 2, 0, 0);
	assert_int_equal(frames_number(f, &frame, &number), -EFBIG);
	assert_int_equal(number, 77);
	assert_int_equal(number_of(f, 1, 0, 0), 4);
	frames_limit(f, UINT32_MAX);
	assert_int_equal(number_of(f, 3, 0, 0), 6);
	frames_close(f);
	close(fd);
}

static uint64_t undo_shift(uint64_t h, int by)
{
	uint64_t ret = h;

	for (int done = by; done < 64; done += by)
		ret = h ^ (ret >> by);
	return ret;
}

/* Return a key whose slots_hash() is @h. */
static uint64_t key_with_hash(uint64_t h, uint64_t value)
{
	h = undo_shift(h, 31) * 0x319642b2d24d8ec3;
	h = undo_shift(h, 27) * 0x96de1b173f119089;
	return undo_shift(h, 30) - 0x9e3779b97f4a7c15 * (value + 1);
}

/* Return the maximum number of probes of a successful or failed look-up. */
static uint32_t longest_walk(const struct slots *s)
{
	uint32_t longest = 0, now = 0;

	for (uint32_t at = 0; at < 2 * s->index_size; at++) {
		now = s->index[at % s->index_size] ? now + 1 : 0;
		longest = now > longest ? now : longest;
	}
	return longest;
}

/*
 * A user who chooses the offsets of a program's frames cannot make the frames collide in the index,
 * which would slow down each look-up.
 */
static void test_chosen_offsets_do_not_collide(void **state)
{
	static const struct slots_kind kind = { .magic = 1, .value_is_key = true };
	struct slots s;
	uint32_t number;

	(void)state;
	assert_int_equal(slots_open(&s, &kind, memfd_create("slots", 0), ODB_WRITE, 0, 1), 0);
	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t key = key_with_hash(i << 32, 5);

		assert_int_equal(slots_hash(&s, key, 5), i << 32);
		assert_int_equal(slots_append(&s, key, 5, &number), 0);
		assert_int_equal(slots_find(&s, key, 5), number);
	}
	assert_true(longest_walk(&s) < 1000);
	slots_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_frames_have_equal_numbers),
		cmocka_unit_test(test_many_frames_keep_their_numbers),
		cmocka_unit_test(test_numbers_after_a_restart),
		cmocka_unit_test(test_number_of_frames_is_limited),
		cmocka_unit_test(test_chosen_offsets_do_not_collide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
