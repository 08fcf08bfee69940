// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_sample_names.c -- tests the choice of versions for builds of files with the same
 * name: against a simple model, and for the number of comparisons with many builds.
 */
#include "config.h"
#include "intervals/sample_names.h"

#include <stdlib.h>
#include <string.h>

#include "libop/session/identity.h"
#include "tests/unit/check.h"
#include "tests/unit/intervals.h"

#define ROUNDS 2000
#define MANY_BUILDS 100000

/* Make an interval of @nr images and a group for each image. */
static void make(struct itv *v, uint32_t nr)
{
	*v = (struct itv){
		.images = calloc(nr, sizeof(*v->images)), .nr_images = nr,
		.groups = calloc(nr, sizeof(*v->groups)), .nr_groups = nr,
	};
	assert_non_null(v->images);
	assert_non_null(v->groups);
	for (uint32_t i = 0; i < nr; i++)
		v->groups[i].image = i;
}

static void release(struct itv *v)
{
	free(v->images);
	free(v->groups);
}

static int compare(const void *a, const void *b)
{
	return itv_compare_images(a, b);
}

/* Images with few names, builds and times, such that many of them collide. */
static void make_random(struct random *r, struct itv *v)
{
	static char names[3][4] = { "/a", "/b", "/c" };

	make(v, 1 + random_below(r, 20));
	for (uint32_t i = 0; i < v->nr_images; i++) {
		struct op_path_image *image = &v->images[i].image;

		image->name.kind = random_below(r, 4) ? OP_IMAGE_ROOT : OP_IMAGE_KERN;
		image->name.path = names[random_below(r, 3)];
		image->identity.build = random_below(r, 3);
		image->identity.owner = random_below(r, 2);
		image->mtime = random_below(r, 3);
		/* a hostile time that equals a build */
		if (!random_below(r, 8))
			image->mtime = OP_VERSION_BUILD | random_below(r, 3);
		v->groups[i].image = random_below(r, v->nr_images);
	}
	qsort(v->images, v->nr_images, sizeof(*v->images), compare);
}

static bool is_used(const struct itv *v, uint32_t image)
{
	for (uint32_t i = 0; i < v->nr_groups; i++)
		if (v->groups[i].image == image)
			return true;
	return false;
}

/* Return whether an image before @at has the same name and the version @number. Set *@first to
 * the first such image. */
static bool model_has(const struct itv *v, const uint64_t *numbers, uint32_t at, uint64_t number,
		      uint32_t *first)
{
	const struct op_image_name *name = &v->images[at].image.name;

	for (uint32_t i = 0; i < at; i++) {
		const struct op_image_name *other = &v->images[i].image.name;

		if (!is_used(v, i) || other->kind != name->kind ||
		    strcmp(other->path, name->path) || numbers[i] != number)
			continue;
		*first = i;
		return true;
	}
	return false;
}

/* The first build has the version 0. Others have their time, or the build if an earlier image has
 * this time. */
static void test_versions_are_those_of_model(void **state)
{
	struct random r = { 5 };

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct itv_versions versions;
		uint64_t numbers[20] = { 0 };
		struct itv v;

		make_random(&r, &v);
		assert_int_equal(itv_versions_init(&versions, &v), 0);
		for (uint32_t i = 0; i < v.nr_images; i++) {
			const struct op_path_image *image = &v.images[i].image;
			uint32_t first = i, other;

			if (!is_used(&v, i))
				continue;
			if (image->name.kind == OP_IMAGE_ROOT &&
			    model_has(&v, numbers, i, 0, &other)) {
				numbers[i] = image->mtime;
				if (!numbers[i] || model_has(&v, numbers, i, numbers[i], &other))
					numbers[i] = OP_VERSION_BUILD | image->identity.build;
			}
			model_has(&v, numbers, i, numbers[i], &first);
			assert_true(versions.numbers[i] == numbers[i]);
			assert_int_equal(versions.first[i], first);
		}
		itv_versions_release(&versions);
		release(&v);
	}
}

/* An imported archive may contain any number of builds of one file. */
static void expect_few_comparisons(bool have_times)
{
	struct itv_versions versions;
	static char path[] = "/tmp/x";
	struct itv v;

	make(&v, MANY_BUILDS);
	for (uint32_t i = 0; i < v.nr_images; i++)
		v.images[i].image = (struct op_path_image){
			.name = { .kind = OP_IMAGE_ROOT, .path = path },
			.identity.build = i + 1,
			.mtime = have_times ? i * 7919u % MANY_BUILDS + 1 : 0,
		};
	assert_int_equal(itv_versions_init(&versions, &v), 0);
	for (uint32_t i = 0; i < v.nr_images; i++)
		assert_int_equal(versions.first[i], i);
	/* 2n possible versions are sorted and searched, where log2(2n) < 18 */
	assert_true(versions.nr_compared < 4ull * MANY_BUILDS * 18 * 2);
	itv_versions_release(&versions);
	release(&v);
}

static void test_many_builds_need_few_comparisons(void **state)
{
	(void)state;
	expect_few_comparisons(false);
	expect_few_comparisons(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions_are_those_of_model),
		cmocka_unit_test(test_many_builds_need_few_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
