// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_table_queue.c -- tests that a user leaves slots and time to other users, even with
 * any number of files, or with files that take very long.
 */
#include "config.h"
#include "daemon/store/table_queue.h"

#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/base/shares.h"
#include "tests/unit/check.h"

#define ALICE	1000u
#define BOB	1001u

static struct opd_table_queue *create(const char *dir)
{
	struct opd_table_queue *q = calloc(1, sizeof(*q));
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/subuid", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("alice:100000:65536\n", f);
	assert_int_equal(fclose(f), 0);
	assert_non_null(q);
	assert_int_equal(opd_table_queue_init(q, path, 0), 0);
	return q;
}

static void destroy(struct opd_table_queue *q)
{
	opd_table_queue_release(q);
	free(q);
}

/*
 * Add a file of the owner @owner to the queue. If @payer is set, only this user sees the file
 * system; otherwise all users do. Return whether it was added.
 */
static bool add_job_of(struct opd_table_queue *q, uint32_t owner, uint32_t payer, const char *name)
{
	static struct opd_image images[2000];
	struct opd_image *image = &images[owner % 2000];
	struct opd_table_job job = { .image = image };
	struct opd_identity identity = { .payer = payer };
	bool added;

	image->identity = (struct op_identity){ .build = 1, .owner = op_identity_of_owner(owner) };
	identity.fd = open("/dev/null", O_PATH | O_CLOEXEC);
	assert_true(identity.fd >= 0);
	snprintf(job.name, sizeof(job.name), "%s", name);
	added = opd_table_queue_add(q, &job, &identity, false);
	close(identity.fd);
	return added;
}

static bool add_job(struct opd_table_queue *q, uint32_t owner, const char *name)
{
	return add_job_of(q, owner, OPD_NO_PAYER, name);
}

/* Take the next job from the queue and spend @ms on it, but at most the allowed time. Return
 * whether the job was completed, and store its name in @name. */
static bool run_job(struct opd_table_queue *q, double ms, char *name)
{
	struct opd_table_job job;
	bool done;

	assert_true(opd_table_queue_pop(q, true, &job));
	close(job.fd);
	done = ms <= job.max_ms;
	opd_table_queue_spend(q, &job, done ? ms : job.max_ms, !done);
	strcpy(name, job.name);
	return done;
}

static uint64_t waiting_samples(void *arg, const struct opd_image *image)
{
	(void)arg;
	return image->mtime;
}

/* Of one user's files, the file with the most waiting samples is processed first. A user who has
 * used less time comes before other users. */
static void test_file_with_most_waiting_samples_is_first(void **state)
{
	struct opd_image images[] = { { .mtime = 3 }, { .mtime = 7 }, { .mtime = 5 }, { .mtime = 9 } };
	struct opd_identity identity = { .payer = OPD_NO_PAYER, .fd = open("/dev/null", O_PATH | O_CLOEXEC) };
	struct opd_table_queue *q = create(*state);
	char name[OP_TABLE_NAME_SIZE];

	q->waiting = waiting_samples;
	for (size_t i = 0; i < 4; i++) {
		struct opd_table_job job = { .image = &images[i] };

		images[i].identity = (struct op_identity){ .build = 1, .owner = op_identity_of_owner(i == 3 ? ALICE : 0) };
		snprintf(job.name, sizeof(job.name), "%zu", i);
		assert_true(opd_table_queue_add(q, &job, &identity, false));
	}
	opd_shares_of(q->shares, ALICE)->cpu_ms = 1;
	for (const char *expected = "1203"; *expected; expected++) {
		run_job(q, 1, name);
		assert_int_equal(name[0], *expected);
	}
	close(identity.fd);
	destroy(q);
}

static void slots_are_left_for_other_users(void **state)
{
	struct opd_table_queue *q = create(*state);
	char name[OP_TABLE_NAME_SIZE];
	size_t alice = 0;

	for (int i = 0; i < 1000; i++)
		alice += add_job(q, ALICE, "alice");
	assert_int_equal(alice, OPD_TABLE_JOBS * 3 / 4);
	assert_true(opd_table_queue_has(q, "alice"));
	assert_false(opd_table_queue_full(q));
	assert_true(add_job(q, BOB, "bob"));
	assert_true(add_job(q, 0, "root"));
	/* Slots that have become free are available to the user again. */
	for (int i = 0; i < 10; i++)
		run_job(q, 0, name);
	assert_true(add_job(q, ALICE, "alice"));
	/* Root may use all remaining slots. */
	while (add_job(q, 0, "root"))
		;
	assert_true(opd_table_queue_full(q));
	assert_false(add_job(q, BOB, "bob"));
	destroy(q);
}

/* Several user ids, or a file system that only the user's processes see, do not count as another
 * user. */
static void user_ids_of_one_range_share_slots(void **state)
{
	struct opd_table_queue *q = create(*state);
	size_t added = 0;

	for (uint32_t i = 0; i < 1000; i++)
		added += add_job(q, 100000 + i, "range");
	assert_int_equal(added, OPD_TABLE_JOBS * 3 / 4);
	assert_false(add_job_of(q, 0, 100000, "private"));
	assert_true(add_job_of(q, 0, ALICE, "private"));
	destroy(q);
}

/* Files that are never completed do not use up the time of other users, whatever the number of such
 * files. */
static void time_is_left_for_other_users(void **state)
{
	struct opd_table_queue *q = create(*state);
	char name[OP_TABLE_NAME_SIZE];
	uint64_t now = 0;
	int tried = 0;

	for (int i = 0; i < 10000; i++) {
		add_job(q, ALICE, "alice");
		for (; q->nr; tried++)
			run_job(q, 1e9, name);
		now += 100;
		opd_table_queue_turn(q, now);
		assert_true(q->left_ms >= OPD_TABLE_SAVED_MS / 4);
	}
	/* The budget is restored by 20 seconds per 1,000 seconds. */
	assert_in_range(tried, 2, 10);
	assert_true(add_job(q, BOB, "bob"));
	assert_true(run_job(q, 2000, name));
	assert_true(add_job(q, 0, "root"));
	assert_true(run_job(q, 2000, name));
	destroy(q);
}

/* Files of a user who has used less time are processed first. */
static void user_with_least_used_time_is_first(void **state)
{
	struct opd_table_queue *q = create(*state);
	char name[OP_TABLE_NAME_SIZE];

	assert_true(add_job(q, ALICE, "alice 1"));
	assert_true(add_job(q, ALICE, "alice 2"));
	assert_true(add_job(q, BOB, "bob"));
	assert_true(add_job(q, 0, "root"));
	run_job(q, 700, name);
	assert_string_equal(name, "alice 1");
	run_job(q, 10, name);
	assert_string_equal(name, "bob");
	run_job(q, 10, name);
	assert_string_equal(name, "root");
	run_job(q, 10, name);
	assert_string_equal(name, "alice 2");
	destroy(q);
}

/*
 * If a file needs more time than remains, it waits until enough time is available, and is not
 * started before.
 */
static void large_file_waits_for_enough_time(void **state)
{
	struct opd_table_queue *q = create(*state);
	char name[OP_TABLE_NAME_SIZE];
	int tried = 0;
	bool done = false;
	uint64_t now = 0;

	assert_true(add_job(q, ALICE, "large"));
	assert_true(run_job(q, 9000, name));
	while (!done && now < 1000000) {
		opd_table_queue_turn(q, now);
		if (add_job(q, ALICE, "large")) {
			done = run_job(q, 9000, name);
			tried++;
		}
		now += 1000;
	}
	assert_true(done);
	assert_in_range(tried, 2, 4);
	destroy(q);
}

/* A user whose time is used up also loses the slots, because no file of this user would be read. */
static void user_without_time_loses_slots(void **state)
{
	struct opd_table_queue *q = create(*state);
	char name[OP_TABLE_NAME_SIZE];

	for (int i = 0; i < 10; i++)
		assert_true(add_job(q, ALICE, "alice"));
	assert_true(add_job(q, BOB, "bob"));
	run_job(q, 1e9, name);
	opd_table_queue_turn(q, 1);
	assert_false(opd_table_queue_has(q, "alice"));
	assert_int_equal(q->nr, 1);
	assert_false(add_job(q, ALICE, "alice"));
	assert_true(add_job(q, BOB, "bob"));
	/* The whole share of time is restored within the time that OPD_TABLE_SAVED_MS states. */
	opd_table_queue_turn(q, OPD_TABLE_SAVED_MS * OPD_TABLE_SHARE);
	assert_true(q->left_ms == OPD_TABLE_SAVED_MS);
	assert_true(add_job(q, ALICE, "alice"));
	run_job(q, 10, name);
	assert_true(run_job(q, OPD_TABLE_FILE_MS, name));
	destroy(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_file_with_most_waiting_samples_is_first),
		test_in_dir(slots_are_left_for_other_users),
		test_in_dir(user_ids_of_one_range_share_slots),
		test_in_dir(time_is_left_for_other_users),
		test_in_dir(user_with_least_used_time_is_first),
		test_in_dir(large_file_waits_for_enough_time),
		test_in_dir(user_without_time_loses_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
