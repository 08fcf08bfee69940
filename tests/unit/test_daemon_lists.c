// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_lists.c -- tests the lists stored with the samples (build-ids, thread names):
 * whichever call fails, existing entries are not lost.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "daemon/image/build_id.h"
#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/store/task_names.h"
#include "libop/base/fs.h"
#include "libop/session/build_ids.h"
#include "libop/session/task_names.h"
#include "tests/fault/fault.h"

static int lists_dir;

/* A daemon that continues a session appends to the lists of the earlier daemon. */
static int write_task_names(void)
{
	struct opd_task_names *names;
	int err = opd_task_names_create(&names, "/proc");

	if (err)
		return err;
	opd_task_names_named(names, INT32_MAX, INT32_MAX, "later", 0);
	opd_task_names_sampled(names, INT32_MAX, INT32_MAX);
	err = opd_task_names_write(names, lists_dir);
	opd_task_names_destroy(names);
	return err;
}

static int write_build_ids(void)
{
	struct opd_identity identity = { .build_id = { 2 }, .build_id_len = 20 };
	struct opd_images *all;
	const struct opd_image *image;
	size_t written = 0;
	int err = opd_images_create(&all);

	if (err)
		return err;
	image = opd_images_intern_build(all, "/later", 1, 2, &identity);
	if (image)
		opd_images_use(all, image);
	err = image ? opd_build_id_file_write(all, &written, lists_dir) : -ENOMEM;
	opd_images_destroy(all);
	return err;
}

/* Whichever call fails, the contents that an earlier daemon has written stay in the file. */
static void fail_each_list(int (*write)(void), const char *file, const char *earlier, int error)
{
	bool failed;
	int err;
	char *text;
	size_t len;
	long n;

	for (n = 1;; n++) {
		assert_int_equal(op_replace_file_nowait(lists_dir, file, earlier, strlen(earlier), 0600), 0);
		fault_arm(n, error);
		err = write();
		failed = fault_disarm();
		assert_int_equal(op_read_file(lists_dir, file, 1000, &text, &len), 0);
		if (!strstr(text, earlier))
			fail_msg("call %ld, result %d: %s", n, err, text);
		if (!failed)
			break;
		free(text);
	}
	assert_int_equal(err, 0);
	assert_true(n > 5 && strstr(text, "later"));
	free(text);
	print_message("%ld calls failed\n", n - 1);
}

static void test_failed_write_keeps_earlier_lists(void **state)
{
	static const int errors[] = { EMFILE, EIO };

	lists_dir = check_open_dir(state);
	for (size_t i = 0; i < 2; i++) {
		fail_each_list(write_task_names, OP_TASK_NAMES_FILE, "77 78 earlier\n", errors[i]);
		fail_each_list(write_build_ids, OP_BUILD_IDS_FILE, "0123 /earlier\n", errors[i]);
	}
	close(lists_dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_failed_write_keeps_earlier_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
