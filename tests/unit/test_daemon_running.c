// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_running.c -- tests that each file that this process executes is found once, and is
 * reported only after a sample. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/running.h"

struct found {
	char self[PATH_MAX];
	const struct opd_image *image;	/* image of this test program */
	unsigned int nr, nr_self, nr_reported;
};

static void count_file(void *arg, const struct opd_image *image,
		       const struct opd_identity *identity)
{
	struct found *f = arg;

	assert_true(identity->fd >= 0);
	f->nr++;
	if (strcmp(image->path, f->self))
		return;
	f->nr_self++;
	f->image = image;
}

static void count_report(void *arg, const struct opd_image *image,
			 const struct opd_identity *identity)
{
	struct found *f = arg;

	(void)image;
	(void)identity;
	f->nr_reported++;
}

static void each_file_is_found_once(void **state)
{
	struct found f = { .nr = 0 };
	struct opd_identity identity;
	struct opd_images *images;
	const pid_t twice[] = { getpid(), getpid() };

	(void)state;
	assert_true(readlink("/proc/self/exe", f.self, sizeof(f.self) - 1) > 0);
	assert_int_equal(opd_images_create(&images), 0);
	opd_images_report_new(images, count_report, &f);
	assert_int_equal(opd_running_each(images, "/proc", twice, 2, UINT64_MAX, count_file, &f),
			 0);
	assert_int_equal(f.nr_self, 1);
	/* at least the test program, libc and the dynamic linker are found */
	assert_true(f.nr > 2);
	assert_int_equal(f.nr_reported, 0);

	/* After a sample hits the first file, the other files are reported, each once. */
	assert_int_equal(opd_identify(&identity, f.self, f.image->dev, f.image->ino, 0), 0);
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(opd_images_intern_build(images, f.self, f.image->dev, f.image->ino, &identity), f.image);
		assert_int_equal(f.nr_reported, 1);
	}
	opd_identity_release(&identity);
	opd_images_destroy(images);
}

static void all_processes_are_scanned(void **state)
{
	struct found f = { .nr = 0 };
	struct opd_images *images;

	(void)state;
	assert_true(readlink("/proc/self/exe", f.self, sizeof(f.self) - 1) > 0);
	assert_int_equal(opd_images_create(&images), 0);
	assert_int_equal(opd_running_each(images, "/proc", NULL, 0, UINT64_MAX, count_file, &f), 0);
	assert_int_equal(f.nr_self, 1);
	opd_images_destroy(images);
}

/* The same files are found if the finder process reads the maps for the daemon. */
static void finder_returns_same_files(void **state)
{
	struct found direct = { .nr = 0 }, f = { .nr = 0 };
	struct opd_finder *finder;
	struct opd_images *images;
	struct opd_log log;
	pid_t self = getpid();

	(void)state;
	opd_log_init(&log);
	assert_int_equal(opd_finder_create(&finder, "/proc", "/nowhere", &log), 0);
	for (int i = 0; i < 2; i++) {
		struct found *found = i ? &f : &direct;

		assert_true(readlink("/proc/self/exe", found->self, sizeof(found->self) - 1) > 0);
		assert_int_equal(opd_images_create(&images), 0);
		opd_images_set_finder(images, i ? finder : NULL);
		assert_int_equal(opd_running_each(images, "/proc", &self, 1, UINT64_MAX, count_file,
						  found), 0);
		opd_images_destroy(images);
	}
	assert_int_equal(f.nr_self, 1);
	assert_int_equal(f.nr, direct.nr);
	opd_finder_destroy(finder);
	opd_log_release(&log);
}

static void expired_time_limit_stops_scan(void **state)
{
	struct found f = { .nr = 0 };
	struct opd_images *images;
	pid_t self = getpid();

	(void)state;
	assert_int_equal(opd_images_create(&images), 0);
	assert_int_equal(opd_running_each(images, "/proc", &self, 1, 0, count_file, &f), 0);
	assert_int_equal(opd_running_each(images, "/proc", NULL, 0, 0, count_file, &f), 0);
	assert_int_equal(f.nr, 0);
	assert_int_equal(opd_running_each(images, "/nonexistent", NULL, 0, UINT64_MAX, count_file,
					  &f), -ENOENT);
	opd_images_destroy(images);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_is_found_once),
		cmocka_unit_test(all_processes_are_scanned),
		cmocka_unit_test(finder_returns_same_files),
		cmocka_unit_test(expired_time_limit_stops_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
