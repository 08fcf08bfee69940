// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_certainty.c -- tests differential profiles of simulated counts: how often a random
 * difference is reported as a change, and how often a real change is found.
 *
 * The counts of each line are Poisson variables, as samples are. The seed and the number of pairs
 * are fixed, so the figures that the test prints are the same on every machine.
 */
#include "config.h"
#include "tests/unit/check.h"
#include "tests/unit/pp_log.h"

#include <errno.h>
#include <math.h>

#include "pp/join/certainty.h"
#include "pp/join/fail_if.h"
#include "pp/profile/profile.h"

#define NR_LINES	400
#define PLANTED		0	/* index of the planted line, which has a tenth of all samples */

struct side {
	struct pp_binary binary;
	struct pp_group group;
	uint64_t group_counts[1];
	uint64_t totals[1];
	uint64_t counts[NR_LINES][1];
	struct pp_code codes[NR_LINES];
	struct pp_entry entries[NR_LINES];
	struct pp_profile profile;
};

static char names[NR_LINES][16];
static uint64_t state_of_chance = 0x9E3779B97F4A7C15u;

/* Return a random number between 0 and 1, exclusive. */
static double random_share(void)
{
	state_of_chance ^= state_of_chance << 13;
	state_of_chance ^= state_of_chance >> 7;
	state_of_chance ^= state_of_chance << 17;
	return ((double)(state_of_chance >> 12) + 0.5) / 4503599627370496.0;
}

/*
 * Return a Poisson variable of mean @mean: for a small mean by products of random numbers,
 * otherwise by Hormann's transformed rejection.
 */
static uint64_t poisson(double mean)
{
	double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;

	if (mean < 10) {
		double product = random_share(), limit = exp(-mean);
		uint64_t n = 0;

		for (; product > limit; n++)
			product *= random_share();
		return n;
	}
	for (;;) {
		double u = random_share() - 0.5, v = random_share(), us = 0.5 - fabs(u);
		double k = floor((2 * a / us + b) * u + mean + 0.43);

		if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2))
			return (uint64_t)k;
		if (k < 0 || (us < 0.013 && v > us))
			continue;
		if (log(v) + log(1.1239 + 1.1328 / (b - 3.4)) - log(a / (us * us) + b) <=
		    k * log(mean) - mean - lgamma(k + 1))
			return (uint64_t)k;
	}
}

/* Return the share of @line in all samples: the planted line has a tenth, and all other lines form
 * a long tail. */
static double share_of(size_t line)
{
	double sum = 0;

	if (line == PLANTED)
		return 0.1;
	for (size_t i = 1; i < NR_LINES; i++)
		sum += 1.0 / (double)i;
	return 0.9 / (double)line / sum;
}

/*
 * Simulate a profile of about @samples samples. The expected count of the planted line is
 * multiplied by @growth.
 */
static void make_side(struct side *side, double samples, double growth, const double *shares)
{
	*side = (struct side){ .binary = { .title = "/bin/prog" } };
	side->group = (struct pp_group){ .image = "/bin/prog", .app = "/bin/prog",
					 .counts = side->group_counts };
	for (size_t i = 0; i < NR_LINES; i++) {
		uint64_t n = poisson(samples * shares[i] * (i == PLANTED ? growth : 1));

		side->codes[i] = (struct pp_code){ .name = names[i], .vma = i };
		side->counts[i][0] = n;
		side->entries[i] = (struct pp_entry){ .counts = side->counts[i], .code = (uint32_t)i };
		side->totals[0] += n;
	}
	side->group_counts[0] = side->totals[0];
	side->profile = (struct pp_profile){
		.nr_classes = 1, .nr_counts = 1, .totals = side->totals,
		.binaries = &side->binary, .nr_binaries = 1,
		.groups = &side->group, .nr_groups = 1,
		.codes = side->codes, .nr_codes = NR_LINES,
		.entries = side->entries, .nr_entries = NR_LINES,
	};
}

struct found {
	size_t significant, lines;
	bool planted;
};

/* Compare two simulated profiles, and count the lines whose change is significant. */
static struct found compare(double before, double after, double growth,
			    const struct pp_diff_scale *scale, double percent, const double *shares)
{
	static struct side first, second;
	struct pp_profile *diff;
	struct found found = { 0 };

	make_side(&first, before, 1, shares);
	make_side(&second, after, growth, shares);
	assert_int_equal(pp_diff_make(&diff, &first.profile, &second.profile, scale), 0);
	assert_int_equal(pp_certainty_filter(diff, percent), 0);
	found.significant = diff->nr_entries;
	found.lines = diff->diff->nr_lines;
	for (size_t i = 0; i < diff->nr_entries; i++)
		found.planted |= !strcmp(pp_entry_code(diff, &diff->entries[i])->name, names[PLANTED]);
	assert_int_equal(diff->nr_entries + diff->diff->nr_hidden, diff->diff->nr_lines);
	pp_profile_destroy(diff);
	return found;
}

static void make_shares(double *shares)
{
	for (size_t i = 0; i < NR_LINES; i++) {
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		shares[i] = share_of(i);
	}
}

/* Check that in pairs of profiles with equal means, at most 1 % of all lines are significant at 99
 * %. */
static void expect_few_significant(const char *what, double before, double after,
				   const struct pp_diff_scale *scale, int pairs)
{
	double shares[NR_LINES];
	size_t significant = 0, lines = 0;

	make_shares(shares);
	for (int i = 0; i < pairs; i++) {
		struct found found = compare(before, after, 1, scale, 99, shares);

		significant += found.significant;
		lines += found.lines;
	}
	print_message("%d pairs of equal runs, %s: %.3f %% of %zu lines are significant at 99 %%\n",
		      pairs, what, 100.0 * (double)significant / (double)lines, lines);
	assert_true((double)significant <= 0.01 * (double)lines);
	/* Also require some significant lines, so that this test fails if the comparison never
	 * finds any. */
	assert_true((double)significant >= 0.001 * (double)lines);
}

static void equal_profiles_are_rarely_significant(void **state)
{
	const struct pp_diff_scale none = { .equal_totals = false }, totals = { .equal_totals = true },
				   times = { .time_before = 1000, .time_after = 3000 };

	(void)state;
	expect_few_significant("100,000 samples", 1e5, 1e5, &none, 1000);
	expect_few_significant("scaled to equal totals, 100,000 and 50,000 samples", 1e5, 5e4,
			       &totals, 100);
	expect_few_significant("scaled by times, 20,000 and 60,000 samples", 2e4, 6e4, &times, 100);
}

/* Return the standard normal distribution function at @x. */
static double normal_distribution(double x)
{
	return erfc(-x / M_SQRT2) / 2;
}

/*
 * A function with 10 % of the samples becomes slower by 5 %. Of @pairs comparisons, print the
 * number that found this change, and the number that the most powerful test (Neyman and Pearson)
 * finds, which knows the means and the direction.
 */
static size_t count_planted_changes(double samples, int pairs)
{
	const struct pp_diff_scale none = { .equal_totals = false };
	const double before = samples / 10, after = 1.05 * before;
	const double deviations = (after - before) / sqrt(before + after);
	double shares[NR_LINES];
	size_t found = 0;

	make_shares(shares);
	for (int i = 0; i < pairs; i++)
		found += compare(samples, samples, 1.05, &none, 99, shares).planted;
	print_message("+5 %% in a function of 10 %%, %.0f samples a side: found in %zu of %d pairs; "
		      "no test of two counts finds more than %.1f of 100\n",
		      samples, found, pairs, 100 * normal_distribution(deviations - 2.326348));
	return found;
}

static void real_changes_are_found(void **state)
{
	size_t found;

	(void)state;
	found = count_planted_changes(1e5, 1000);
	/* The limit of a two-sided test at 99 % is 2.576 deviations, so the change is found in 82.0
	 * % of the pairs. */
	assert_true(found >= 785 && found <= 855);
	found = count_planted_changes(2e5, 100);
	assert_true(found >= 99);
}

/*
 * With equal totals, the shares of a function with 60 % of the samples are compared. Their variance
 * is 40 % of that of Poisson variables: an increase of 4 % (z = 4.3) is found in 95.6 % of the
 * pairs, and equal shares are significant in 1 %.
 */
static void shares_of_large_functions_are_compared(void **state)
{
	enum { EQUAL = 1000, CHANGED = 300 };
	const struct pp_diff_scale totals = { .equal_totals = true };
	double shares[NR_LINES];
	int wrong = 0, found = 0;

	(void)state;
	make_shares(shares);
	for (int i = 0; i < NR_LINES; i++)
		shares[i] *= i == PLANTED ? 6 : 0.4 / 0.9;
	for (int i = 0; i < EQUAL; i++)
		wrong += compare(1e5, 9e4, 1, &totals, 99, shares).planted;
	for (int i = 0; i < CHANGED; i++)
		found += compare(1e5, 1e5, 1.04, &totals, 99, shares).planted;
	print_message("shares of a function of 60 %%, 100,000 samples a side: significant in %d of %d "
		      "equal pairs; +4 %% found in %d of %d pairs\n", wrong, EQUAL, found, CHANGED);
	assert_true(wrong >= 3 && wrong <= EQUAL / 50);
	assert_true(found >= CHANGED * 93 / 100);
}

/*
 * --fail-if with a condition on all lines: equal profiles meet the condition by chance in at most 1
 * of 100 comparisons, and profiles with a larger change always meet it.
 */
static void fail_if_condition_covers_all_lines(void **state)
{
	const struct pp_diff_scale none = { .equal_totals = false };
	struct check_log log = check_log();
	struct pp_fail_if condition;
	double shares[NR_LINES];
	int met[2] = { 0 };

	(void)state;
	make_shares(shares);
	assert_int_equal(pp_fail_if_parse(&condition, "symbol:* > 0%", &log.log), 0);
	for (int i = 0; i < 600; i++) {
		static struct side first, second;
		struct pp_profile *diff;
		bool is_met;

		make_side(&first, 1e5, 1, shares);
		make_side(&second, 1e5, i % 2 ? 1.15 : 1, shares);
		assert_int_equal(pp_diff_make(&diff, &first.profile, &second.profile, &none), 0);
		assert_int_equal(pp_fail_if_check(&is_met, &condition, diff, 99, &log.log), 0);
		met[i % 2] += is_met;
		pp_profile_destroy(diff);
	}
	pp_fail_if_release(&condition);
	print_message("--fail-if \"symbol:* > 0%%\": met by %d of 300 equal pairs, and by %d of 300 pairs "
		      "with +15 %% in a function of 10 %%\n", met[0], met[1]);
	assert_true(met[0] <= 3);
	assert_int_equal(met[1], 300);
}

static void intervals_contain_true_change(void **state)
{
	int missed = 0, nr = 0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		const struct pp_diff_class class = { true, 2, 1, 1, 1, 0, 0 };
		const struct pp_diff_facts facts = { .classes = (struct pp_diff_class *)&class };
		uint64_t before = poisson(30), counts[3] = { poisson(90), 2 * before, before };
		struct pp_interval change;

		/*
		 * The share of the planted line grows from 30 to 90, and all counts before the
		 * change are doubled, so the change is +50 %.
		 */
		if (!pp_change_interval(&change, &facts, counts, 1, 0, 0, 95))
			continue;
		nr++;
		missed += change.low > 50 || change.high < 50;
	}
	print_message("intervals of 95 %%: %.1f %% of %d miss the change\n", 100.0 * missed / nr, nr);
	assert_true(missed <= 0.05 * nr && missed >= 0.02 * nr);
}

/* Return a random variable with mean 1 and standard deviation @deviation. */
static double random_factor(double deviation)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += random_share();
	return 1 + deviation * (sum - 6);
}

/*
 * Runs of an unchanged command vary by 5 % in addition to chance. An interval that is computed from
 * five separate runs on each side includes this variation. An interval that is computed from the
 * sums alone reports the variation as changes.
 */
static void repeated_runs_widen_interval(void **state)
{
	enum { RUNS = 5, TRIALS = 2000 };
	const struct pp_diff_class class = { true, 1, 1, 1, 1, 0, 0 };
	struct pp_diff_facts facts = { .classes = (struct pp_diff_class *)&class };
	int missed = 0, missed_by_sums = 0;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		uint64_t counts[3 + 2 * RUNS] = { 0 };
		struct pp_interval change;

		for (int run = 0; run < 2 * RUNS; run++) {
			uint64_t n = poisson(2000 * random_factor(0.05));

			counts[3 + run] = n;
			counts[run < RUNS ? 0 : 1] += n;
		}
		counts[2] = counts[1];
		facts.nr_runs_before = facts.nr_runs_after = 0;
		assert_true(pp_change_interval(&change, &facts, counts, 1, 0, 0, 99));
		missed_by_sums += change.low > 0 || change.high < 0;
		facts.nr_runs_before = facts.nr_runs_after = RUNS;
		assert_true(pp_change_interval(&change, &facts, counts, 1, 0, 0, 99));
		missed += change.low > 0 || change.high < 0;
	}
	print_message("runs that vary by 5 %%: %.2f %% of %d pairs of 5 runs are significant at 99 %%, and "
		      "%.1f %% by their sums alone\n",
		      100.0 * missed / TRIALS, TRIALS, 100.0 * missed_by_sums / TRIALS);
	/* The expected rate of missed values is 1 %, with a standard deviation of 0.2 %. */
	assert_true(missed <= 0.015 * TRIALS);
	assert_true(missed_by_sums >= 0.1 * TRIALS);
}

static void exact_counts_have_no_confidence_interval(void **state)
{
	const struct pp_diff_class class = { false, 1, 1, 1, 1, 0, 0 };
	uint64_t counts[2][3] = { { 11, 10, 10 }, { 10, 10, 10 } }, hidden[3] = { 0 };
	struct pp_diff_facts facts = { .classes = (struct pp_diff_class *)&class,
				       .hidden = hidden };
	struct pp_entry entries[2] = { { .counts = counts[0] }, { .counts = counts[1] } };
	struct pp_profile diff = { .nr_classes = 1, .nr_counts = 3, .diff = &facts,
				   .entries = entries, .nr_entries = 2 };
	struct pp_interval change;

	(void)state;
	assert_false(pp_change_interval(&change, &facts, counts[0], 1, 0, 0, 99));
	assert_int_equal(pp_certainty_filter(&diff, 99), 0);
	assert_int_equal(diff.nr_entries, 1);
	assert_int_equal(entries[0].counts[0], 11);
	assert_int_equal(hidden[0], 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_profiles_are_rarely_significant),
		cmocka_unit_test(real_changes_are_found),
		cmocka_unit_test(shares_of_large_functions_are_compared),
		cmocka_unit_test(fail_if_condition_covers_all_lines),
		cmocka_unit_test(intervals_contain_true_change),
		cmocka_unit_test(repeated_runs_widen_interval),
		cmocka_unit_test(exact_counts_have_no_confidence_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
