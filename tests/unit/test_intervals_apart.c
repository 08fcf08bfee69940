// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_apart.c -- tests adding intervals with JIT maps of different processes that had
 * the same process id.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "tests/unit/intervals.h"

#define START	0x10000ull

/* end of the last interval; each interval begins after the previous one */
static int64_t now = 1;

/*
 * Create an interval in which @program of process 7 has one sample at @offset of its JIT code, and
 * store the file @name with the contents @text.
 */
static void make(struct itv *v, unsigned int program, uint64_t offset, const char *name,
		 const char *text)
{
	const struct op_image_name anon = {
		.kind = OP_IMAGE_ANON, .path = strdup("anon"), .anon_tgid = 7,
		.anon_program = program, .anon_start = START, .anon_end = START + 0x1000,
	};

	*v = (struct itv){ .nr_images = 2, .nr_events = 1, .nr_groups = 1, .nr_cells = 1 };
	v->images = calloc(2, sizeof(*v->images));
	v->images[0].image.name.path = strdup("/bin/app");
	v->images[1].image.name = anon;
	v->events = calloc(1, sizeof(*v->events));
	v->events[0].name = strdup("TIMER");
	v->groups = calloc(1, sizeof(*v->groups));
	v->groups[0] = (struct itv_group){
		.image = 1, .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL, .nr_cells = 1,
	};
	v->cells = calloc(1, sizeof(*v->cells));
	v->cells[0] = (struct itv_cell){ offset, 1 };
	if (name) {
		v->files = calloc(1, sizeof(*v->files));
		v->nr_files = 1;
		v->files[0] = (struct itv_file){ strdup(name), strdup(text), strlen(text) };
	}
	v->accounting.begun_ns = now;
	v->accounting.ended_ns = ++now;
	assert_int_equal(itv_sort(v), 0);
}

/* Return the contents of the file @name in @v, or NULL if there is no such file. */
static const char *text_of(const struct itv *v, const char *name)
{
	static char text[256];

	for (uint32_t i = 0; i < v->nr_files; i++) {
		const struct itv_file *file = &v->files[i];

		if (!strcmp(file->name, name)) {
			snprintf(text, sizeof(text), "%.*s", (int)file->len, file->data);
			return text;
		}
	}
	return NULL;
}

/* Return the number of samples at @offset in @program of process 7. */
static uint64_t count_at(const struct itv *v, unsigned int program, uint64_t offset)
{
	uint64_t sum = 0;

	for (uint32_t g = 0; g < v->nr_groups; g++) {
		const struct itv_group *group = &v->groups[g];

		if (v->images[group->image].image.name.anon_program != program)
			continue;
		for (uint32_t i = group->cell; i < group->cell + group->nr_cells; i++)
			sum += v->cells[i].key == offset ? v->cells[i].count : 0;
	}
	return sum;
}

static void add(struct itv *sum, unsigned int program, uint64_t offset, const char *name,
		const char *text)
{
	struct itv v;

	make(&v, program, offset, name, text);
	assert_int_equal(itv_merge(sum, &v, NULL), 0);
	assert_int_equal(itv_sum(sum), 0);
	itv_release(&v);
}

/* If the JIT map of a process only grows, its intervals belong to the same program. */
static void test_growing_map_is_one_program(void **state)
{
	struct itv sum;

	(void)state;
	make(&sum, 0, 0x10, "jit/7.map", "10010 20 first\n");
	add(&sum, 0, 0x10, "jit/7.map", "10010 20 first\n10030 10 second\n");
	add(&sum, 0, 0x38, "jit/7.map", "10030 10 second\n");
	assert_int_equal(sum.nr_files, 1);
	assert_string_equal(text_of(&sum, "jit/7.map"), "10010 20 first\n10030 10 second\n");
	assert_int_equal(count_at(&sum, 0, 0x10), 2);
	assert_int_equal(count_at(&sum, 0, 0x38), 1);
	itv_release(&sum);
}

/*
 * If another process got the same process id, or other code is at the same address, its samples are
 * counted for a second program.
 */
static void test_other_code_is_second_program(void **state)
{
	struct itv sum;

	(void)state;
	make(&sum, 0, 0x10, "jit/7.map", "10010 20 first\n");
	add(&sum, 0, 0x10, "jit/7.map", "10000 20 other\n");
	assert_string_equal(text_of(&sum, "jit/7.map"), "10010 20 first\n");
	assert_string_equal(text_of(&sum, "jit/7.1000000.map"), "10000 20 other\n");
	assert_int_equal(count_at(&sum, 0, 0x10), 1);
	assert_int_equal(count_at(&sum, 1000000, 0x10), 1);
	/* Each later interval is added to the program whose JIT map it continues. */
	add(&sum, 0, 0x18, "jit/7.map", "10000 20 other\n");
	add(&sum, 0, 0x18, "jit/7.map", "10010 20 first\n");
	assert_int_equal(count_at(&sum, 1000000, 0x18), 1);
	assert_int_equal(count_at(&sum, 0, 0x18), 1);
	add(&sum, 0, 0x10, "jit/7.map", "10010 8 third\n");
	assert_string_equal(text_of(&sum, "jit/7.2000000.map"), "10010 8 third\n");
	assert_int_equal(sum.nr_files, 3);
	itv_release(&sum);
}

static void test_separate_programs_stay_separate_in_sums(void **state)
{
	struct itv a, b;

	(void)state;
	make(&a, 0, 0x10, "jit/7.map", "10010 20 first\n");
	add(&a, 0, 0x10, "jit/7.map", "10010 10 second\n");
	make(&b, 0, 0x10, "jit/7.map", "10010 10 second\n");
	add(&b, 0, 0x10, "jit/7.map", "10010 20 first\n");
	assert_int_equal(itv_merge(&a, &b, NULL), 0);
	assert_int_equal(itv_sum(&a), 0);
	assert_int_equal(a.nr_files, 2);
	assert_string_equal(text_of(&a, "jit/7.map"), "10010 20 first\n");
	assert_int_equal(count_at(&a, 0, 0x10), 2);
	assert_int_equal(count_at(&a, 1000000, 0x10), 2);
	itv_release(&a);
	itv_release(&b);
}

/* A sample without a function name does not get the function name of another process. */
static void test_unnamed_samples_stay_unnamed(void **state)
{
	struct itv sum;

	(void)state;
	make(&sum, 0, 0x10, NULL, NULL);
	add(&sum, 0, 0x10, "jit/7.map", "10010 20 first\n");
	assert_null(text_of(&sum, "jit/7.map"));
	assert_non_null(text_of(&sum, "jit/7.1000000.map"));
	itv_release(&sum);

	make(&sum, 0, 0x10, "jit/7.map", "10010 20 first\n");
	add(&sum, 0, 0x20, NULL, NULL);
	assert_int_equal(count_at(&sum, 1000000, 0x20), 1);
	add(&sum, 0, 0x100, NULL, NULL);
	assert_int_equal(count_at(&sum, 0, 0x100), 1);
	itv_release(&sum);
}

static void test_function_without_size_ends_at_next(void **state)
{
	struct itv sum;

	(void)state;
	make(&sum, 0, 0x10, "jit/7.map", "10010 0 first\n10030 0 last\n");
	add(&sum, 0, 0x28, "jit/7.map", "10020 10 inside\n");
	assert_non_null(text_of(&sum, "jit/7.1000000.map"));
	add(&sum, 0, 0x900, "jit/7.map", "10900 10 far\n");
	assert_null(strstr(text_of(&sum, "jit/7.map"), "far"));
	itv_release(&sum);
}

/*
 * If processes with the same id have different files in the jitdump format, or different ancestors,
 * they are different programs.
 */
static void test_different_jitdumps_are_different_programs(void **state)
{
	struct itv sum;

	(void)state;
	make(&sum, 0, 0x10, "jit/7.dump", "DUMP1");
	add(&sum, 0, 0x10, "jit/7.dump", "DUMP1DUMP2");
	assert_string_equal(text_of(&sum, "jit/7.dump"), "DUMP1DUMP2");
	add(&sum, 0, 0x10, "jit/7.dump", "OTHER");
	assert_string_equal(text_of(&sum, "jit/7.1000000.dump"), "OTHER");
	itv_release(&sum);
}

static void test_born_files_are_renumbered(void **state)
{
	struct itv sum, child;

	(void)state;
	make(&sum, 0, 0x10, "jit/7.map", "10010 20 first\n");
	make(&child, 0, 0x10, "jit/7.map", "10010 20 other\n");
	child.files = realloc(child.files, 2 * sizeof(*child.files));
	child.files[child.nr_files++] =
		(struct itv_file){ strdup("jit/8.born"), strdup("7 15\n6 3 1\n"), 11 };
	assert_int_equal(itv_sort(&child), 0);
	assert_int_equal(itv_merge(&sum, &child, NULL), 0);
	assert_string_equal(text_of(&sum, "jit/8.born"), "7 15 1000000\n6 3 1\n");
	itv_release(&child);
	itv_release(&sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growing_map_is_one_program),
		cmocka_unit_test(test_other_code_is_second_program),
		cmocka_unit_test(test_separate_programs_stay_separate_in_sums),
		cmocka_unit_test(test_unnamed_samples_stay_unnamed),
		cmocka_unit_test(test_function_without_size_ends_at_next),
		cmocka_unit_test(test_different_jitdumps_are_different_programs),
		cmocka_unit_test(test_born_files_are_renumbered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
