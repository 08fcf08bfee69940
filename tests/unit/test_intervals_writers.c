// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_writers.c -- tests two processes that pack sessions and merge intervals in the
 * same store.
 */
#include "config.h"
#include "intervals/work.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "intervals/file.h"
#include "intervals/store.h"
#include "tests/unit/samples.h"

#define BEGIN		1774000800	/* 2026-03-20 10:00:00 UTC */
#define INTERVAL	600

/* Create a closed session with @count samples. Set @name to its name. */
static void close_session(int store, char name[ITV_NAME_SIZE], int64_t begin, uint64_t count)
{
	struct itv_entry entry = { .begin = begin, .end = begin + INTERVAL, .is_session = true };
	int fd;

	itv_name(name, &entry);
	fd = samples_make_dir(store, name);
	samples_add(fd, &(struct samples_file){ .path = "/bin/program", .count = count });
	close(fd);
}

/* Return the number of samples of all intervals and sessions that are not replaced. */
static uint64_t sum_of(int store)
{
	struct itv_list list;
	uint64_t sum = 0;

	assert_int_equal(itv_store_list(&list, store), 0);
	for (size_t i = 0; i < list.nr; i++) {
		struct itv v = { .nr_images = 0 };
		int fd = openat(store, list.entries[i].name, O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		assert_int_equal(itv_file_read(&v, fd, ITV_READ_ALL, 64u << 20), 0);
		close(fd);
		sum += v.accounting.samples;
		itv_release(&v);
	}
	itv_list_release(&list);
	return sum;
}

/*
 * If two processes pack the same session, or merge the same parts, only the first process creates
 * an interval, so that each sample is counted once.
 */
static void test_same_interval_is_created_once(void **state)
{
	struct itv_entry sum = { .begin = BEGIN, .end = BEGIN + 2 * INTERVAL, .step = 2 }, parts[2];
	struct itv_entry again = sum;
	const char *names[] = { parts[0].name, parts[1].name };
	char sessions[2][ITV_NAME_SIZE];
	int store = check_open_dir(state);

	for (int i = 0; i < 2; i++) {
		close_session(store, sessions[i], BEGIN + i * INTERVAL, 1000);
		assert_int_equal(itv_work_pack(&parts[i], store, sessions[i], 0), 0);
		assert_int_equal(itv_work_pack(&again, store, sessions[i], 0), -ESTALE);
	}
	assert_true(sum_of(store) == 2000);
	again = sum;
	assert_int_equal(itv_work_merge(&sum, store, names, 2, 0, false), 0);
	assert_int_equal(itv_work_merge(&again, store, names, 2, 0, false), -ESTALE);
	assert_true(sum_of(store) == 2000);
	/* Merging parts fails if the daemon has already merged and deleted them. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(renameat(store, sessions[i], store, i ? "old1" : "old0"), 0);
		assert_int_equal(unlinkat(store, names[i], 0), 0);
	}
	assert_int_equal(itv_work_merge(&again, store, names, 2, 0, false), -ESTALE);
	assert_true(sum_of(store) == 2000);
	close(store);
}

static void test_store_lock_waits_for_owner(void **state)
{
	int store = check_open_dir(state), pipes[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(itv_store_lock(store), 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int err = itv_store_lock(store);

		_exit(write(pipes[1], "", 1) == 1 && !err ? 0 : 1);
	}
	/* A child that did not wait for the lock would have written to the pipe by now. */
	usleep(100000);
	assert_int_equal(read(pipes[0], &byte, 1), -1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(pipes[0]);
	close(pipes[1]);
	close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_same_interval_is_created_once),
		test_in_dir(test_store_lock_waits_for_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
