// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_task_names.c -- tests the names of tasks: names are announced or looked up in /proc,
 * written to the session and read, and their number is limited. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/task_names.h"
#include "libop/base/fs.h"
#include "libop/session/task_names.h"

struct fixture {
	char dir[64];
	int fd;			/* directory of a session, in the test's directory beside "proc" */
	struct opd_task_names *names;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char proc[80];

	snprintf(f->dir, sizeof(f->dir), "/tmp/test-task-names.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(proc, sizeof(proc), "%s/proc", f->dir);
	assert_int_equal(mkdir(proc, 0700), 0);
	f->fd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(opd_task_names_create(&f->names, proc), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];
	int failed;

	opd_task_names_destroy(f->names);
	close(f->fd);
	snprintf(command, sizeof(command), "rm -rf %s", f->dir);
	failed = system(command);
	free(f);
	return failed;
}

/* Set the name of a task in the simulated /proc to @text. */
static void write_comm(struct fixture *f, int tgid, int tid, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/task/%d/comm", tgid, tid);
	assert_int_equal(op_make_parents(f->fd, path, 0700), 0);
	assert_int_equal(op_replace_file_nowait(f->fd, path, text, strlen(text), 0600), 0);
}

/* Write the session's file of names, and check that its contents are @want. */
static void assert_file(struct fixture *f, const char *want)
{
	char *text = NULL;
	size_t len;

	assert_int_equal(opd_task_names_write(f->names, f->fd), 0);
	if (!want) {
		assert_int_equal(op_read_file(f->fd, OP_TASK_NAMES_FILE, 1000, &text, &len), -ENOENT);
		return;
	}
	assert_int_equal(op_read_file(f->fd, OP_TASK_NAMES_FILE, 1000, &text, &len), 0);
	assert_string_equal(text, want);
	free(text);
}

static void only_sampled_tasks_are_written(void **state)
{
	struct fixture *f = *state;

	assert_file(f, NULL);
	opd_task_names_named(f->names, 7, 8, "worker", 0);
	opd_task_names_named(f->names, 7, 9, "idler", 0);
	opd_task_names_sampled(f->names, 7, 8);
	/* A task that has ended and whose name is unknown is not written. */
	opd_task_names_sampled(f->names, 7, 7);
	opd_task_names_sampled(f->names, 0, 0);		/* the ids 0, 0 do not belong to a task */
	assert_file(f, "7 8 worker\n");
	opd_task_names_named(f->names, 7, 8, "two\nlines", 0);
	assert_file(f, "7 8 two lines\n");
}

/* The module reports the names of one CPU after the other: the latest name is used. */
static void latest_name_is_written(void **state)
{
	struct fixture *f = *state;

	opd_task_names_sampled(f->names, 7, 8);
	opd_task_names_named(f->names, 7, 8, "second", 20);
	opd_task_names_named(f->names, 7, 8, "first", 10);
	opd_task_names_named(f->names, 7, 8, "never", 20);
	assert_file(f, "7 8 second\n");
	opd_task_names_named(f->names, 7, 8, "third", 30);
	assert_file(f, "7 8 third\n");
}

/* A new task has the name of its parent, even if an earlier task had the same ids. If the parent is
 * unknown, the name is read from /proc. */
static void child_inherits_parent_name(void **state)
{
	struct fixture *f = *state;

	opd_task_names_named(f->names, 7, 7, "mother", 0);
	opd_task_names_started(f->names, 7, 8, 7, 7);
	opd_task_names_sampled(f->names, 7, 8);
	assert_file(f, "7 8 mother\n");
	opd_task_names_named(f->names, 7, 8, "daughter", 0);
	opd_task_names_sampled(f->names, 7, 8);
	assert_file(f, "7 8 daughter\n");
	opd_task_names_named(f->names, 7, 7, "old mother", 0);
	assert_file(f, "7 8 daughter\n");
	/* The task ends, and the next task gets the same id. */
	opd_task_names_started(f->names, 7, 8, 7, 7);
	opd_task_names_sampled(f->names, 7, 8);
	assert_file(f, "7 8 old mother\n");
	write_comm(f, 7, 8, "who knows\n");
	opd_task_names_started(f->names, 7, 8, 3, 3);
	opd_task_names_sampled(f->names, 7, 8);
	assert_file(f, "7 8 who knows\n");
}

static void comm_is_read_again_after_new_sample(void **state)
{
	struct fixture *f = *state;

	write_comm(f, 10, 10, "first\n");
	write_comm(f, 10, 11, "a\nb\n");
	opd_task_names_sampled(f->names, 10, 10);
	opd_task_names_sampled(f->names, 10, 11);
	assert_file(f, "10 10 first\n10 11 a b\n");
	write_comm(f, 10, 11, "second\n");
	/* The task had no sample after its name changed, so its new name was not read. */
	assert_file(f, "10 10 first\n10 11 a b\n");
	opd_task_names_sampled(f->names, 10, 11);
	assert_file(f, "10 10 first\n10 11 second\n");
}

static void names_are_kept_per_session(void **state)
{
	struct fixture *f = *state;
	struct op_task_names both = { 0 };
	struct opd_task_names *again;
	char proc[80];

	opd_task_names_named(f->names, 7, 8, "worker", 0);
	opd_task_names_sampled(f->names, 7, 8);
	assert_file(f, "7 8 worker\n");

	/* A second daemon continues the first daemon's session. */
	snprintf(proc, sizeof(proc), "%s/proc", f->dir);
	assert_int_equal(opd_task_names_create(&again, proc), 0);
	opd_task_names_named(again, 5, 5, "new", 0);
	opd_task_names_sampled(again, 5, 5);
	assert_int_equal(opd_task_names_write(again, f->fd), 0);
	opd_task_names_destroy(again);
	assert_int_equal(op_task_names_read(&both, 1, f->fd), 0);
	assert_string_equal(op_task_names_find(&both, 7, 8)->name, "worker");
	assert_string_equal(op_task_names_find(&both, 5, 5)->name, "new");
	op_task_names_release(&both);

	assert_int_equal(unlinkat(f->fd, OP_TASK_NAMES_FILE, 0), 0);
	opd_task_names_restart(f->names);
	assert_file(f, NULL);
	opd_task_names_sampled(f->names, 7, 8);
	assert_file(f, "7 8 worker\n");
}

/* If the table is full, names of tasks without samples are dropped, and names of sampled tasks are
 * kept. Beyond the limit, new names are ignored. */
static void number_of_names_is_limited(void **state)
{
	struct fixture *f = *state;
	struct op_task_names all = { 0 };

	opd_task_names_named(f->names, 1, 1, "init", 0);
	opd_task_names_sampled(f->names, 1, 1);
	for (int i = 2; i < 3 * OP_TASK_NAMES_MAX; i++)
		opd_task_names_named(f->names, i, i, "told", 0);
	for (int i = 2; i < 4 * OP_TASK_NAMES_MAX; i++) {
		opd_task_names_named(f->names, i, i, "more", 0);
		opd_task_names_sampled(f->names, i, i);
	}
	assert_int_equal(opd_task_names_write(f->names, f->fd), 0);
	assert_int_equal(op_task_names_read(&all, 1, f->fd), 0);
	assert_in_range(all.table.nr, OP_TASK_NAMES_MAX / 2, OP_TASK_NAMES_MAX);
	assert_string_equal(op_task_names_find(&all, 1, 1)->name, "init");
	assert_string_equal(op_task_names_find(&all, 1000, 1000)->name, "more");
	op_task_names_release(&all);
}

static void invalid_lines_of_names_file_are_ignored(void **state)
{
	static const char text[] = "1 2 fine\n\n3\n4 5\nx 6 y\n-1 2 z\n99999999999 1 w\n8 9 "
				   "longer than any name may be\n1 2 twice\n7 7 cut";
	struct fixture *f = *state;
	struct op_task_names names = { 0 };

	assert_int_equal(op_replace_file(f->fd, OP_TASK_NAMES_FILE, text, sizeof(text) - 1, 0600), 0);
	assert_int_equal(op_task_names_read(&names, 1, f->fd), 0);
	assert_string_equal(op_task_names_find(&names, 1, 2)->name, "fine");
	assert_string_equal(op_task_names_find(&names, 8, 9)->name, "longer than any");
	assert_int_equal(names.table.nr, 3);
	assert_null(op_task_names_find(&names, 4, 5));
	op_task_names_release(&names);
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(only_sampled_tasks_are_written),
		test(latest_name_is_written),
		test(child_inherits_parent_name),
		test(comm_is_read_again_after_new_sample),
		test(names_are_kept_per_session),
		test(number_of_names_is_limited),
		test(invalid_lines_of_names_file_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
