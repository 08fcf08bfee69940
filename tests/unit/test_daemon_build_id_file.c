// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_build_id_file.c -- tests that the build-ids of images are written to the session's
 * file. */
#include "config.h"
#include "tests/unit/check.h"

#include <sys/stat.h>

#include "daemon/image/build_id.h"
#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "libop/session/build_ids.h"

static const uint8_t one[20] = { 1 }, two[20] = { 2 };

static const struct opd_image *intern_image(struct opd_images *images, const char *path,
					    uint64_t mtime, const uint8_t *id)
{
	struct opd_identity identity = { .mtime = mtime };
	const struct opd_image *im;

	if (id) {
		identity.build_id_len = 20;
		memcpy(identity.build_id, id, 20);
		identity.identity.build = op_identity_of_build_id(id, 20);
	}
	im = opd_images_intern_build(images, path, 1, 2, &identity);
	assert_non_null(im);
	opd_images_use(images, im);
	return im;
}

static size_t count_build_ids(int dir, const char *path)
{
	struct op_build_ids ids = { 0 };
	const struct op_build_id *first;
	size_t nr;

	assert_int_equal(op_build_ids_read(&ids, dir), 0);
	nr = path ? op_build_ids_find(&ids, path, &first) : ids.nr;
	op_build_ids_release(&ids);
	return nr;
}

static void only_new_build_ids_are_written(void **state)
{
	int dir = check_open_dir(state);
	struct opd_images *images;
	struct stat before, after;
	size_t written = 0;

	assert_int_equal(opd_images_create(&images), 0);
	/* If no build-id is known, nothing is written. */
	intern_image(images, "/none", 1, NULL);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(fstatat(dir, OP_BUILD_IDS_FILE, &before, 0), -1);

	intern_image(images, "/a", 1, one);
	intern_image(images, "/bad\nname", 1, one);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(count_build_ids(dir, NULL), 1);
	assert_int_equal(fstatat(dir, OP_BUILD_IDS_FILE, &before, 0), 0);

	/* If no build-id is new, nothing is written. */
	intern_image(images, "/a", 1, one);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(fstatat(dir, OP_BUILD_IDS_FILE, &after, 0), 0);
	assert_int_equal(before.st_ino, after.st_ino);

	/* The build-id of a new version of a file is added after that of the old version. */
	intern_image(images, "/a", 2, two);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(count_build_ids(dir, "/a"), 2);
	opd_images_destroy(images);
	close(dir);
}

static void build_ids_of_earlier_daemon_are_kept(void **state)
{
	int dir = check_open_dir(state);
	struct opd_images *images;
	size_t written = 0;

	assert_int_equal(opd_images_create(&images), 0);
	intern_image(images, "/earlier", 1, one);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	opd_images_destroy(images);

	written = 0;
	assert_int_equal(opd_images_create(&images), 0);
	intern_image(images, "/later", 1, two);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(count_build_ids(dir, "/earlier"), 1);
	assert_int_equal(count_build_ids(dir, "/later"), 1);
	opd_images_destroy(images);
	close(dir);
}

static void new_session_lists_only_its_build_ids(void **state)
{
	int dir = check_open_dir(state);
	struct opd_images *images;
	size_t written = 0;

	assert_int_equal(opd_images_create(&images), 0);
	intern_image(images, "/a", 1, one);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	/* After the session was saved, all build-ids are written to a new file. */
	assert_int_equal(unlinkat(dir, OP_BUILD_IDS_FILE, 0), 0);

	opd_images_new_session(images);
	written = 0;
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	intern_image(images, "/a", 2, two);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(count_build_ids(dir, "/a"), 1);
	opd_images_destroy(images);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(only_new_build_ids_are_written),
		test_in_dir(build_ids_of_earlier_daemon_are_kept),
		test_in_dir(new_session_lists_only_its_build_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
