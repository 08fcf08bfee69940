// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_ring.c -- tests reading a perf ring with records that wrap around at every
 * position, and with invalid bytes. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/source/perf_ring.h"
#include "tests/unit/perf_bytes.h"

static const struct opd_perf_format samples = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
};
static const struct opd_perf_format notices = {
	.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1,
};

/* Format of samples that include a copy of the stack. */
static const struct opd_perf_format stacks = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STACK_USER,
};

#define SIZE 4096
#define ROOM 64

static unsigned char data[SIZE];

static void empty_ring_returns_no_record(void **state)
{
	struct opd_perf_ring ring;

	(void)state;
	opd_perf_ring_init_memory(&ring, data, SIZE, 0, 0, &samples);
	assert_null(opd_perf_ring_peek(&ring));
	opd_perf_ring_pop(&ring);
	assert_null(opd_perf_ring_peek(&ring));
	assert_int_equal(ring.bad, 0);
	opd_perf_ring_unmap(&ring);
}

static void wrapped_records_are_read(void **state)
{
	(void)state;
	for (uint64_t start = 0; start < SIZE; start += 8) {
		struct perf_bytes b = { .data = data, .size = SIZE, .head = SIZE * 3 + start };
		const struct opd_perf_record *r;
		struct opd_perf_ring ring;
		char name[64];

		opd_perf_ring_init_memory(&ring, data, SIZE, b.head, 0, &notices);
		for (uint64_t i = 0; i < 20; i++) {
			snprintf(name, sizeof(name), "/a/name/of/some/length/%lu", (long)i);
			perf_put_mmap2(&b, 1, i, 1, 0, 0, 0, name, i);
		}
		ring.head = b.head;
		for (uint64_t i = 0; i < 20; i++) {
			r = opd_perf_ring_peek(&ring);
			assert_non_null(r);
			assert_ptr_equal(r, opd_perf_ring_peek(&ring));
			assert_int_equal(r->time, i);
			assert_int_equal(r->mmap.start, i);
			snprintf(name, sizeof(name), "/a/name/of/some/length/%lu", (long)i);
			assert_string_equal(r->mmap.path, name);
			opd_perf_ring_pop(&ring);
		}
		assert_null(opd_perf_ring_peek(&ring));
		assert_int_equal(ring.bad, 0);
		opd_perf_ring_unmap(&ring);
	}
}

static void invalid_record_is_skipped_and_counted(void **state)
{
	struct perf_bytes b = { .data = data, .size = SIZE };
	struct opd_perf_ring ring;

	(void)state;
	perf_put_sample(&b, PERF_RECORD_MISC_USER, 1, 2, 3, 4);
	perf_put64(&b, 0);	/* a record whose size is 0, which is invalid */
	perf_put_sample(&b, PERF_RECORD_MISC_USER, 1, 2, 3, 4);
	opd_perf_ring_init_memory(&ring, data, SIZE, 0, b.head, &samples);
	assert_non_null(opd_perf_ring_peek(&ring));
	opd_perf_ring_pop(&ring);
	assert_null(opd_perf_ring_peek(&ring));
	assert_int_equal(ring.bad, 1);
	assert_int_equal(ring.tail, ring.head);

	/* Reading continues with the records after the invalid bytes. */
	perf_put_sample(&b, PERF_RECORD_MISC_USER, 9, 2, 3, 4);
	ring.head = b.head;
	assert_int_equal(opd_perf_ring_peek(&ring)->sample.ip, 9);
	opd_perf_ring_unmap(&ring);

	/* Invalid records are skipped: a record larger than the ring, a record that ends after the
	 * head, and a truncated header. */
	opd_perf_ring_init_memory(&ring, data, SIZE, 0, SIZE + 8, &samples);
	assert_null(opd_perf_ring_peek(&ring));
	assert_int_equal(ring.bad, 1);
	opd_perf_ring_init_memory(&ring, data, SIZE, 0, 16, &samples);
	assert_null(opd_perf_ring_peek(&ring));
	assert_int_equal(ring.bad, 1);
	opd_perf_ring_init_memory(&ring, data, SIZE, SIZE - 4, SIZE + 64, &samples);
	assert_null(opd_perf_ring_peek(&ring));
	assert_int_equal(ring.bad, 1);
	opd_perf_ring_unmap(&ring);
}

static bool accept_all(void *arg, const struct opd_perf_record *r)
{
	(void)arg;
	(void)r;
	return true;
}

static bool accept_even(void *arg, const struct opd_perf_record *r)
{
	(void)arg;
	return r->time % 2 == 0;
}

/* Write a sample with @used bytes of the stack in a field of @room bytes. */
static void put_large_stack(struct perf_bytes *b, uint64_t time, size_t used, size_t room)
{
	perf_put_header(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
			(uint16_t)(24 + 8 + room + 8));
	perf_put64(b, time);
	perf_put32(b, 2);
	perf_put32(b, 3);
	perf_put64(b, time);
	perf_put64(b, room);
	for (size_t i = 0; i < room; i++)
		perf_put(b, &(unsigned char){ i < used ? time + i : 0xee }, 1);
	perf_put64(b, used);
}

static void put_stack(struct perf_bytes *b, uint64_t time, size_t used)
{
	put_large_stack(b, time, used, ROOM);
}

static void expect_stack(struct opd_perf_ring *ring, uint64_t time, size_t used)
{
	const struct opd_perf_record *r = opd_perf_ring_peek(ring);

	assert_non_null(r);
	assert_int_equal(r->kind, OPD_PERF_SAMPLE);
	assert_int_equal(r->time, time);
	assert_int_equal(r->sample.ip, time);
	assert_int_equal(r->sample.stack.size, used);
	assert_int_equal(r->sample.stack.full, used == ROOM);
	for (size_t i = 0; i < used; i++)
		assert_int_equal(r->sample.stack.bytes[i], (unsigned char)(time + i));
	opd_perf_ring_pop(ring);
}

/*
 * Records that were copied out of the ring are delivered unchanged, in order, before later records,
 * and use less memory.
 */
static void saved_records_are_delivered_unchanged(void **state)
{
	(void)state;
	for (size_t limit = 0; limit < 20 * (32 + 16 + ROOM); limit += 56) {
		struct perf_bytes b = { .data = data, .size = SIZE, .head = SIZE * 5 - 200 };
		struct opd_perf_ring ring;
		size_t used = 0;

		opd_perf_ring_init_memory(&ring, data, SIZE, b.head, b.head, &stacks);
		for (; used < 20; used++)
			put_stack(&b, used, used * 4 % (ROOM + 1));
		ring.head = b.head;
		/* The record was already read, and may be read again. */
		assert_int_equal(opd_perf_ring_peek(&ring)->time, 0);
		opd_perf_ring_spill(&ring, limit, SIZE, accept_all, NULL);
		assert_true(ring.kept_end <= limit);
		assert_int_equal(ring.published, ring.tail);
		for (size_t i = 0; i < 10; i++)
			expect_stack(&ring, i, i * 4 % (ROOM + 1));
		for (; used < 30; used++)
			put_stack(&b, used, used * 4 % (ROOM + 1));
		ring.head = b.head;
		opd_perf_ring_spill(&ring, limit, SIZE, accept_all, NULL);
		for (size_t i = 10; i < 30; i++)
			expect_stack(&ring, i, i * 4 % (ROOM + 1));
		assert_null(opd_perf_ring_peek(&ring));
		assert_null(ring.kept);
		assert_int_equal(ring.bad, 0);
		opd_perf_ring_unmap(&ring);
	}
}

static void saved_records_omit_unused_stack_bytes(void **state)
{
	struct perf_bytes b = { .data = data, .size = SIZE };
	struct opd_perf_ring ring;

	(void)state;
	opd_perf_ring_init_memory(&ring, data, SIZE, 0, 0, &stacks);
	for (size_t i = 0; i < 20; i++)
		put_stack(&b, i, 8);
	ring.head = b.head;
	assert_true(opd_perf_ring_is_filled(&ring, 2));
	opd_perf_ring_spill(&ring, SIZE, SIZE, accept_all, NULL);
	assert_false(opd_perf_ring_is_filled(&ring, 1000));
	assert_int_equal(ring.kept_end, 20 * (8 + 24 + 8 + 16 + 8));
	opd_perf_ring_unmap(&ring);
}

static void unwanted_records_are_discarded(void **state)
{
	struct perf_bytes b = { .data = data, .size = SIZE };
	struct opd_perf_ring ring;

	(void)state;
	opd_perf_ring_init_memory(&ring, data, SIZE, 0, 0, &stacks);
	for (size_t i = 0; i < 20; i++)
		put_stack(&b, i, 8);
	ring.head = b.head;
	/* Records 0 and 1 are kept, but record 2 has no room. */
	assert_false(opd_perf_ring_spill(&ring, 64, SIZE, accept_even, NULL));
	assert_true(opd_perf_ring_spill(&ring, SIZE, SIZE, accept_even, NULL));
	for (size_t i = 0; i < 20; i += 2)
		expect_stack(&ring, i, 8);
	assert_null(opd_perf_ring_peek(&ring));
	opd_perf_ring_unmap(&ring);
}

/* Removing saved records makes room for new ones. */
static void saved_records_reuse_limited_memory(void **state)
{
	struct perf_bytes b = { .data = data, .size = SIZE };
	struct opd_perf_ring ring;
	size_t put = 0, got = 0, limit;

	(void)state;
	opd_perf_ring_init_memory(&ring, data, SIZE, 0, 0, &stacks);
	put_stack(&b, put++, 8);
	ring.head = b.head;
	assert_true(opd_perf_ring_spill(&ring, SIZE, SIZE, accept_all, NULL));
	limit = 30 * ring.kept_end;
	for (int round = 0; round < 50; round++) {
		while (put < got + 24)
			put_stack(&b, put++, 8);
		ring.head = b.head;
		assert_true(opd_perf_ring_spill(&ring, limit, SIZE, accept_all, NULL));
		while (got < put - 4)
			expect_stack(&ring, got++, 8);
	}
	opd_perf_ring_unmap(&ring);
}

/*
 * data_tail is advanced before the end of the drain of a large ring, so that the kernel can write
 * new records.
 */
static void data_tail_advances_during_drain(void **state)
{
	const size_t size = 16u << 20, record = 32, batch = 256u << 10;
	struct perf_event_mmap_page page = { 0 };
	struct perf_bytes b = { .data = malloc(size), .size = size };
	struct opd_perf_ring ring;
	uint64_t steps = 0, before = 0;

	(void)state;
	assert_non_null(b.data);
	for (size_t i = 0; i < size / record; i++)
		perf_put_sample(&b, PERF_RECORD_MISC_USER, 1, 2, 3, i);
	opd_perf_ring_init_memory(&ring, b.data, size, 0, 0, &samples);
	ring.page = &page;
	page.data_head = b.head;
	opd_perf_ring_refresh(&ring);
	while (opd_perf_ring_peek(&ring)) {
		opd_perf_ring_pop(&ring);
		assert_true(ring.tail - page.data_tail < batch);
		steps += page.data_tail != before;
		before = page.data_tail;
	}
	assert_int_equal(ring.tail, b.head);
	/*
	 * data_tail is not advanced for each record, because the CPU on which the kernel writes
	 * records reads the same cache line.
	 */
	assert_true(steps >= size / batch - 1 && steps <= size / batch);
	opd_perf_ring_publish(&ring);
	assert_int_equal(page.data_tail, b.head);
	ring.page = NULL;
	opd_perf_ring_unmap(&ring);
	free(b.data);
}

static void random_bytes_are_survived(void **state)
{
	(void)state;
	srandom(2);
	for (int round = 0; round < 2000; round++) {
		struct opd_perf_ring ring;
		unsigned int records = 0;

		for (size_t i = 0; i < SIZE; i++)
			data[i] = (unsigned char)(random() % (round % 3 ? 256 : 33));
		for (size_t i = 6; i < SIZE; i += 8)
			data[i] = (unsigned char)(8 * (random() % 9)), data[i + 1] = 0;
		opd_perf_ring_init_memory(&ring, data, SIZE, (uint64_t)random() % SIZE & ~7ul,
					  SIZE + ((uint64_t)random() % SIZE & ~7ul),
					  round % 3 == 2 ? &stacks : round % 2 ? &samples : &notices);
		while (opd_perf_ring_peek(&ring)) {
			if (random() % 4 == 0) {
				opd_perf_ring_spill(&ring, (size_t)random() % SIZE, SIZE,
						    accept_all, NULL);
				if (!opd_perf_ring_peek(&ring))
					break;
			}
			opd_perf_ring_pop(&ring);
			assert_true(++records <= 2 * SIZE / 8);
		}
		opd_perf_ring_unmap(&ring);
	}
}

/*
 * If memory for whole stacks is short, samples keep their count and their innermost frames. The
 * last sample stays in the ring, which has free space again.
 */
static void stacks_are_truncated_when_memory_is_short(void **state)
{
	enum { LARGE = 800, SHORT = 512 };
	struct perf_bytes b = { .data = data, .size = SIZE };
	const size_t used[] = { LARGE, 700, 100, LARGE };
	struct opd_perf_ring ring;

	(void)state;
	opd_perf_ring_init_memory(&ring, data, SIZE, 0, 0, &stacks);
	for (size_t i = 0; i < 4; i++)
		put_large_stack(&b, i, used[i], LARGE);
	ring.head = b.head;
	assert_false(opd_perf_ring_spill(&ring, SIZE, LARGE + 64, accept_all, NULL));
	assert_int_equal(ring.shortened, 1);
	assert_true(ring.kept_end < LARGE + 2 * SHORT + 100 + 4 * 64);
	for (size_t i = 0; i < 4; i++) {
		const struct opd_perf_record *r = opd_perf_ring_peek(&ring);
		const size_t size = i == 1 ? SHORT : used[i];

		assert_non_null(r);
		assert_int_equal(r->sample.ip, i);
		assert_int_equal(r->sample.stack.size, size);
		assert_int_equal(r->sample.stack.full, i != 2);
		for (size_t n = 0; n < size; n++)
			assert_int_equal(r->sample.stack.bytes[n], (unsigned char)(i + n));
		opd_perf_ring_pop(&ring);
	}
	assert_null(opd_perf_ring_peek(&ring));
	opd_perf_ring_unmap(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_ring_returns_no_record),
		cmocka_unit_test(wrapped_records_are_read),
		cmocka_unit_test(invalid_record_is_skipped_and_counted),
		cmocka_unit_test(saved_records_are_delivered_unchanged),
		cmocka_unit_test(saved_records_omit_unused_stack_bytes),
		cmocka_unit_test(unwanted_records_are_discarded),
		cmocka_unit_test(stacks_are_truncated_when_memory_is_short),
		cmocka_unit_test(saved_records_reuse_limited_memory),

		cmocka_unit_test(data_tail_advances_during_drain),
		cmocka_unit_test(random_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
