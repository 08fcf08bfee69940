// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_perf_tasks.c -- tests which tasks of a simulated /proc get perf events. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "libop/perf/tasks.h"

static void make_dir(const char *path)
{
	assert_int_equal(mkdir(path, 0755), 0);
}

/*
 * Add a process with the name @name and the threads @tids, terminated by 0, to the simulated /proc.
 */
static void process(const char *proc, int pid, const char *name, int parent, const int *tids)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d", proc, pid);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/%d/stat", proc, pid);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%d (%s) S %d 1 1 0 -1\n", pid, name, parent);
	fclose(f);
	snprintf(path, sizeof(path), "%s/%d/task", proc, pid);
	make_dir(path);
	for (; *tids; tids++) {
		snprintf(path, sizeof(path), "%s/%d/task/%d", proc, pid, *tids);
		make_dir(path);
	}
}

static void expect(const char *proc, const pid_t *pids, size_t nr, const pid_t *want, size_t nr_want)
{
	pid_t *got;
	size_t nr_got;

	assert_int_equal(op_perf_tasks(&got, &nr_got, pids, nr, true, proc), 0);
	assert_int_equal(nr_got, nr_want);
	for (size_t i = 0; i < nr_want; i++) {
		size_t at = 0;

		while (at < nr_got && got[at] != want[i])
			at++;
		assert_true(at < nr_got);
	}
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(got[i], pids[i]);
	free(got);
}

static void test_threads_of_children_are_included(void **state)
{
	const char *proc = *state;

	process(proc, 10, "shell", 1, (int[]){ 10, 0 });
	process(proc, 20, "server", 10, (int[]){ 20, 21, 22, 0 });
	/* A child can have a smaller pid than its parent, because pids wrap around. */
	process(proc, 7, "worker", 20, (int[]){ 7, 8, 0 });
	process(proc, 30, "grandchild", 7, (int[]){ 30, 0 });
	process(proc, 40, "stranger", 1, (int[]){ 40, 41, 0 });
	expect(proc, (pid_t[]){ 20 }, 1, (pid_t[]){ 20, 21, 22, 7, 8, 30 }, 6);
	expect(proc, (pid_t[]){ 30, 40 }, 2, (pid_t[]){ 30, 40, 41 }, 3);
}

/* A program cannot use its name, which it can choose, to add fields to its stat file. */
static void test_name_does_not_add_stat_fields(void **state)
{
	const char *proc = *state;

	process(proc, 10, "a) S 20 (b", 1, (int[]){ 10, 0 });
	process(proc, 20, "victim", 1, (int[]){ 20, 0 });
	expect(proc, (pid_t[]){ 20 }, 1, (pid_t[]){ 20 }, 1);
}

static void test_ended_process_has_no_threads(void **state)
{
	expect(*state, (pid_t[]){ 99 }, 1, (pid_t[]){ 99 }, 1);
	pid_t *got = NULL;
	size_t nr = 0;

	assert_int_equal(op_perf_tasks(&got, &nr, (pid_t[]){ 1 }, 1, true, "/nowhere/proc"), -ENOENT);
	assert_null(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_threads_of_children_are_included),
		test_in_dir(test_name_does_not_add_stat_fields),
		test_in_dir(test_ended_process_has_no_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
