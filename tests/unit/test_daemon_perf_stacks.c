// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_stacks.c -- tests which part of a thread's stack is cached, and when the cached
 * part is used. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/source/decode_perf.h"
#include "daemon/source/perf_stacks.h"

#define SP	0x7000000u
#define COPIED	1024u		/* number of bytes in the copy of the stack */
#define DEEP	(700u << 10)	/* number of bytes of the whole stack */
#define MS	1000000u
#define BEGIN	(1000 * MS)	/* time of the first sample, in ns */

static unsigned char memory[DEEP];
static size_t nr_reads;
static ssize_t fails;

static ssize_t read_memory(void *arg, pid_t tid, uint64_t address, void *to, size_t size)
{
	(void)arg;
	(void)tid;
	nr_reads++;
	assert_true(address >= SP && address < SP + DEEP);
	if (fails)
		return fails;
	if (size > SP + DEEP - address)
		size = SP + DEEP - address;
	memcpy(to, memory + (address - SP), size);
	return (ssize_t)size;
}

static struct opd_perf_stacks *new_stacks(void)
{
	struct opd_perf_stacks *s;

	for (size_t i = 0; i < DEEP; i += 8)
		memcpy(memory + i, &(uint64_t){ SP + i }, 8);
	nr_reads = 0;
	fails = 0;
	assert_int_equal(opd_perf_stacks_create(&s, read_memory, NULL), 0);
	return s;
}

/* Return the copy of a stack that begins at @sp. */
static struct opd_perf_stack copy_stack(uint64_t sp)
{
	static unsigned char bytes[COPIED];

	memcpy(bytes, memory + (sp - SP), COPIED);
	return (struct opd_perf_stack){ .bytes = bytes, .size = COPIED, .full = true };
}

static struct opd_perf_outer *find_outer(struct opd_perf_stacks *s, pid_t tid, uint64_t ms,
					 uint64_t frame_sp, uint64_t slot, uint64_t sp)
{
	struct opd_perf_frame_state at = { 1, frame_sp, 2 };
	struct opd_perf_stack copy = copy_stack(sp);

	return opd_perf_stacks_find(s, 1, tid, BEGIN + ms * MS, &at, slot, sp, &copy);
}

static void store_outer(struct opd_perf_outer *o, uint64_t frame_sp, uint64_t sp)
{
	const struct opd_perf_frame_state states[] = { { 1, frame_sp, 2 }, { 1, frame_sp + 5000, 2 } };
	struct opd_perf_stack copy = copy_stack(sp);

	opd_perf_outer_save(o, states, 2, sp, &copy);
}

static bool has_word(const struct opd_perf_outer *o, uint64_t address)
{
	__u64 got;

	return opd_perf_outer_word(o, address, 8, &got) && got == address;
}

static void outer_stack_is_read_once(void **state)
{
	struct opd_perf_stacks *s = new_stacks();
	uint64_t sp = SP + 4096;
	struct opd_perf_outer *o = find_outer(s, 7, 0, sp + 1000, sp + 992, sp);
	__u64 got;

	(void)state;
	assert_non_null(o);
	assert_true(has_word(o, sp + 992));
	assert_true(has_word(o, sp + 100000));
	assert_false(has_word(o, sp + 984));
	assert_false(has_word(o, sp + (128 << 10) + 992));
	assert_false(opd_perf_outer_word(o, sp + (128 << 10) + 984, 16, &got));
	store_outer(o, sp + 1000, sp);
	/* The longer copy of this sample is cached, too, for later samples with a shorter copy. */
	assert_true(has_word(o, sp));
	assert_ptr_equal(find_outer(s, 7, 1, sp + 6000, 0, sp + 3000), o);
	assert_int_equal(nr_reads, 1);
	/*
	 * If no earlier walk has passed a frame, the stack is read again, but only after a while.
	 */
	assert_null(find_outer(s, 7, 0, sp + 2000, sp + 992, sp));
	assert_int_equal(nr_reads, 1);
	assert_non_null(find_outer(s, 7, 2, sp + 2000, sp + 992, sp));
	assert_int_equal(nr_reads, 2);
	/* Another thread has its own stack. */
	assert_non_null(find_outer(s, 8, 2, sp + 1000, sp + 992, sp));
	assert_int_equal(nr_reads, 3);
	opd_perf_stacks_destroy(s);
}

/*
 * A cached part of a stack expires, because only a new read can distinguish two callers of a
 * function that have frames of the same size.
 */
static void cached_stack_expires(void **state)
{
	struct opd_perf_stacks *s = new_stacks();
	uint64_t sp = SP + 4096;
	struct opd_perf_outer *o = find_outer(s, 7, 0, sp + 1000, sp + 992, sp);

	(void)state;
	store_outer(o, sp + 1000, sp);
	assert_ptr_equal(find_outer(s, 7, 4, sp + 1000, sp + 992, sp), o);
	assert_int_equal(nr_reads, 1);
	memory[4096 + 50000]++;
	assert_true(has_word(o, sp + 50000));
	assert_ptr_equal(find_outer(s, 7, 5, sp + 1000, sp + 992, sp), o);
	assert_int_equal(nr_reads, 2);
	assert_false(has_word(o, sp + 50000));
	store_outer(o, sp + 1000, sp);
	/* The thread has ended before its last samples are processed. */
	fails = -ESRCH;
	assert_ptr_equal(find_outer(s, 7, 300, sp + 1000, sp + 992, sp), o);
	assert_int_equal(nr_reads, 3);
	assert_null(find_outer(s, 7, 520, sp + 1000, sp + 992, sp));
	assert_int_equal(nr_reads, 4);
	opd_perf_stacks_destroy(s);
}

/*
 * The cached part is not used if words of the frame that leads beyond the copy have changed,
 * because this is then another frame at the same address.
 */
static void cached_stack_is_ignored_when_frame_changed(void **state)
{
	struct opd_perf_stacks *s = new_stacks();
	uint64_t sp = SP + 4096;
	struct opd_perf_outer *o = find_outer(s, 7, 0, sp + 608, sp + 600, sp);

	(void)state;
	store_outer(o, sp + 608, sp);
	/* Changes of a word of the callee, or of a word outside of the compared words, do not
	 * matter. */
	memory[4096 + 592]++;
	memory[4096 + 600 + 256]++;
	assert_ptr_equal(find_outer(s, 7, 2, sp + 608, sp + 600, sp), o);
	assert_int_equal(nr_reads, 1);
	memory[4096 + 600 + 248]++;
	assert_ptr_equal(find_outer(s, 7, 3, sp + 608, sp + 600, sp), o);
	assert_int_equal(nr_reads, 2);
	store_outer(o, sp + 608, sp);
	memory[4096 + 608]++;
	fails = -ESRCH;
	assert_null(find_outer(s, 7, 4, sp + 608, sp + 600, sp));
	assert_int_equal(nr_reads, 3);
	opd_perf_stacks_destroy(s);
}

static void stack_changed_since_sample_is_not_used(void **state)
{
	struct opd_perf_stacks *s = new_stacks();
	struct opd_perf_stack copy = copy_stack(SP);
	struct opd_perf_frame_state at = { 1, SP + 1000, 2 };

	(void)state;
	memory[992]++;
	assert_null(opd_perf_stacks_find(s, 1, 7, BEGIN, &at, SP + 992, SP, &copy));
	/* The return address is unchanged, but a word of the calling frame has changed. */
	memory[992]--;
	memory[1000]++;
	assert_null(opd_perf_stacks_find(s, 1, 7, BEGIN + 2 * MS, &at, SP + 992, SP, &copy));
	memory[1000]--;
	/* If the innermost frame is larger than the copy, the end of the copy must be unchanged. */
	assert_non_null(opd_perf_stacks_find(s, 1, 7, BEGIN + 6 * MS, &at, 0, SP, &(struct opd_perf_stack){
		.bytes = memory, .size = COPIED, .full = true }));
	memory[COPIED - 64]++;
	assert_null(opd_perf_stacks_find(s, 1, 7, BEGIN + 8 * MS, &(struct opd_perf_frame_state){ 3, SP, 4 }, 0, SP, &copy));
	assert_int_equal(nr_reads, 4);
	opd_perf_stacks_destroy(s);
}

/* If reads fail, they become rare. After a successful read they become frequent again. */
static void fails_again(void **state)
{
	struct opd_perf_stacks *s = new_stacks();
	struct opd_perf_stack copy = copy_stack(SP);
	struct opd_perf_frame_state at = { 1, SP + 1000, 2 };
	uint64_t time = BEGIN;

	(void)state;
	memory[992]++;
	for (unsigned int i = 0; i < 1000; i++, time += MS)
		assert_null(opd_perf_stacks_find(s, 1, 7, time, &at, SP + 992, SP, &copy));
	assert_true(nr_reads >= 10 && nr_reads < 20);
	memory[992]--;
	time += 200 * MS;
	assert_non_null(opd_perf_stacks_find(s, 1, 7, time, &at, SP + 992, SP, &copy));
	memory[992]++;
	nr_reads = 0;
	assert_null(opd_perf_stacks_find(s, 1, 7, time + 2 * MS, &at, SP + 992, SP, &copy));
	assert_int_equal(nr_reads, 1);
	memory[992]--;
	opd_perf_stacks_destroy(s);
}

static void unreadable_stack_is_not_cached(void **state)
{
	struct opd_perf_stacks *s = new_stacks();

	(void)state;
	fails = -ESRCH;
	assert_null(find_outer(s, 7, 0, SP + 1000, SP + 992, SP));
	fails = 8;		/* the read returns only the word that led to the frame */
	assert_null(find_outer(s, 7, 2, SP + 1000, SP + 992, SP));
	/* Nothing is found for a sample without a task, or for a return address outside of the
	 * copy. */
	assert_null(find_outer(s, -1, 4, SP + 1000, SP + 992, SP));
	assert_int_equal(nr_reads, 2);
	fails = 0;
	assert_null(find_outer(s, 7, 4, SP + 1000, SP + COPIED - 4, SP));
	assert_null(find_outer(s, 7, 6, SP + 1000, SP - 8, SP));
	assert_int_equal(nr_reads, 2);
	opd_perf_stacks_destroy(s);
}

/* Only the outer end of a stack is cached, and only for a limited number of threads. */
static void cached_bytes_and_threads_are_limited(void **state)
{
	struct opd_perf_stacks *s = new_stacks();
	uint64_t far = SP + (600u << 10);
	struct opd_perf_outer *o = find_outer(s, 7, 0, far + 1000, far + 992, far);
	const struct opd_perf_frame_state *states = test_calloc(1000, sizeof(*states));
	struct opd_perf_stack copy = copy_stack(far - 5);

	(void)state;
	assert_non_null(o);
	opd_perf_outer_save(o, states, 1000, far - 5, &copy);
	assert_false(has_word(o, far - 16));
	/* A part is not cached if it would leave a hole after the copy. */
	store_outer(o, far + 1000, SP);
	assert_true(has_word(o, far + 2000));
	assert_false(has_word(o, SP));
	for (pid_t tid = 100; tid < 200; tid++)
		assert_non_null(find_outer(s, tid, 0, SP + 1000, SP + 992, SP));
	nr_reads = 0;
	assert_non_null(find_outer(s, 7, 9, far + 1000, far + 992, far));
	assert_int_equal(nr_reads, 1);
	test_free((void *)states);
	opd_perf_stacks_destroy(s);
	opd_perf_stacks_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outer_stack_is_read_once),
		cmocka_unit_test(cached_stack_expires),
		cmocka_unit_test(cached_stack_is_ignored_when_frame_changed),
		cmocka_unit_test(stack_changed_since_sample_is_not_used),
		cmocka_unit_test(fails_again),
		cmocka_unit_test(unreadable_stack_is_not_cached),
		cmocka_unit_test(cached_bytes_and_threads_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
