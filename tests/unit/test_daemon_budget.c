// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_budget.c -- tests the limits of work per second, and the shares of users. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/base/budget.h"
#include "daemon/source/perf_code.h"

#define SECOND 1000000000ull
#define ALICE 7 /* id of a process of the user Alice */
#define BOB 9
#define ROOT 11

/* Create shares of users in a simulated /proc with three processes. */
static struct opd_shares *create_shares(const char *dir)
{
	static const struct {
		int pid, uid;
	} processes[] = {{ALICE, 1000}, {BOB, 1001}, {ROOT, 0}};
	struct opd_shares *s;
	char path[300];
	FILE *f;

	for (size_t i = 0; i < sizeof(processes) / sizeof(processes[0]); i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, processes[i].pid);
		assert_int_equal(mkdir(path, 0700), 0);
		snprintf(path, sizeof(path), "%s/%d/status", dir, processes[i].pid);
		f = fopen(path, "w");
		assert_non_null(f);
		fprintf(f, "Name:\tx\nUid:\t%1$d\t%1$d\t%1$d\t%1$d\n", processes[i].uid);
		assert_int_equal(fclose(f), 0);
	}
	s = opd_shares_create(dir, "/nonexistent");
	assert_non_null(s);
	return s;
}

/* Return the units of work that the budget grants to process @tgid at @time. */
static unsigned int grant_all(struct opd_budget *b, int tgid, uint64_t time)
{
	unsigned int nr = 0;

	for (; opd_budget_may(b, tgid, time); nr++)
		opd_budget_charge(b, 1);
	return nr;
}

static void single_budget_grants_whole_limit(void **state)
{
	struct opd_budget b = {.limit = 1000};

	(void)state;
	assert_int_equal(grant_all(&b, ALICE, 10 * SECOND), 1000);
	assert_int_equal(grant_all(&b, BOB, 10 * SECOND), 0);
	/* A sample from another CPU may have an earlier time: no work is granted for it. */
	assert_int_equal(grant_all(&b, BOB, 9 * SECOND), 0);
	assert_int_equal(grant_all(&b, BOB, 11 * SECOND), 1000);
}

static void user_gets_three_quarters_of_remaining_budget(void **state)
{
	struct opd_shares *s = create_shares(*state);
	struct opd_budget b = {.kind = OPD_BUDGET_WORDS, .limit = 1000, .shares = s};
	struct opd_budget other = {.kind = OPD_BUDGET_READS, .limit = 1000, .shares = s};

	for (uint64_t time = 10 * SECOND; time < 13 * SECOND; time += SECOND) {
		assert_int_equal(grant_all(&b, ALICE, time), 750);
		assert_in_range(grant_all(&b, BOB, time), 185, 190);
		assert_int_equal(grant_all(&b, ALICE, time), 0);
		assert_in_range(grant_all(&b, ROOT, time), 60, 65);
	}
	/* Budgets of other kinds of work are not affected. */
	assert_int_equal(grant_all(&other, ALICE, 12 * SECOND), 750);
	opd_shares_destroy(s);
}

static ssize_t read_ret_opcodes(void *arg, pid_t tid, uint64_t address, void *to, size_t size)
{
	(void)arg;
	(void)tid;
	(void)address;
	memset(to, 0xc3, size);
	return (ssize_t)size;
}

static int find_jit_target(void *arg, __u64 address, struct cfi_target *ret)
{
	(void)arg;
	(void)address;
	*ret = (struct cfi_target){.is_made = true, .begin = 0x1000, .end = 1u << 30};
	return 0;
}

/*
 * Return whether frames of @pid's code are inferred after Alice's process has used up the budget.
 */
static bool frames_are_inferred_after_budget_use(struct opd_shares *shares, pid_t pid)
{
	struct opd_perf_code_at at = {
		.pid = ALICE, .tid = ALICE, .time = 10 * SECOND, .target = find_jit_target};
	struct opd_perf_code *c;
	struct cfi_shown shown;
	bool ret;

	assert_int_equal(opd_perf_code_create(&c, read_ret_opcodes, NULL), 0);
	opd_perf_code_set_shares(c, shares);
	for (at.pc = 0x10000; at.pc < 0x400000; at.pc += 4096)
		opd_perf_code_find(c, &at, &shown);
	at.pid = at.tid = pid;
	at.pc = 0x10000;
	ret = !opd_perf_code_find(c, &at, &shown) && shown.shows == CFI_SHOWS_RULE;
	opd_perf_code_destroy(c);
	return ret;
}

static void users_have_separate_inference_budgets(void **state)
{
	struct opd_shares *s = create_shares(*state);

	assert_false(frames_are_inferred_after_budget_use(NULL, BOB));
	assert_true(frames_are_inferred_after_budget_use(s, BOB));
	opd_shares_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_budget_grants_whole_limit),
		test_in_dir(user_gets_three_quarters_of_remaining_budget),
		test_in_dir(users_have_separate_inference_budgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
