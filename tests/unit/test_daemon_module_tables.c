// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_module_tables.c -- tests that the daemon passes an unwind table to the kernel module
 * when the module requests it. The test simulates the module.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <stdarg.h>
#include <sys/ioctl.h>

#include "daemon/image/image.h"
#include "daemon/image/unwind_tables.h"
#include "daemon/source/module_tables.h"
#include "module/uapi/oprofile.h"

#define BUFFER	77

static struct oprofile_unwind_table given[8];
static size_t nr_given;

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;

	assert_int_equal(fd, BUFFER);
	assert_true(request == OPROFILE_IOC_TABLE && nr_given < 8);
	va_start(ap, request);
	given[nr_given++] = *va_arg(ap, struct oprofile_unwind_table *);
	va_end(ap);
	return 0;
}

static void ignore_request(void *arg, const struct opd_image *image)
{
	(void)arg;
	(void)image;
}

/*
 * The daemon passes the tables of vDSOs, which do not belong to files, to the module at the start.
 * The module may evict such a table and then request it again.
 */
static void evicted_vdso_tables_are_loaded_again(void **state)
{
	struct opd_unwind_tables *unwind;
	struct opd_module_tables *t;
	struct opd_images *images;

	(void)state;
	nr_given = 0;
	assert_int_equal(opd_images_create(&images), 0);
	assert_int_equal(opd_unwind_tables_create(&unwind, ignore_request, NULL), 0);
	opd_images_set_unwind(images, unwind);
	assert_int_equal(opd_module_tables_create(&t, BUFFER, NULL, images), 0);
	assert_int_equal(nr_given, 2);
	opd_module_tables_request(t, OPROFILE_NO_COOKIE);
	assert_int_equal(nr_given, 4);
	assert_int_equal(given[2].flags, OPROFILE_TABLE_VDSO);
	assert_int_equal(given[3].flags, OPROFILE_TABLE_VDSO32);
	for (int i = 0; i < 2; i++)
		assert_true(given[2 + i].table == given[i].table && given[2 + i].size == given[i].size);
	opd_module_tables_destroy(t);
	opd_unwind_tables_destroy(unwind);
	opd_images_destroy(images);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evicted_vdso_tables_are_loaded_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
