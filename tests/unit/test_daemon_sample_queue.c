// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_sample_queue.c -- tests runs of samples that wait in the queue: whatever happens to
 * their sample files in the meantime, each sample is stored in a file or counted as lost.
 */
#include "config.h"
#include "tests/unit/store.h"

#include <errno.h>

#include "libop/session/recover.h"
#include "tests/fault/fault.h"

#define OPEN	300	/* number of open files with which runs are collected in the queue */
#define NEW	20
#define FULL	127	/* number of keys for which a sample file has room before it grows */

struct files {
	struct opd_image images[OPEN + NEW];
	char paths[OPEN + NEW][16];
	uint64_t added;
};

static int setup(void **state)
{
	store_setup(state, (struct op_event_spec){ .name = "OTHER", .count = 5000, .kernel = 1, .user = 1 });
	return 0;
}

static void add(struct store *f, struct files *files, int i, uint64_t offset, size_t nr)
{
	struct opd_sample samples[FULL];
	struct opd_file_key key;

	memset(&key, 0, sizeof(key));
	key.tgid = key.tid = key.cpu = OP_ALL;
	key.app = key.image = &files->images[i];
	for (size_t n = 0; n < nr; n++)
		samples[n] = (struct opd_sample){ offset + n * 8, 0, 1 + i % 3 };
	files->added += nr * (1 + i % 3);
	opd_sample_cache_add(f->cache, &key, samples, nr, 0);
}

/* Create OPEN sample files, each without room for more keys. */
static struct files *fill(struct store *f)
{
	struct files *files = calloc(1, sizeof(*files));

	assert_non_null(files);
	for (int i = 0; i < OPEN + NEW; i++) {
		snprintf(files->paths[i], sizeof(files->paths[i]), "/bin/%d", i);
		files->images[i].path = files->paths[i];
	}
	store_open_cache(f, 0);
	for (int i = 0; i < OPEN; i++)
		add(f, files, i, 0, FULL);
	opd_sample_cache_flush(f->cache);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], files->added);
	assert_int_equal(opd_sample_cache_nr_open(f->cache), OPEN);
	return files;
}

static uint64_t count_stored(struct store *f)
{
	struct op_session_sums sums;

	assert_int_equal(op_session_sums_read(&sums, f->session.current_fd), 0);
	assert_int_equal(sums.unreadable, 0);
	return sums.stored;
}

static uint64_t count_lost(const struct store *f)
{
	return f->stats.v[OPD_STAT_DISK_FULL] + f->stats.v[OPD_STAT_SAMPLE_FILE];
}

/* If new files close files for which runs are queued, the closed files are opened again. */
static void test_closed_files_are_opened_again(void **state)
{
	struct store *f = *state;
	struct files *files;

	f->cfg.set.max_open = OPEN;
	files = fill(f);
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < NEW; i++) {
			add(f, files, OPEN + (i + round) % NEW, 8 * round, 2);
			/* Add samples to the oldest files, which are closed next. */
			add(f, files, (i + round * NEW) % OPEN, 8 * round, 3);
			add(f, files, (i + round * NEW + 1) % OPEN, 8 * round, 1);
		}
	}
	opd_sample_cache_flush(f->cache);
	assert_int_equal(opd_sample_cache_nr_open(f->cache), OPEN);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], files->added);
	opd_sample_cache_close_all(f->cache);
	assert_int_equal(count_stored(f), files->added);
	free(files);
}

/* Add runs of samples to full files, to new files, and for existing keys. */
static void add_some(struct store *f, struct files *files, int round)
{
	for (int i = 0; i < NEW; i++) {
		int n = (round * NEW + i) % OPEN;

		add(f, files, n, 8 * (i + round), 1);
		/* This file grows, and the later runs of the queue use the grown file. */
		add(f, files, n, 8 * FULL, 3);
		add(f, files, n, 8 * FULL, 4);
		add(f, files, (n + 7) % OPEN, 8, 2);
		add(f, files, OPEN + i, 8 * round, 2);
	}
	opd_sample_cache_flush(f->cache);
}

static void fail_each(struct store *f, int err)
{
	struct files *files = fill(f);
	bool failed = true;
	long n;

	/* A run makes thousands of similar calls, so skip some of them. */
	for (n = 1; failed; n += 1 + n / 4) {
		fault_arm(n, err);
		add_some(f, files, n);
		failed = fault_disarm();
		assert_int_equal(f->stats.v[OPD_STAT_STORED] + count_lost(f), files->added);
		/* After a pause, the failed call is retried. */
		opd_sample_cache_close_all(f->cache);
		for (int i = 0; i < OPEN; i++)
			add(f, files, i, 0, 1);
	}
	opd_sample_cache_close_all(f->cache);
	assert_true(n > 20);
	assert_int_equal(f->stats.v[OPD_STAT_STORED] + count_lost(f), files->added);
	assert_int_equal(count_stored(f), f->stats.v[OPD_STAT_STORED]);
	print_message("%lu samples lost\n", (unsigned long)count_lost(f));
	assert_true(count_lost(f) > 0);
	free(files);
}

static void test_each_call_fails(void **state)
{
	fail_each(*state, ENOSPC);
}

static void test_too_many_descriptors(void **state)
{
	fail_each(*state, EMFILE);
}

/* If no file can grow, existing keys are still counted, even in the same batch. */
static void test_full_disk_still_counts_existing_keys(void **state)
{
	struct store *f = *state;
	struct files *files = fill(f);
	uint64_t before = files->added, known = 0;

	fault_arm_always("ftruncate", ENOSPC);
	for (int i = 0; i < 40; i++) {
		uint64_t was = files->added;

		add(f, files, i, 16, 2);
		known += files->added - was;
		add(f, files, i, 8 * FULL, 2);
	}
	opd_sample_cache_flush(f->cache);
	fault_disarm();
	assert_int_equal(f->stats.v[OPD_STAT_STORED], before + known);
	assert_int_equal(f->stats.v[OPD_STAT_DISK_FULL], files->added - before - known);
	/* Allow files to grow again. */
	add(f, files, 3, 8 * FULL, 2);
	opd_sample_cache_close_all(f->cache);
	assert_int_equal(f->stats.v[OPD_STAT_DISK_FULL], files->added - f->stats.v[OPD_STAT_STORED]);
	assert_int_equal(count_stored(f), f->stats.v[OPD_STAT_STORED]);
	free(files);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, store_teardown)
	const struct CMUnitTest tests[] = {
		T(test_closed_files_are_opened_again),
		T(test_each_call_fails),
		T(test_too_many_descriptors),
		T(test_full_disk_still_counts_existing_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
