// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_maps.c -- tests the address map of a process: mappings that overlap in all ways, maps
 * that processes share, and a comparison with a simple model. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/maps.h"

struct fixture {
	struct opd_images *images;
	struct opd_mapped_files *files;
	struct opd_mapped_file *file[4];
};

static int make_files(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || opd_images_create(&f->images) || opd_mapped_files_create(&f->files, f->images))
		return -1;
	for (int i = 0; i < 4; i++) {
		struct opd_file_id id = { .ino = 100 + i };

		f->file[i] = opd_mapped_files_get(f->files, "/some/file", &id);
		if (!f->file[i])
			return -1;
	}
	*state = f;
	return 0;
}

static int remove_files(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 4; i++)
		opd_mapped_file_put(f->file[i]);
	opd_mapped_files_destroy(f->files);
	opd_images_destroy(f->images);
	free(f);
	return 0;
}

static void insert(struct opd_maps **maps, uint64_t start, uint64_t end, uint64_t pgoff,
		   struct opd_mapped_file *file)
{
	struct opd_map map = { .start = start, .end = end, .pgoff = pgoff, .file = file };

	assert_int_equal(opd_maps_insert(maps, &map), 0);
}

static void check_at(const struct opd_maps *maps, uint64_t address, struct opd_mapped_file *file,
		     uint64_t offset)
{
	const struct opd_map *map = opd_maps_find(maps, address);

	if (!file) {
		assert_null(map);
		return;
	}
	assert_non_null(map);
	assert_ptr_equal(map->file, file);
	assert_int_equal(address - map->start + map->pgoff, offset);
}

static void mapping_is_found_by_address(void **state)
{
	struct fixture *f = *state;
	struct opd_maps *maps = NULL;

	check_at(maps, 0x1000, NULL, 0);
	insert(&maps, 0x3000, 0x4000, 0x500, f->file[0]);
	insert(&maps, 0x1000, 0x2000, 0, f->file[1]);
	assert_int_equal(opd_maps_nr(maps), 2);
	check_at(maps, 0xfff, NULL, 0);
	check_at(maps, 0x1000, f->file[1], 0);
	check_at(maps, 0x1fff, f->file[1], 0xfff);
	check_at(maps, 0x2000, NULL, 0);
	check_at(maps, 0x3001, f->file[0], 0x501);
	check_at(maps, 0x4000, NULL, 0);
	opd_maps_put(maps);
}

static void new_mapping_replaces_overlapped_ranges(void **state)
{
	struct fixture *f = *state;
	struct opd_maps *maps = NULL;

	/* A mapping in the middle of another mapping splits the other mapping. */
	insert(&maps, 0x1000, 0x9000, 0x100000, f->file[0]);
	insert(&maps, 0x3000, 0x5000, 0, f->file[1]);
	assert_int_equal(opd_maps_nr(maps), 3);
	check_at(maps, 0x2fff, f->file[0], 0x101fff);
	check_at(maps, 0x3000, f->file[1], 0);
	check_at(maps, 0x5000, f->file[0], 0x104000);
	/* A mapping over several other mappings truncates the first and the last of them. */
	insert(&maps, 0x2000, 0x6000, 0, f->file[2]);
	assert_int_equal(opd_maps_nr(maps), 3);
	check_at(maps, 0x1fff, f->file[0], 0x100fff);
	check_at(maps, 0x2000, f->file[2], 0);
	check_at(maps, 0x6000, f->file[0], 0x105000);
	/* A mapping over all other mappings replaces them. */
	insert(&maps, 0, 0x10000, 0, f->file[3]);
	assert_int_equal(opd_maps_nr(maps), 1);
	/* A mapping at exactly the same addresses replaces the earlier mapping. */
	insert(&maps, 0, 0x10000, 0, f->file[0]);
	assert_int_equal(opd_maps_nr(maps), 1);
	check_at(maps, 5, f->file[0], 5);
	opd_maps_put(maps);
}

static void empty_ranges_are_refused(void **state)
{
	struct opd_maps *maps = NULL;
	struct opd_map map = { .start = 0x2000, .end = 0x2000 };

	(void)state;
	assert_int_equal(opd_maps_insert(&maps, &map), -EINVAL);
	map.end = 0x1000;
	assert_int_equal(opd_maps_insert(&maps, &map), -EINVAL);
	assert_null(maps);
}

static void shared_map_does_not_see_changes(void **state)
{
	struct fixture *f = *state;
	struct opd_maps *parent = NULL, *child;

	insert(&parent, 0x1000, 0x2000, 0, f->file[0]);
	child = opd_maps_share(parent);
	assert_ptr_equal(child, parent);
	insert(&child, 0x1000, 0x2000, 0, f->file[1]);
	assert_ptr_not_equal(child, parent);
	check_at(parent, 0x1000, f->file[0], 0);
	check_at(child, 0x1000, f->file[1], 0);
	opd_maps_put(parent);
	check_at(child, 0x1000, f->file[1], 0);
	opd_maps_put(child);
}

static void insert_into_gaps_keeps_existing_mappings(void **state)
{
	struct fixture *f = *state;
	struct opd_maps *maps = NULL;
	struct opd_map wide = { .start = 0, .end = 0x10000, .pgoff = 0, .file = f->file[2] };

	insert(&maps, 0x1000, 0x2000, 0, f->file[0]);
	insert(&maps, 0x4000, 0x5000, 0, f->file[1]);
	assert_int_equal(opd_maps_fill(&maps, &wide, 0x1800), -EEXIST);
	assert_int_equal(opd_maps_fill(&maps, &wide, 0x10000), -EINVAL);
	assert_int_equal(opd_maps_fill(&maps, &wide, 0x3000), 0);
	check_at(maps, 0x0fff, NULL, 0);
	check_at(maps, 0x1fff, f->file[0], 0xfff);
	check_at(maps, 0x2000, f->file[2], 0x2000);
	check_at(maps, 0x3fff, f->file[2], 0x3fff);
	check_at(maps, 0x4000, f->file[1], 0);
	check_at(maps, 0x5000, NULL, 0);
	opd_maps_put(maps);
}

static void number_of_mappings_is_limited(void **state)
{
	struct fixture *f = *state;
	struct opd_map map = { .file = f->file[0] };
	struct opd_maps *maps = NULL;

	for (uint64_t i = 0; i < OPD_MAPS_MAX; i++)
		insert(&maps, i << 16, (i << 16) + 1, 0, f->file[0]);
	map.start = 1;
	map.end = 2;
	assert_int_equal(opd_maps_insert(&maps, &map), -E2BIG);
	assert_int_equal(opd_maps_nr(maps), OPD_MAPS_MAX);
	opd_maps_put(maps);
}

/* Compare the maps with an array that has one element for each address. */
static void random_mappings_equal_array_model(void **state)
{
	enum { SPACE = 200 };
	struct fixture *f = *state;
	struct opd_maps *maps = NULL;
	int owner[SPACE];
	uint64_t offset[SPACE];

	srandom(1);
	for (int i = 0; i < SPACE; i++)
		owner[i] = -1;
	for (int round = 0; round < 3000; round++) {
		uint64_t start = (uint64_t)random() % SPACE;
		uint64_t end = start + 1 + (uint64_t)random() % (SPACE - start);
		struct opd_maps *shared = round % 5 ? NULL : opd_maps_share(maps);
		int file = (int)(random() % 4);

		insert(&maps, start, end, 1000 * (uint64_t)round, f->file[file]);
		opd_maps_put(shared);
		for (uint64_t i = start; i < end; i++) {
			owner[i] = file;
			offset[i] = 1000 * (uint64_t)round + i - start;
		}
		for (int i = 0; i < SPACE; i++)
			check_at(maps, (uint64_t)i, owner[i] < 0 ? NULL : f->file[owner[i]],
				 owner[i] < 0 ? 0 : offset[i]);
	}
	opd_maps_put(maps);
}

#define test(f) cmocka_unit_test_setup_teardown(f, make_files, remove_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(mapping_is_found_by_address),
		test(new_mapping_replaces_overlapped_ranges),
		test(empty_ranges_are_refused),
		test(shared_map_does_not_see_changes),
		test(insert_into_gaps_keeps_existing_mappings),
		test(number_of_mappings_is_limited),
		test(random_mappings_equal_array_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
