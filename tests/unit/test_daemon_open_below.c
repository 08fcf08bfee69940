// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_open_below.c -- tests the opening of a file below a directory: no symbolic link, ".."
 * or other mount is passed. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "daemon/image/open_below.h"

/* status of a child that may not mount file systems */
enum { NOT_ALLOWED = 77 };

/* A directory with top/sub/file, top/link -> sub, top/sub/link -> file, and outside. */
struct fixture {
	char path[32];
	int dir, top;
};

static void make_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	close(fd);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->path, "/tmp/oprofile-unit.XXXXXX");
	assert_non_null(mkdtemp(f->path));
	f->dir = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(f->dir, "top", 0755), 0);
	assert_int_equal(mkdirat(f->dir, "top/sub", 0755), 0);
	make_file(f->dir, "outside");
	make_file(f->dir, "top/sub/file");
	assert_int_equal(symlinkat("sub", f->dir, "top/link"), 0);
	assert_int_equal(symlinkat("file", f->dir, "top/sub/link"), 0);
	f->top = openat(f->dir, "top", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(f->top >= 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlinkat(f->dir, "top/sub/link", 0);
	unlinkat(f->dir, "top/sub/file", 0);
	unlinkat(f->dir, "top/link", 0);
	unlinkat(f->dir, "outside", 0);
	unlinkat(f->dir, "top/sub", AT_REMOVEDIR);
	unlinkat(f->dir, "top", AT_REMOVEDIR);
	close(f->top);
	close(f->dir);
	rmdir(f->path);
	free(f);
	return 0;
}

/* Return whether @path leads to the file top/sub/file. */
static bool finds_file(const struct fixture *f, const char *path, bool same_mount)
{
	int fd = opd_open_below(f->top, path, same_mount);
	struct stat found, expected;

	if (fd < 0)
		return false;
	assert_int_equal(fstat(fd, &found), 0);
	assert_int_equal(fstatat(f->dir, "top/sub/file", &expected, 0), 0);
	close(fd);
	return found.st_ino == expected.st_ino && found.st_dev == expected.st_dev;
}

static void files_below_the_directory_are_found(void **state)
{
	struct fixture *f = *state;

	assert_true(finds_file(f, "sub/file", false));
	assert_true(finds_file(f, "/sub/file", false));
	assert_true(finds_file(f, "/sub//./file", true));
}

static void paths_out_of_the_directory_are_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(opd_open_below(f->top, "../outside", false), -ELOOP);
	assert_int_equal(opd_open_below(f->top, "sub/../../outside", false), -ELOOP);
	assert_int_equal(opd_open_below(f->top, "..", false), -ELOOP);
}

static void symbolic_links_are_not_followed(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	int fd;

	assert_int_equal(opd_open_below(f->top, "link/file", false), -ENOTDIR);
	fd = opd_open_below(f->top, "sub/link", false);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	close(fd);
}

static void impossible_paths_are_refused(void **state)
{
	struct fixture *f = *state;
	char name[300];

	assert_int_equal(opd_open_below(f->top, "", false), -ENOENT);
	assert_int_equal(opd_open_below(f->top, "/", false), -ENOENT);
	assert_int_equal(opd_open_below(f->top, "sub/none", false), -ENOENT);
	assert_int_equal(opd_open_below(f->top, "sub/file/none", false), -ENOTDIR);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(opd_open_below(f->top, name, false), -ENAMETOOLONG);
}

/* Mount the file "outside" over top/sub/file, and open the file. Return 0 if that fails only with
 * @same_mount. */
static int open_other_mount(const struct fixture *f)
{
	int top, plain, strict;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    chdir(f->path) || mount("outside", "top/sub/file", NULL, MS_BIND, NULL))
		return NOT_ALLOWED;
	top = open("top", O_PATH | O_DIRECTORY | O_CLOEXEC);
	plain = opd_open_below(top, "sub/file", false);
	strict = opd_open_below(top, "sub/file", true);
	if (plain < 0)
		return 1;
	return strict == -EXDEV ? 0 : 2;
}

static void other_mounts_are_refused_on_request(void **state)
{
	struct fixture *f = *state;
	pid_t child = fork();
	int status;

	if (!child)
		_exit(open_other_mount(f));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_ALLOWED)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_below_the_directory_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(paths_out_of_the_directory_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(symbolic_links_are_not_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(impossible_paths_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(other_mounts_are_refused_on_request, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
