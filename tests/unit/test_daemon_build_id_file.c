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

static const struct opd_image *image(struct opd_images *images, const char *path, uint64_t mtime,
				     const uint8_t *id)
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

static size_t nr_lines(int dir, const char *path)
{
	struct op_build_ids ids = { 0 };
	const struct op_build_id *first;
	size_t nr;

	assert_int_equal(op_build_ids_read(&ids, dir), 0);
	nr = path ? op_build_ids_find(&ids, path, &first) : ids.nr;
	op_build_ids_release(&ids);
	return nr;
}

static void writes_what_is_new(void **state)
{
	int dir = check_open_dir(state);
	struct opd_images *images;
	struct stat before, after;
	size_t written = 0;

	assert_int_equal(opd_images_create(&images), 0);
	/* no build-id is known, so nothing is written */
	image(images, "/none", 1, NULL);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(fstatat(dir, OP_BUILD_IDS_FILE, &before, 0), -1);

	image(images, "/a", 1, one);
	image(images, "/bad\nname", 1, one);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(nr_lines(dir, NULL), 1);
	assert_int_equal(fstatat(dir, OP_BUILD_IDS_FILE, &before, 0), 0);

	/* no build-id is new, so nothing is written */
	image(images, "/a", 1, one);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(fstatat(dir, OP_BUILD_IDS_FILE, &after, 0), 0);
	assert_int_equal(before.st_ino, after.st_ino);

	/* a new version of the file is added beside the old version */
	image(images, "/a", 2, two);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(nr_lines(dir, "/a"), 2);
	opd_images_destroy(images);
	close(dir);
}

static void keeps_what_an_earlier_daemon_wrote(void **state)
{
	int dir = check_open_dir(state);
	struct opd_images *images;
	size_t written = 0;

	assert_int_equal(opd_images_create(&images), 0);
	image(images, "/earlier", 1, one);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	opd_images_destroy(images);

	written = 0;
	assert_int_equal(opd_images_create(&images), 0);
	image(images, "/later", 1, two);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(nr_lines(dir, "/earlier"), 1);
	assert_int_equal(nr_lines(dir, "/later"), 1);
	opd_images_destroy(images);
	close(dir);
}

static void tells_of_its_session_alone(void **state)
{
	int dir = check_open_dir(state);
	struct opd_images *images;
	size_t written = 0;

	assert_int_equal(opd_images_create(&images), 0);
	image(images, "/a", 1, one);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	/* the session was saved, so the list of its build-ids is written anew */
	assert_int_equal(unlinkat(dir, OP_BUILD_IDS_FILE, 0), 0);

	opd_images_new_session(images);
	written = 0;
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	image(images, "/a", 2, two);
	assert_int_equal(opd_build_id_file_write(images, &written, dir), 0);
	assert_int_equal(nr_lines(dir, "/a"), 1);
	opd_images_destroy(images);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(writes_what_is_new),
		test_in_dir(keeps_what_an_earlier_daemon_wrote),
		test_in_dir(tells_of_its_session_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
