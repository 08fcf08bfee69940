// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_stats.c -- tests the daemon's accounting of samples: taken == stored + losses, also
 * after restarts of the daemon or of sampling.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/store/stats.h"
#include "libop/session/recover.h"

struct accounting {
	struct opd_stats stats;
	struct op_session_stats source;
};

static int setup(void **state)
{
	struct accounting *b = calloc(1, sizeof(*b));

	opd_stats_init(&b->stats);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct accounting *b = *state;

	opd_stats_release(&b->stats);
	op_session_stats_release(&b->source);
	free(b);
	return 0;
}

static void add_source_count(struct accounting *b, const char *name, uint64_t nr)
{
	assert_int_equal(op_session_stats_add(&b->source, name, nr), 0);
}

static void set_source_count(struct accounting *b, const char *name, uint64_t nr)
{
	for (size_t i = 0; i < b->source.nr; i++)
		if (!strcmp(b->source.values[i].name, name))
			b->source.values[i].value = nr;
}

/* Check that taken, stored and lost samples agree. Return the number of taken samples. */
static uint64_t check(struct accounting *b, bool settled, uint64_t stored, uint64_t lost, uint64_t pending)
{
	struct op_session_stats t = { 0 };
	uint64_t taken;

	assert_int_equal(opd_stats_totals(&b->stats, &b->source, settled, &t), 0);
	taken = op_session_stats_sum(&t, OP_STAT_TAKEN);
	assert_int_equal(op_session_stats_sum(&t, OP_STAT_STORED), stored);
	assert_int_equal(op_session_stats_sum(&t, OP_STAT_LOSS), lost);
	assert_int_equal(op_session_stats_get(&t, "pending"), pending);
	op_session_stats_release(&t);
	return taken;
}

static void restart(struct accounting *b, bool settled)
{
	struct op_session_stats base = { 0 };

	assert_int_equal(opd_stats_base(&b->stats, &b->source, settled, &base), 0);
	opd_stats_restart(&b->stats, &base);
	assert_int_equal(base.nr, 0);
}

static void test_running_and_stopped(void **state)
{
	struct accounting *b = *state;

	add_source_count(b, "sample_received", 100);
	add_source_count(b, "sample_lost_overflow", 7);
	b->stats.v[OPD_STAT_STORED] = 80;
	assert_true(opd_stats_count(&b->stats, "lost_no_file", 3));
	assert_false(opd_stats_count(&b->stats, "lost_no_file", 1));
	assert_int_equal(check(b, false, 80, 11, 9), 91);
	b->stats.v[OPD_STAT_STORED] = 89;
	assert_int_equal(check(b, true, 89, 11, 0), 100);
	/* If the numbers do not agree after sampling has stopped, the difference is not hidden as a
	 * loss. */
	b->stats.v[OPD_STAT_STORED] = 88;
	assert_int_equal(check(b, true, 88, 11, 0), 100);
}

static void test_counts_of_earlier_daemons_are_included(void **state)
{
	struct accounting *b = *state;

	op_session_stats_add(&b->stats.earlier, "perf_taken", 50);
	op_session_stats_add(&b->stats.earlier, "stored", 45);
	op_session_stats_add(&b->stats.earlier, "lost_no_file", 5);
	op_session_stats_add(&b->stats.earlier, "pending", 99);
	add_source_count(b, "sample_received", 10);
	b->stats.v[OPD_STAT_STORED] = 10;
	assert_int_equal(check(b, true, 55, 5, 0), 60);
}

/* If the session is reset while samples are in transit, these samples belong to the new session. */
static void test_reset_while_running(void **state)
{
	struct accounting *b = *state;

	add_source_count(b, "sample_received", 100);
	add_source_count(b, "sample_lost_overflow", 10);
	add_source_count(b, "sample_unresolved", 5);
	add_source_count(b, "idle_ns", 1000);
	b->stats.v[OPD_STAT_STORED] = 70;
	assert_int_equal(check(b, false, 70, 15, 15), 85);
	restart(b, false);
	/* 15 samples were in transit; 5 of them are still waiting in the kernel. */
	assert_int_equal(check(b, false, 0, 5, 15), 5);
	b->stats.v[OPD_STAT_STORED] = 20;
	set_source_count(b, "sample_unresolved", 0);
	assert_int_equal(check(b, true, 20, 0, 0), 20);
	set_source_count(b, "sample_received", 130);
	set_source_count(b, "sample_lost_overflow", 12);
	b->stats.v[OPD_STAT_STORED] = 48;
	assert_int_equal(check(b, true, 48, 2, 0), 50);
}

static void test_reset_while_stopped(void **state)
{
	struct accounting *b = *state;

	add_source_count(b, "sample_received", 100);
	add_source_count(b, "sample_lost_overflow", 10);
	b->stats.v[OPD_STAT_STORED] = 90;
	op_session_stats_add(&b->stats.earlier, "stored", 1);
	op_session_stats_add(&b->stats.earlier, "sample_received", 1);
	assert_int_equal(check(b, true, 91, 10, 0), 101);
	restart(b, true);
	assert_int_equal(check(b, true, 0, 0, 0), 0);
	set_source_count(b, "sample_received", 103);
	b->stats.v[OPD_STAT_STORED] = 3;
	assert_int_equal(check(b, true, 3, 0, 0), 3);
}

static void test_recovered_samples_balance_totals(void **state)
{
	struct op_session_stats t = { 0 };

	(void)state;
	op_session_stats_add(&t, "sample_received", 100);
	op_session_stats_add(&t, "stored", 90);
	op_session_stats_add(&t, "lost_no_file", 10);
	assert_int_equal(op_recover_stored(&t, 95, "recovered_samples", "lost_crash"), 0);
	assert_int_equal(op_session_stats_get(&t, "stored"), 95);
	assert_int_equal(op_session_stats_sum(&t, OP_STAT_TAKEN), 105);
	assert_int_equal(op_recover_stored(&t, 60, "recovered_samples", "lost_crash"), 0);
	assert_int_equal(op_session_stats_get(&t, "stored"), 60);
	assert_int_equal(op_session_stats_get(&t, "lost_crash"), 35);
	assert_int_equal(op_session_stats_sum(&t, OP_STAT_TAKEN),
			 op_session_stats_sum(&t, OP_STAT_STORED) +
			 op_session_stats_sum(&t, OP_STAT_LOSS));
	/* Samples of wakers are neither stored nor lost. */
	assert_int_equal(op_recover_wakers(&t, 0, "recovered_samples", "lost_crash"), 0);
	assert_int_equal(op_recover_wakers(&t, 7, "recovered_samples", "lost_crash"), 0);
	assert_int_equal(op_recover_wakers(&t, 5, "recovered_samples", "lost_crash"), 0);
	assert_int_equal(op_session_stats_get(&t, "wakers"), 5);
	assert_int_equal(op_session_stats_sum(&t, OP_STAT_TAKEN),
			 op_session_stats_sum(&t, OP_STAT_STORED) + 5 +
			 op_session_stats_sum(&t, OP_STAT_LOSS));
	op_session_stats_release(&t);
}

/*
 * The totals of paths are recovered after a kill. 10 samples were stored before paths were
 * recorded. 5 more samples are in sample files, and 4 of these are in trees, but not in the totals.
 */
static void test_recovery_of_paths(void **state)
{
	struct op_session_stats t = { 0 };

	(void)state;
	assert_int_equal(op_recover_paths(&t, 0, &(struct op_session_sums){ .stored = 0 }), 0);
	assert_int_equal(t.nr, 0);
	op_session_stats_add(&t, "stored", 95);
	op_session_stats_add(&t, "paths", 78);
	op_session_stats_add(&t, "paths_lost", 2);
	assert_int_equal(op_recover_paths(&t, 90, &(struct op_session_sums){ .paths = 82 }), 0);
	assert_int_equal(op_session_stats_get(&t, "paths"), 82);
	assert_int_equal(op_session_stats_get(&t, "paths_lost"), 3);
	/* If sample files are damaged, they contain fewer samples than the trees. */
	assert_int_equal(op_recover_paths(&t, 95, &(struct op_session_sums){ .paths = 90 }), 0);
	assert_int_equal(op_session_stats_get(&t, "paths"), 90);
	assert_int_equal(op_session_stats_get(&t, "paths_lost"), 3);
	op_session_stats_release(&t);
}

/* Each counter of the daemon is in the table that reports read; otherwise the sums in reports would
 * be wrong. */
static void test_counters_are_in_stat_table(void **state)
{
	(void)state;
	for (int i = 0; i < OPD_NR_STATS; i++) {
		bool found = false;

		assert_non_null(opd_stat_name(i));
		for (size_t j = 0; j < op_nr_stat_descs; j++)
			found |= !strcmp(op_stat_descs[j].name, opd_stat_name(i));
		if (!found)
			fail_msg("%s is not in op_stat_descs", opd_stat_name(i));
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_running_and_stopped),
		T(test_counts_of_earlier_daemons_are_included),
		T(test_reset_while_running),
		T(test_reset_while_stopped),
		cmocka_unit_test(test_recovered_samples_balance_totals),
		cmocka_unit_test(test_recovery_of_paths),
		cmocka_unit_test(test_counters_are_in_stat_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
