// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_session.c -- tests the session directory: lock, saving, reset, and hostile symbolic
 * links.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "daemon/base/next_session.h"
#include "daemon/base/session.h"
#include "libop/base/dir.h"
#include "libop/session/paths.h"

static void open_session(struct opd_session *s, const char *dir)
{
	struct op_reason error = { "" };
	int err = opd_session_open(s, dir, (gid_t)-1, &error);

	if (err)
		fail_msg("%s", error.text);
}

static void write_file(int dirfd, const char *path, const char *text)
{
	int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static bool file_exists(int dirfd, const char *path)
{
	return faccessat(dirfd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void test_missing_directories_are_created(void **state)
{
	struct opd_session s;
	char path[300];

	snprintf(path, sizeof(path), "%s/a/b/c", (char *)*state);
	open_session(&s, path);
	assert_true(file_exists(s.dir_fd, "samples/current"));
	opd_session_release(&s);
	/* Releasing a session twice, or without opening it, does nothing. */
	opd_session_release(&s);
}

static void test_links_are_not_followed(void **state)
{
	int dir = check_open_dir(state);
	struct opd_session s;
	struct op_reason error = { "" };

	assert_int_equal(symlinkat("/tmp", dir, "samples"), 0);
	assert_true(opd_session_open(&s, *state, (gid_t)-1, &error) < 0);
	assert_non_null(strstr(error.text, "not a link"));
	opd_session_release(&s);
	unlinkat(dir, "samples", 0);

	open_session(&s, *state);
	write_file(dir, "victim", "untouched");
	assert_int_equal(symlinkat("victim", dir, "lock"), 0);
	pid_t holder = 0;

	assert_true(opd_session_lock(&s, &holder) < 0);
	assert_true(file_exists(dir, "victim"));
	opd_session_release(&s);
	close(dir);
}

static void test_session_has_one_lock_holder(void **state)
{
	struct opd_session a, b;
	pid_t holder = 0;

	open_session(&a, *state);
	open_session(&b, *state);
	assert_int_equal(opd_session_lock(&a, &holder), 0);
	assert_int_equal(opd_session_lock(&b, &holder), -EBUSY);
	assert_int_equal(holder, getpid());
	opd_session_unlock(&a);
	assert_false(file_exists(a.dir_fd, "lock"));
	assert_int_equal(opd_session_lock(&b, &holder), 0);
	opd_session_release(&b);
	opd_session_release(&a);
}

/* A reader that has locked a world-readable lock file of an earlier version is not mistaken for the
 * daemon, which has died. */
static void test_locked_by_reader(void **state)
{
	struct op_reason error = { "" };
	struct opd_session s;
	char text[32];
	pid_t holder = 0, child;
	struct stat st;
	int reader;

	assert_int_equal(opd_session_open(&s, *state, (gid_t)-1, &error), 0);
	child = fork();
	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	snprintf(text, sizeof(text), "%d\n", (int)child);
	write_file(s.dir_fd, "lock", text);
	assert_int_equal(fchmodat(s.dir_fd, "lock", 0644, 0), 0);
	reader = openat(s.dir_fd, "lock", O_RDONLY);
	assert_int_equal(flock(reader, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(opd_session_lock(&s, &holder), 0);
	assert_int_equal(fstatat(s.dir_fd, "lock", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(reader);
	opd_session_release(&s);
}

static void test_lock_of_dead_daemon_is_taken(void **state)
{
	struct opd_session s;
	pid_t holder = 0, child;
	int status;

	open_session(&s, *state);
	child = fork();
	if (child == 0)		/* the child ends without unlocking, as a killed daemon does */
		_exit(opd_session_lock(&s, &holder));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(opd_session_lock(&s, &holder), 0);
	opd_session_unlock(&s);

	/* After a power failure the lock file may be empty, without a pid. */
	write_file(s.dir_fd, "lock", "");
	assert_int_equal(opd_session_lock(&s, &holder), 0);
	opd_session_release(&s);
}

static void test_session_names_are_checked(void **state)
{
	static const char *const good[] = { "a", "Run-1", "x.y_z", "m\xc3\xbcnchen" };
	static const char *const bad[] = {
		"", ".", "..", ".x", "-x", "current", "oprofiled.log", "a/b", "/etc", "a b", "a\nb", "a\x7f", "{x}", "*",
		"a?", "[a]", "'", "\"", "\\",
	};
	char longest[300];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(op_session_name_ok(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(op_session_name_ok(bad[i]));
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_false(op_session_name_ok(longest));
	longest[200] = '\0';
	assert_true(op_session_name_ok(longest));
}

static void test_session_is_saved_by_rename(void **state)
{
	struct opd_session s;

	open_session(&s, *state);
	write_file(s.current_fd, "kernel-symbols", "k");
	assert_int_equal(opd_session_save(&s, "first"), -ENODATA);
	assert_false(file_exists(s.samples_fd, "first"));
	write_file(s.current_fd, "{root}", "x");
	assert_int_equal(opd_session_save(&s, "a/b"), -EINVAL);
	assert_int_equal(opd_session_save(&s, "current"), -EINVAL);
	assert_int_equal(opd_session_save(&s, "first"), 0);
	assert_true(file_exists(s.samples_fd, "first/{root}"));
	assert_false(file_exists(s.current_fd, "{root}"));
	/* Both sessions have a file with the kernel's symbols. */
	assert_true(file_exists(s.samples_fd, "first/kernel-symbols"));
	assert_true(file_exists(s.samples_fd, "current/kernel-symbols"));
	assert_int_equal(opd_session_save(&s, "first"), -EEXIST);
	opd_session_release(&s);
}

/* Replacement of pthread_create() of the C library: a thread runs only when the test calls it. */
static void *(*thread)(void *);
static void *thread_arg, *first_arg;

int pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	(void)attr;
	*ret = pthread_self();
	first_arg = thread_arg;
	thread = fn;
	thread_arg = arg;
	return 0;
}

int pthread_detach(pthread_t thread_id)
{
	(void)thread_id;
	return 0;
}

static int nr_deleted(const struct opd_session *s)
{
	struct dirent *d;
	DIR *dir;
	int nr = 0;

	assert_int_equal(op_open_dir(s->samples_fd, ".", &dir), 0);
	while ((d = op_next_entry(dir)))
		nr += !strncmp(d->d_name, ".deleted-", 9);
	closedir(dir);
	return nr;
}

/* Simulate a file system without RENAME_EXCHANGE and RENAME_NOREPLACE. */
static bool no_flags;

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
	if (no_flags && flags) {
		errno = EINVAL;
		return -1;
	}
	return syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

/* If a daemon was killed between the two renames, no current session exists: the next daemon starts
 * a new session, and the saved session is kept. */
static void test_killed_between_renames(void **state)
{
	struct opd_session s;
	pid_t holder;

	open_session(&s, *state);
	write_file(s.current_fd, "{root}", "x");
	assert_int_equal(opd_session_prepare(&s), 0);
	write_file(s.next_fd, "next", "x");
	assert_int_equal(renameat(s.samples_fd, "current", s.samples_fd, "first"), 0);
	/* Simulate a kill by closing the descriptor, because opd_session_release() would remove the
	 * prepared next session. */
	close(s.next_fd);
	s.next_fd = -1;
	opd_session_release(&s);

	open_session(&s, *state);
	assert_int_equal(opd_session_lock(&s, &holder), 0);
	assert_true(file_exists(s.samples_fd, "first/{root}"));
	assert_true(file_exists(s.samples_fd, "current"));
	assert_false(file_exists(s.samples_fd, "current/next"));
	assert_int_equal(nr_deleted(&s), 1);
	thread(thread_arg);
	assert_int_equal(nr_deleted(&s), 0);
	assert_true(file_exists(s.samples_fd, "first/{root}"));
	opd_session_release(&s);
}

static void test_save_without_rename_exchange(void **state)
{
	struct opd_session s;

	open_session(&s, *state);
	write_file(s.current_fd, "{root}", "x");
	no_flags = true;
	assert_int_equal(opd_session_prepare(&s), 0);
	write_file(s.next_fd, "next", "x");
	assert_int_equal(opd_session_save(&s, "first"), 0);
	assert_true(file_exists(s.samples_fd, "first/{root}"));
	assert_true(file_exists(s.current_fd, "next"));
	assert_true(file_exists(s.samples_fd, "current/next"));
	assert_int_equal(nr_deleted(&s), 0);
	assert_int_equal(opd_session_reset(&s), 0);
	no_flags = false;
	assert_false(file_exists(s.current_fd, "next"));
	assert_int_equal(nr_deleted(&s), 1);
	thread(thread_arg);
	assert_int_equal(nr_deleted(&s), 0);
	opd_session_release(&s);
}

/* If the next session cannot be created, only the samples are deleted. */
static void test_emptied_session_keeps_kernel_symbols(void **state)
{
	struct opd_session s;

	open_session(&s, *state);
	write_file(s.current_fd, "kernel-symbols", "k");
	write_file(s.current_fd, "build-ids", "b");
	assert_int_equal(mkdirat(s.current_fd, "stats", 0755), 0);
	assert_int_equal(mkdirat(s.current_fd, "{root}", 0755), 0);
	write_file(s.current_fd, "{root}/file", "x");
	assert_int_equal(opd_session_empty(&s), 0);
	assert_false(file_exists(s.current_fd, "{root}"));
	assert_false(file_exists(s.current_fd, "build-ids"));
	assert_true(file_exists(s.current_fd, "stats"));
	assert_true(file_exists(s.current_fd, "kernel-symbols"));
	thread(thread_arg);
	assert_int_equal(nr_deleted(&s), 0);
	opd_session_release(&s);
}

static void test_reset_deletes_deep_tree(void **state)
{
	struct opd_session s;
	int outside = check_open_dir(state), fd, next, made;

	open_session(&s, *state);
	write_file(outside, "outside", "must stay");
	write_file(s.current_fd, "file", "x");
	assert_int_equal(symlinkat("../../..", s.current_fd, "link"), 0);
	/* The tree of directories is deeper than the limit of open files, and its path is longer
	 * than PATH_MAX. */
	fd = dup(s.current_fd);
	for (int i = 0; i < 3000; i++) {
		next = opd_open_dir_at(fd, "deep", 0755, &made);
		assert_true(next >= 0);
		if (i % 500 == 0)
			write_file(fd, "file", "x");
		close(fd);
		fd = next;
	}
	close(fd);
	for (int i = 0; i < 300; i++) {
		char name[20];

		snprintf(name, sizeof(name), "d%d", i);
		close(opd_open_dir_at(s.current_fd, name, 0755, &made));
		strcat(name, "/f");
		write_file(s.current_fd, name, "x");
	}
	assert_int_equal(opd_session_reset(&s), 0);
	/* A reset returns before any file was deleted. */
	assert_true(nr_deleted(&s) == 1);
	assert_non_null(thread);
	assert_true(file_exists(s.samples_fd, "current"));
	assert_int_equal(opd_session_reset(&s), 0);
	assert_true(nr_deleted(&s) == 2);
	thread(thread_arg);
	thread(first_arg);
	assert_true(nr_deleted(&s) == 0);
	assert_true(file_exists(outside, "outside"));
	/* The directory can be removed, so it is empty. */
	assert_int_equal(unlinkat(s.samples_fd, "current", AT_REMOVEDIR), 0);
	close(outside);
	opd_session_release(&s);
}

/* If a daemon was killed while it deleted files, the next daemon deletes the remaining files. */
static void test_deleting_is_finished(void **state)
{
	struct opd_session s;
	pid_t holder;
	int made;

	open_session(&s, *state);
	close(opd_open_dir_at(s.samples_fd, ".deleted-77", 0755, &made));
	write_file(s.samples_fd, ".deleted-77/file", "x");
	assert_int_equal(opd_session_lock(&s, &holder), 0);
	assert_true(file_exists(s.samples_fd, ".deleted-77"));
	thread(thread_arg);
	assert_false(file_exists(s.samples_fd, ".deleted-77"));
	opd_session_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_missing_directories_are_created),
		test_in_dir(test_links_are_not_followed),
		test_in_dir(test_session_has_one_lock_holder),
		test_in_dir(test_locked_by_reader),
		test_in_dir(test_lock_of_dead_daemon_is_taken),
		cmocka_unit_test(test_session_names_are_checked),
		test_in_dir(test_session_is_saved_by_rename),
		test_in_dir(test_save_without_rename_exchange),
		test_in_dir(test_killed_between_renames),
		test_in_dir(test_emptied_session_keeps_kernel_symbols),
		test_in_dir(test_reset_deletes_deep_tree),
		test_in_dir(test_deleting_is_finished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
