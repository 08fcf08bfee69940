// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_order.c -- tests that records from the rings of several CPUs are delivered in
 * time order where the order matters. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/source/perf_order.h"
#include "tests/unit/perf_bytes.h"

static const struct opd_perf_format sample_format = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
};
static const struct opd_perf_format notice_format = {
	.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1,
};

#define NR	4
#define SIZE	65536

struct machine {
	unsigned char data[2 * NR][SIZE];
	struct perf_bytes bytes[2 * NR];
	struct opd_perf_ring rings[2 * NR];
	struct opd_perf_ring *samples[NR], *notices[NR];

	/*
	 * .notice_time: time of the last notice that was delivered; .hold: time of the sample that
	 * the callback refuses
	 */
	uint64_t notice_time, hold;
	uint64_t sample_time[NR];	/* time of the last sample of each ring */
	unsigned int nr_samples, nr_notices;
};

static int make_machine(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	if (!m)
		return -1;
	for (int i = 0; i < 2 * NR; i++) {
		m->bytes[i] = (struct perf_bytes){ .data = m->data[i], .size = SIZE };
		opd_perf_ring_init_memory(&m->rings[i], m->data[i], SIZE, 0, 0,
					  i < NR ? &sample_format : &notice_format);
		if (i < NR)
			m->samples[i] = &m->rings[i];
		else
			m->notices[i - NR] = &m->rings[i];
	}
	*state = m;
	return 0;
}

static int free_machine(void **state)
{
	struct machine *m = *state;

	for (int i = 0; i < 2 * NR; i++)
		opd_perf_ring_unmap(&m->rings[i]);
	free(m);
	return 0;
}

static bool on_sample(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct machine *m = arg;

	if (r->time == m->hold)
		return false;
	assert_int_equal(r->kind, OPD_PERF_SAMPLE);
	assert_true(r->time > m->notice_time);
	assert_true(r->time >= m->sample_time[ring]);
	m->sample_time[ring] = r->time;
	m->nr_samples++;
	return true;
}

static void on_notice(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct machine *m = arg;

	(void)ring;
	assert_int_equal(r->kind, OPD_PERF_FORK);
	assert_true(r->time >= m->notice_time);
	for (int i = 0; i < NR; i++) {
		const struct opd_perf_record *next = opd_perf_ring_peek(m->samples[i]);

		assert_true(m->sample_time[i] <= r->time);
		if (next)	/* all older records of all rings were delivered */
			assert_true(next->time > r->time);
	}
	m->notice_time = r->time;
	m->nr_notices++;
}

static const struct opd_perf_order_ops ops = { .sample = on_sample, .notice = on_notice };

static void write_sample(struct machine *m, int cpu, uint64_t time)
{
	perf_put_sample(&m->bytes[cpu], PERF_RECORD_MISC_USER, 1, 2, 3, time);
	m->rings[cpu].head = m->bytes[cpu].head;
}

static void write_notice(struct machine *m, int cpu, uint64_t time)
{
	perf_put_task(&m->bytes[NR + cpu], PERF_RECORD_FORK, 2, 1, 2, time);
	m->rings[NR + cpu].head = m->bytes[NR + cpu].head;
}

static void drain(struct machine *m, uint64_t limit)
{
	assert_int_equal(opd_perf_order_drain(m->samples, m->notices, NR, limit, &ops, m), !m->hold);
}

static void on_merged(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct machine *m = arg;

	(void)ring;
	assert_true(r->time >= m->notice_time);
	m->notice_time = r->time;
	m->nr_samples++;
}

static void merged_records_are_in_time_order(void **state)
{
	struct machine *m = *state;

	for (int i = 0; i < 40; i++)
		write_sample(m, i * 7 % NR, (uint64_t)i);
	opd_perf_order_merge(m->samples, NR, 19, on_merged, m);
	assert_int_equal(m->nr_samples, 20);
	assert_int_equal(m->notice_time, 19);
	opd_perf_order_merge(m->samples, NR, UINT64_MAX, on_merged, m);
	assert_int_equal(m->nr_samples, 40);
}

/* .before is called before each notice, and at the end, with the time up to which it may go. */
static void before(void *arg, uint64_t until)
{
	struct machine *m = arg;

	assert_true(until > m->hold);
	m->hold = until;
}

static void others_come_before_notices(void **state)
{
	static const struct opd_perf_order_ops with_others = {
		.sample = on_sample, .notice = on_notice, .before = before,
	};
	struct machine *m = *state;

	write_notice(m, 0, 10);
	write_notice(m, 1, 20);
	assert_true(opd_perf_order_drain(m->samples, m->notices, NR, 15, &with_others, m));
	assert_int_equal(m->hold, 15);
	m->hold = 0;
	assert_true(opd_perf_order_drain(m->samples, m->notices, NR, 50, &with_others, m));
	assert_int_equal(m->hold, 50);
	assert_int_equal(m->nr_notices, 2);
}

static void empty_rings_deliver_nothing(void **state)
{
	struct machine *m = *state;

	drain(m, UINT64_MAX);
	assert_int_equal(m->nr_samples + m->nr_notices, 0);
}

static void notices_and_samples_are_delivered_in_time_order(void **state)
{
	struct machine *m = *state;

	write_sample(m, 0, 10);
	write_sample(m, 0, 30);
	write_sample(m, 1, 5);
	write_sample(m, 1, 25);
	write_notice(m, 2, 7);
	write_notice(m, 0, 20);
	write_notice(m, 0, 27);
	write_notice(m, 1, 21);
	drain(m, UINT64_MAX);
	assert_int_equal(m->nr_samples, 4);
	assert_int_equal(m->nr_notices, 4);
}

static void held_sample_delays_later_records(void **state)
{
	struct machine *m = *state;

	write_sample(m, 0, 10);
	write_sample(m, 0, 30);
	write_sample(m, 1, 25);
	write_notice(m, 2, 7);
	write_notice(m, 0, 20);
	write_notice(m, 1, 28);
	for (int i = 0; i < 2; i++) {
		m->hold = 25;
		drain(m, UINT64_MAX);
		assert_int_equal(m->nr_samples, 1);
		assert_int_equal(m->nr_notices, 2);
	}
	m->hold = 0;
	drain(m, UINT64_MAX);
	assert_int_equal(m->nr_samples, 3);
	assert_int_equal(m->nr_notices, 3);
}

static void records_after_time_limit_stay_in_ring(void **state)
{
	struct machine *m = *state;

	write_sample(m, 0, 10);
	write_sample(m, 1, 21);
	write_notice(m, 0, 15);
	write_notice(m, 1, 22);
	drain(m, 20);
	assert_int_equal(m->nr_samples, 1);
	assert_int_equal(m->nr_notices, 1);
	/* during the drain, the kernel writes a notice with an earlier time */
	write_notice(m, 2, 20);
	drain(m, 30);
	assert_int_equal(m->nr_samples, 2);
	assert_int_equal(m->nr_notices, 3);
}

static void random_load_is_delivered_completely(void **state)
{
	struct machine *m = *state;
	unsigned int samples = 0, notices = 0;
	uint64_t time = 1;

	srandom(3);
	for (int round = 0; round < 500; round++) {
		for (int i = 0; i < 100; i++) {
			time += (uint64_t)random() % 3;
			if (random() % 4) {
				write_sample(m, (int)(random() % NR), time);
				samples++;
			} else {
				write_notice(m, (int)(random() % NR), time);
				notices++;
			}
		}
		drain(m, time - (uint64_t)random() % 40);
		if (round % 2) {
			drain(m, time);
			assert_int_equal(m->nr_samples, samples);
			assert_int_equal(m->nr_notices, notices);
		}
		time++;		/* the time limit must be a time that has passed */
	}
	drain(m, UINT64_MAX);
	assert_int_equal(m->nr_samples, samples);
	assert_int_equal(m->nr_notices, notices);
}

static bool accept_all(void *arg, const struct opd_perf_record *r)
{
	(void)arg;
	(void)r;
	return true;
}

static void save_records(void *arg)
{
	struct machine *m = arg;

	for (int i = 0; i < 2 * NR; i++)
		opd_perf_ring_spill(&m->rings[i], SIZE, SIZE, accept_all, NULL);
}

/* Records that are saved from full rings during a drain are delivered in order. */
static void records_saved_during_drain_keep_order(void **state)
{
	static const struct opd_perf_order_ops relieving = {
		.sample = on_sample, .notice = on_notice, .relieve = save_records,
	};
	struct machine *m = *state;

	for (int i = 1; i <= 1000; i++) {
		write_sample(m, i % NR, 10 * i);
		write_notice(m, (i + 1) % NR, 10 * i + 5);
	}
	assert_true(opd_perf_order_drain(m->samples, m->notices, NR, 5000, &relieving, m));
	assert_int_equal(m->nr_samples, 500);
	assert_int_equal(m->nr_notices, 499);
	for (int i = 0; i < 2 * NR; i++)
		assert_int_equal(m->rings[i].tail, m->rings[i].head);
	assert_true(opd_perf_order_drain(m->samples, m->notices, NR, UINT64_MAX, &relieving, m));
	assert_int_equal(m->nr_samples, 1000);
	assert_int_equal(m->nr_notices, 1000);
}

#define test(f) cmocka_unit_test_setup_teardown(f, make_machine, free_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(merged_records_are_in_time_order),
		test(others_come_before_notices),
		test(empty_rings_deliver_nothing),
		test(notices_and_samples_are_delivered_in_time_order),
		test(held_sample_delays_later_records),
		test(records_after_time_limit_stay_in_ring),
		test(records_saved_during_drain_keep_order),
		test(random_load_is_delivered_completely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
