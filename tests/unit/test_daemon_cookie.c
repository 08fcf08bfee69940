// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_cookie.c -- tests the tables of cookies (the kernel's numbers of paths) and images,
 * and the labels of anonymous memory.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/image/anon.h"
#include "daemon/image/cookie.h"
#include "daemon/image/image.h"
#include "module/uapi/oprofile.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

struct fixture {
	struct opd_images *images;
	struct opd_cookies *cookies;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_int_equal(opd_images_create(&f->images), 0);
	assert_int_equal(opd_cookies_create(&f->cookies, f->images, -1), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opd_cookies_destroy(f->cookies);
	opd_images_destroy(f->images);
	free(f);
	return 0;
}

static int read_text(struct fixture *f, const char *text, size_t len)
{
	FILE *file = fmemopen((void *)text, len, "r");
	int ret = opd_cookies_read(f->cookies, file);

	fclose(file);
	return ret;
}

static const char *path_of(struct fixture *f, uint64_t cookie)
{
	const struct opd_image *image = opd_cookies_image(f->cookies, cookie, 0);

	return image ? image->path : NULL;
}

static void test_cookie_table_is_parsed(void **state)
{
	struct fixture *f = *state;
	static const char text[] =
		"# a comment\n"
		"\n"
		"1a\t/bin/true\n"
		"ffffffffffffff00\t/with blank\n"
		"2b,7,8,1700000000\t/bin/false\n"
		"3\t/new\\nline\\ttab\\\\\n";
	const struct opd_image *image;

	assert_int_equal(read_text(f, text, strlen(text)), 0);
	assert_string_equal(path_of(f, 0x1a), "/bin/true");
	assert_string_equal(path_of(f, 0xffffffffffffff00), "/with blank");
	assert_string_equal(path_of(f, 3), "/new\nline\ttab\\");
	image = opd_cookies_image(f->cookies, 0x2b, 0);
	assert_int_equal(image->dev, 7);
	assert_int_equal(image->ino, 8);
	assert_int_equal(image->mtime, 1700000000);
	assert_null(path_of(f, 0));
	assert_null(path_of(f, 99));
}

static void test_bad_lines_are_counted(void **state)
{
	struct fixture *f = *state;
	static const char text[] = "x\t/a\n" "1 /a\n" "2\t\n" "0\t/zero\n" "3,4,y\t/b\n" "4\t/a\0b\n"
		"ffffffffffffffff0\t/toolong\n" "5\t/good";

	assert_int_equal(read_text(f, text, sizeof(text) - 1), 7);
	assert_string_equal(path_of(f, 5), "/good");
	assert_null(path_of(f, 2));
}

static void test_many_cookies_share_images(void **state)
{
	struct fixture *f = *state;
	char line[64];

	for (int i = 1; i < 5000; i++) {
		int n = snprintf(line, sizeof(line), "%x\t/lib/%d\n", i * 4096, i % 100);

		assert_int_equal(read_text(f, line, n), 0);
	}
	for (int i = 1; i < 5000; i++) {
		snprintf(line, sizeof(line), "/lib/%d", i % 100);
		assert_string_equal(path_of(f, i * 4096), line);
		/* A file that has two cookies has only one image. */
		if (i > 100)
			assert_ptr_equal(opd_cookies_image(f->cookies, i * 4096, 0),
					 opd_cookies_image(f->cookies, (i - 100) * 4096, 0));
	}
}

/* The file that the module reports for every cookie, and the number of its answers. */
static struct oprofile_cookie_info reported;
static const char *reported_path;
static int nr_answers;

/* Stands for the module's ioctl. */
int ioctl(int fd, unsigned long request, ...)
{
	struct oprofile_cookie_info *info;
	va_list ap;

	(void)fd;
	va_start(ap, request);
	info = va_arg(ap, struct oprofile_cookie_info *);
	va_end(ap);
	assert_int_equal(request, OPROFILE_IOC_COOKIE);
	assert_true(info->path_size > strlen(reported_path));
	strcpy((char *)(uintptr_t)info->path, reported_path);
	info->path_len = (uint32_t)strlen(reported_path) + 1;
	info->dev = reported.dev;
	info->ino = reported.ino;
	info->mtime_sec = reported.mtime_sec;
	info->fs_dev = reported.fs_dev;
	info->flags = reported.flags;
	nr_answers++;
	return 0;
}

/* Create a program file, which the module reports from now on. */
static void make_program(char *path)
{
	char command[128];
	struct stat st;

	strcpy(path, "/tmp/cookie-XXXXXX");
	close(mkstemp(path));
	snprintf(command, sizeof(command), "cp \"$(command -v sleep)\" %s && chmod 700 %s", path, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(stat(path, &st), 0);
	reported = (struct oprofile_cookie_info){ .dev = st.st_dev, .ino = st.st_ino, .mtime_sec = st.st_mtime };
	reported_path = path;
}

/* Run the program, and return its process when it runs. */
static pid_t run_program(const char *path)
{
	char link[64], exe[128];
	ssize_t len = 0;
	pid_t pid = fork();

	if (!pid) {
		execl(path, "sleep", "60", (char *)NULL);
		_exit(1);
	}
	assert_true(pid > 0);
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	while (len >= 0 && ((size_t)len != strlen(path) || memcmp(exe, path, (size_t)len)))
		len = readlink(link, exe, sizeof(exe));
	assert_true(len > 0);
	return pid;
}

static void end_program(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A file that was looked up without its process is opened when the process is known. */
static void test_file_is_opened_when_process_is_known(void **state)
{
	struct fixture *f = *state;
	struct opd_cookies *c;
	const struct opd_image *image;
	char path[32];
	pid_t ended, pid;

	assert_int_equal(opd_cookies_create(&c, f->images, 0), 0);
	make_program(path);
	ended = run_program(path);
	end_program(ended);
	pid = run_program(path);
	unlink(path);
	image = opd_cookies_image(c, 5, 0);
	assert_non_null(image);
	assert_int_equal(image->identity.build, 0);
	assert_ptr_equal(opd_cookies_image(c, 5, 0), image);
	assert_int_equal(nr_answers, 1);
	assert_ptr_equal(opd_cookies_image(c, 5, ended), image);
	assert_ptr_equal(opd_cookies_image(c, 5, ended), image);
	assert_int_equal(nr_answers, 2);
	image = opd_cookies_image(c, 5, pid);
	assert_int_not_equal(image->identity.build, 0);
	nr_answers = 0;
	assert_ptr_equal(opd_cookies_image(c, 5, 0), image);
	assert_ptr_equal(opd_cookies_image(c, 5, ended), image);
	assert_int_equal(nr_answers, 0);
	end_program(pid);
	/* The daemon does not try without end to open a file that is gone. */
	for (pid_t other = 1; other < 100; other++)
		assert_int_equal(opd_cookies_image(c, 6, ended + other)->identity.build, 0);
	assert_in_range(nr_answers, 2, 10);
	opd_cookies_destroy(c);
}

/* A file of another mount namespace is not looked up at the same path below the daemon's root. */
static void test_foreign_file_is_opened_only_through_process(void **state)
{
	struct fixture *f = *state;
	const struct opd_image *image;
	struct opd_cookies *c;
	char path[32], expected[64];
	pid_t pid;

	assert_int_equal(opd_cookies_create(&c, f->images, 0), 0);
	make_program(path);
	reported.flags = OPROFILE_COOKIE_FOREIGN;
	reported.fs_dev = 0xfff00fff;
	pid = run_program(path);
	end_program(pid);
	assert_int_equal(opd_cookies_image(c, 7, 0)->identity.build, 0);
	assert_int_equal(opd_cookies_image(c, 7, pid)->identity.build, 0);
	pid = run_program(path);
	image = opd_cookies_image(c, 7, pid);
	assert_int_not_equal(image->identity.build, 0);
	snprintf(expected, sizeof(expected), "/[container:%u:%u]%s", major(0xfff00fff), minor(0xfff00fff), path);
	assert_string_equal(image->path, expected);
	end_program(pid);
	unlink(path);
	opd_cookies_destroy(c);
}

static void test_images_are_interned(void **state)
{
	struct fixture *f = *state;
	const struct opd_image *a = opd_images_intern(f->images, "/a", 1, 2, 3);

	assert_ptr_equal(opd_images_intern(f->images, "/a", 1, 2, 3), a);
	assert_ptr_not_equal(opd_images_intern(f->images, "/a", 1, 2, 4), a);
	assert_ptr_not_equal(opd_images_intern(f->images, "/a", 1, 3, 3), a);
	assert_ptr_not_equal(opd_images_intern(f->images, "/a", 0, 2, 3), a);
	assert_ptr_not_equal(opd_images_intern(f->images, "/b", 1, 2, 3), a);
	assert_string_equal(a->path, "/a");
}

/* The memory of the tables is limited, whatever users do. */
static void test_images_are_bounded(void **state)
{
	struct fixture *f = *state;
	char path[4096];
	int n = 0;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	path[0] = '/';
	while (n < 1000000 && opd_images_intern(f->images, path, 0, n, 0))
		n++;
	assert_in_range(n, 10000, 100000);
	/* Cookies that are already in the table stay in the table. */
	assert_non_null(opd_images_intern(f->images, path, 0, 0, 0));
}

static void test_anonymous_mappings_have_labels(void **state)
{
	(void)state;
	assert_string_equal(opd_anon_label("[heap]"), "[heap]");
	assert_string_equal(opd_anon_label("[stack:12]"), "[stack]");
	assert_string_equal(opd_anon_label("[vdso]"), "[vdso]");
	assert_string_equal(opd_anon_label("//anon"), "anon");
	assert_string_equal(opd_anon_label("{anon:x}/../"), "anon");
	assert_string_equal(opd_anon_label(""), "anon");
	assert_string_equal(opd_anon_label(NULL), "anon");
	assert_string_equal(opd_anon_kind_label(3), "[vdso]");
	assert_string_equal(opd_anon_kind_label(~0ul), "anon");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cookie_table_is_parsed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_lines_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_cookies_share_images, setup, teardown),
		cmocka_unit_test_setup_teardown(test_file_is_opened_when_process_is_known, setup, teardown),
		cmocka_unit_test_setup_teardown(test_foreign_file_is_opened_only_through_process, setup, teardown),
		cmocka_unit_test_setup_teardown(test_images_are_interned, setup, teardown),
		cmocka_unit_test_setup_teardown(test_images_are_bounded, setup, teardown),
		cmocka_unit_test(test_anonymous_mappings_have_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
