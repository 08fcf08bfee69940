// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_made_tables.c -- tests the limits of processes with JIT code, and the shares of
 * users. */
#include "config.h"
#include "tests/unit/check.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "daemon/base/shares.h"
#include "daemon/image/made_tables.h"
#include "daemon/image/process_entry.h"

#define ALICE 7 /* id of a process of the user Alice */
#define BOB 9
#define CHILD 1000 /* the first child of ALICE */

static struct opd_made_tables *tables;
static pid_t wanted;
static unsigned int nr_wanted;

static void note_wanted(void *arg, pid_t tgid, off_t had)
{
	(void)arg;
	(void)had;
	wanted = tgid;
	nr_wanted++;
	opd_made_tables_unchanged(tables, tgid);
}

/* Create shares of users in a simulated /proc with the processes ALICE and BOB. */
static struct opd_shares *create_shares(const char *dir)
{
	static const int pids[] = {ALICE, BOB};
	struct opd_shares *s;
	char path[300];
	FILE *f;

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, pids[i]);
		assert_int_equal(mkdir(path, 0700), 0);
		snprintf(path, sizeof(path), "%s/%d/status", dir, pids[i]);
		f = fopen(path, "w");
		assert_non_null(f);
		fprintf(f, "Uid:\t%1$d\t%1$d\t%1$d\t%1$d\n", 1000 + i);
		assert_int_equal(fclose(f), 0);
	}
	s = opd_shares_create(dir, "/nonexistent");
	assert_non_null(s);
	return s;
}

/*
 * Look up the JIT code of process @tgid for a sample at @time. If the process is new, this requests
 * the unwind rows of its code.
 */
static void look_up(pid_t tgid, uint64_t time)
{
	const struct opd_process process = {.tgid = tgid, .has_dump = true};
	struct opd_made_place place;

	opd_made_tables_find(tables, &process, 0x1000, time, &place);
}

/* A user with many processes, including ended processes, displaces only entries of this user's own
 * processes. */
static void forks_of_a_user_do_not_evict_other_users(void **state)
{
	struct opd_shares *shares = create_shares(*state);
	uint64_t time = opd_perf_now();

	assert_int_equal(opd_made_tables_create(&tables, note_wanted, NULL), 0);
	opd_made_tables_set_shares(tables, shares);
	look_up(BOB, time);
	assert_int_equal(wanted, BOB);
	look_up(ALICE, time);
	assert_int_equal(wanted, ALICE);
	nr_wanted = 0;
	for (pid_t child = CHILD; child < CHILD + 1000; child++)
		opd_made_tables_forked(tables, opd_perf_now(), child, ALICE, true);
	look_up(BOB, time);
	assert_int_equal(nr_wanted, 0);
	opd_made_tables_destroy(tables);
	opd_shares_destroy(shares);
}

static size_t allocated_bytes(void)
{
#ifdef __GLIBC__
	return mallinfo2().uordblks;
#else
	return 0;
#endif
}

/* Memory is limited even if processes fork a child and end, one after the other. */
static void ancestor_lists_use_bounded_memory(void **state)
{
	size_t before;

	(void)state;
	assert_int_equal(opd_made_tables_create(&tables, note_wanted, NULL), 0);
	look_up(ALICE, opd_perf_now());
	for (pid_t child = CHILD; child < CHILD + 1000; child++)
		opd_made_tables_forked(tables, opd_perf_now(), child, child == CHILD ? ALICE : child - 1, true);
	before = allocated_bytes();
	for (pid_t child = CHILD + 1000; child < CHILD + 100000; child++)
		opd_made_tables_forked(tables, opd_perf_now(), child, child - 1, true);
	assert_true(allocated_bytes() < before + 1000000);
	opd_made_tables_destroy(tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(forks_of_a_user_do_not_evict_other_users),
		cmocka_unit_test(ancestor_lists_use_bounded_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
