// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_process_family.c -- tests that only samples of the selected processes and their
 * children are recorded.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/process.h"
#include "daemon/image/process_proc.h"

/* Process ids that do not exist on this machine. */
#define CHILD		((1 << 22) + 1)
#define GRANDCHILD	((1 << 22) + 2)
#define STRANGER	((1 << 22) + 3)
#define STRANGERS_CHILD	((1 << 22) + 4)

static struct opd_images *images;
static struct opd_mapped_files *files;
static struct opd_processes *ps;

static int setup(void **state)
{
	int err = opd_images_create(&images);

	(void)state;
	if (!err)
		err = opd_mapped_files_create(&files, images);
	return err ? err : opd_processes_create(&ps, files, "/proc");
}

static int teardown(void **state)
{
	(void)state;
	opd_processes_destroy(ps);
	opd_mapped_files_destroy(files);
	opd_images_destroy(images);
	return 0;
}

static size_t count_known(void)
{
	pid_t *ids;
	size_t nr;

	assert_int_equal(opd_processes_list(ps, &ids, &nr), 0);
	free(ids);
	return nr;
}

/*
 * A process that was neither selected nor started by a recorded process is ignored, and so are
 * notices about it.
 */
static void unrelated_processes_are_ignored(void **state)
{
	const struct opd_mapping m = { .start = 0x1000, .len = 0x1000, .name = "/usr/bin/prog" };
	uint64_t now = opd_perf_now();

	(void)state;
	opd_processes_only_family(ps);
	assert_int_equal(opd_processes_scan(ps, getpid(), now), 0);
	opd_processes_fork(ps, now + 10, STRANGERS_CHILD, STRANGER);
	opd_processes_exec(ps, now + 20, STRANGERS_CHILD);
	opd_processes_mmap(ps, now + 30, STRANGERS_CHILD, &m);
	opd_processes_exec(ps, now + 40, STRANGER);
	assert_null(opd_processes_find(ps, now + 50, STRANGERS_CHILD));
	assert_null(opd_processes_find(ps, now + 50, STRANGER));
	/* A process is ignored even though its /proc directory could be read. */
	assert_null(opd_processes_find(ps, now + 50, getppid()));
	assert_int_equal(count_known(), 1);
}

static void children_of_selected_processes_are_recorded(void **state)
{
	const struct opd_mapping m = { .start = 0x1000, .len = 0x1000, .name = "/usr/bin/prog" };
	uint64_t now = opd_perf_now();

	(void)state;
	opd_processes_only_family(ps);
	assert_int_equal(opd_processes_scan(ps, getpid(), now), 0);
	opd_processes_fork(ps, now + 10, CHILD, getpid());
	opd_processes_fork(ps, now + 20, GRANDCHILD, CHILD);
	opd_processes_mmap(ps, now + 30, GRANDCHILD, &m);
	assert_non_null(opd_processes_find(ps, now + 40, GRANDCHILD));
	assert_int_equal(count_known(), 3);
	/*
	 * A child that has ended is still known, because its last samples may arrive later. An
	 * unrelated process that gets the same pid is not recorded.
	 */
	opd_processes_exit(ps, now + 50, CHILD);
	assert_true(opd_processes_know(ps, CHILD));
	assert_int_equal(count_known(), 2);
	opd_processes_fork(ps, now + 60, CHILD, STRANGER);
	assert_false(opd_processes_know(ps, CHILD));
	assert_true(opd_processes_know(ps, GRANDCHILD));
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(unrelated_processes_are_ignored),
		test(children_of_selected_processes_are_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
