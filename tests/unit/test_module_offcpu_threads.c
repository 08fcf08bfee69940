// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_module_offcpu_threads.c -- tests the accounts of waiting threads (module/offcpu/threads.c):
 * samples stand for the time that was waited, whatever the pattern of waits, and a full bucket
 * refuses a thread without touching others.
 */
#include "config.h"

#include <linux/vmalloc.h>

#include "unit/check.h"

#include "offcpu/threads.h"

#define PERIOD	1000000ull

void *vzalloc(unsigned long size)
{
	void *p = aligned_alloc(64, size);

	return p ? memset(p, 0, size) : NULL;
}

void vfree(const void *p)
{
	free((void *)p);
}

static u64 random_state;

static u64 random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1dull;
}

static int setup(void **state)
{
	struct oprofile_offcpu_threads *t = calloc(1, sizeof(*t));

	random_state = 88172645463325252ull;
	assert_int_equal(oprofile_offcpu_threads_alloc(t, 1024), 0);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	oprofile_offcpu_threads_free(*state);
	free(*state);
	return 0;
}

static struct oprofile_offcpu_thread *add(struct oprofile_offcpu_threads *t, unsigned long task)
{
	return oprofile_offcpu_thread_add(t, (void *)task, 0,
					  oprofile_offcpu_moment(PERIOD, 0, random_bits() >> 32));
}

static void threads_are_found(void **state)
{
	struct oprofile_offcpu_threads *t = *state;
	struct oprofile_offcpu_thread *a = add(t, 0x1000), *b = add(t, 0x2000);

	assert_non_null(a);
	assert_non_null(b);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(oprofile_offcpu_thread_find(t, (void *)0x1000), a);
	assert_ptr_equal(oprofile_offcpu_thread_find(t, (void *)0x2000), b);
	assert_null(oprofile_offcpu_thread_find(t, (void *)0x3000));
	oprofile_offcpu_thread_free(t, a);
	assert_null(oprofile_offcpu_thread_find(t, (void *)0x1000));
	assert_ptr_equal(oprofile_offcpu_thread_find(t, (void *)0x2000), b);
}

static void count(void *arg, const struct oprofile_offcpu_thread *thread)
{
	(void)thread;
	++*(int *)arg;
}

/* Fill the table: it has room for the number of threads that was asked for. Then threads without room
 * are refused, the others stay, and a freed entry is used again, with a new account. */
static void full_buckets_refuse(void **state)
{
	struct oprofile_offcpu_threads *t = *state;
	struct oprofile_offcpu_thread *e;
	unsigned long refused = 0, first = 0, last = 0;
	int nr = 0;

	for (unsigned long i = 1; i <= 8192; i++) {
		e = add(t, i << 12);
		if (!e) {
			first = refused++ ? first : i;
			last = i;
		} else {
			e->account.away = i;
		}
	}
	assert_true(refused >= 8192 - 2 * 1024);
	assert_true(first > 1024);
	oprofile_offcpu_threads_each(t, count, &nr);
	assert_int_equal(nr, 8192 - refused);
	nr = 0;
	for (unsigned long i = 1; i <= 8192; i++) {
		e = oprofile_offcpu_thread_find(t, (void *)(i << 12));
		if (!e)
			continue;
		assert_int_equal(e->account.away, i);
		oprofile_offcpu_thread_free(t, e);
		nr++;
	}
	assert_int_equal(nr, 8192 - refused);
	e = add(t, last << 12);
	assert_non_null(e);
	assert_int_equal(e->account.away + e->account.periods + e->since, 0);
}

/* A user gets entries for at most half of the number of threads. Root does not have this limit. */
static void users_have_shares(void **state)
{
	struct oprofile_offcpu_threads *t = *state;
	struct oprofile_offcpu_thread *e = NULL, *last = NULL;
	int nr = 0;

	for (unsigned long i = 1; i <= 2000; i++) {
		e = oprofile_offcpu_thread_add(t, (void *)(i << 12), 5, 1);
		if (e) {
			last = e;
			nr++;
		}
	}
	assert_int_equal(nr, 512);
	oprofile_offcpu_thread_free(t, last);
	assert_non_null(oprofile_offcpu_thread_add(t, (void *)(5000ul << 12), 5, 1));
	assert_null(oprofile_offcpu_thread_add(t, (void *)(5001ul << 12), 5, 1));
	assert_non_null(oprofile_offcpu_thread_add(t, (void *)(5001ul << 12), 6, 1));
	for (unsigned long i = 6000; i < 6000 + 511; i++)
		assert_non_null(add(t, i << 12));
}

/* A dump locks the entry of a thread that waits, and moves the begin of its wait. */
static void waiting_threads_are_locked(void **state)
{
	struct oprofile_offcpu_thread *e = add(*state, 0x1000);

	assert_int_equal(oprofile_offcpu_thread_lock(e), 0);
	assert_int_equal(oprofile_offcpu_thread_comes(e), 0);
	oprofile_offcpu_thread_leaves(e, 1000);
	assert_int_equal(oprofile_offcpu_thread_lock(e), 1000);
	assert_int_equal(e->since, 1000 | OPROFILE_OFFCPU_LOCKED);
	oprofile_offcpu_thread_unlock(e, 3000);
	assert_int_equal(oprofile_offcpu_thread_comes(e), 3000);
	assert_int_equal(e->since, 0);
}

/* At any time, the samples differ from the time waited by less than a period. */
static void samples_are_the_time(void **state)
{
	static const u64 lengths[] = { 1, 999, 20000, 999999, 1000000, 1000001, 7300000, 604800000000000ull };
	struct oprofile_offcpu_thread *e = add(*state, 0x1000);
	u64 waited = 0, samples = 0;

	for (int i = 0; i < 100000; i++) {
		u64 ns = lengths[random_bits() % (sizeof(lengths) / sizeof(lengths[0]) - (i != 77))];

		waited += ns;
		samples += oprofile_offcpu_wait(&e->account, ns, PERIOD, random_bits());
		assert_int_equal(e->account.away, waited);
		assert_int_equal(e->account.periods, samples);
		assert_int_equal(oprofile_offcpu_rest(&e->account, PERIOD), (s64)(waited - samples * PERIOD));
		assert_true(oprofile_offcpu_rest(&e->account, PERIOD) < (s64)PERIOD);
		assert_true(oprofile_offcpu_rest(&e->account, PERIOD) >= -(s64)PERIOD);
	}
}

/* A wait may have more periods than 32 bits hold. */
static void waits_are_long(void **state)
{
	static const u64 periods[] = { 1ull << 31, (1ull << 31) + 1, 1ull << 32, 1ull << 40 };
	struct oprofile_offcpu_thread *e = add(*state, 0x1000);
	u64 waited = 0, samples = 0;

	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		waited += periods[i] * PERIOD;
		samples += oprofile_offcpu_wait(&e->account, periods[i] * PERIOD, PERIOD, random_bits());
		assert_true(samples >= waited / PERIOD && samples <= waited / PERIOD + 1);
		assert_int_equal(oprofile_offcpu_rest(&e->account, PERIOD), (s64)(waited - samples * PERIOD));
	}
}

/* Waits that alternate in step with the period, and begin at regular times: each kind has its share.
 * With a sample at the end of each period, one kind would have them all. */
static void waits_in_step_have_their_shares(void **state)
{
	struct oprofile_offcpu_threads *t = *state;
	struct oprofile_offcpu_thread *e = add(t, 0x1000);
	u64 samples[3] = { 0 }, since = 0;
	static const u64 lengths[] = { 200000, 300000, 500000 };

	t->secret = random_bits();
	for (int i = 0; i < 100000; i++) {
		for (int kind = 0; kind < 3; kind++) {
			samples[kind] += oprofile_offcpu_wait(&e->account, lengths[kind], PERIOD,
							      oprofile_offcpu_thread_random(t, e, since));
			since += lengths[kind];
		}
	}
	for (int kind = 0; kind < 3; kind++) {
		s64 expected = lengths[kind] / 10;

		/* six standard deviations */
		assert_true(llabs((s64)samples[kind] - expected) < 1000);
	}
}

/* Waits much shorter than the period are sampled at the same rate. */
static void short_waits_are_sampled(void **state)
{
	struct oprofile_offcpu_thread *e = add(*state, 0x1000);
	u64 samples = 0;

	for (int i = 0; i < 1000000; i++)
		samples += oprofile_offcpu_wait(&e->account, 1000, PERIOD, random_bits());
	assert_in_range(samples, 999, 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(full_buckets_refuse, setup, teardown),
		cmocka_unit_test_setup_teardown(users_have_shares, setup, teardown),
		cmocka_unit_test_setup_teardown(waiting_threads_are_locked, setup, teardown),
		cmocka_unit_test_setup_teardown(samples_are_the_time, setup, teardown),
		cmocka_unit_test_setup_teardown(waits_are_long, setup, teardown),
		cmocka_unit_test_setup_teardown(waits_in_step_have_their_shares, setup, teardown),
		cmocka_unit_test_setup_teardown(short_waits_are_sampled, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
