// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_module_paths_book.c -- tests the images (mapped files) of a book, which is a generation of
 * the module's path tables (module/paths/book.c): the users charged for the images, and the limits
 * of a book.
 */
#include "config.h"

#include "unit/check.h"

#include "paths/book.h"
#include "payer.h"
#include "waker.h"

#define ALL		(1u << OPROFILE_IMAGE_BITS)
#define ROOTS_FILE	true
#define OWN_FILE	false

unsigned long jiffies = 1000;
struct user_namespace init_user_ns;
struct cred sim_cred = { .user_ns = &init_user_ns };
static struct task_struct task;
struct task_struct *current = &task;

static struct oprofile_waker waker;
static spinlock_t lock;

void *vzalloc(unsigned long size)
{
	return calloc(1, size);
}

void vfree(const void *p)
{
	free((void *)p);
}

/* A stub of the kernel's random numbers that returns the same bytes in each run. */
void get_random_bytes(void *to, int size)
{
	memset(to, 0x5a, size);
}

struct books {
	struct oprofile_path_book *b;
	struct oprofile_path_tables tables;
};

static struct books *new_book(void)
{
	struct books *books = calloc(1, sizeof(*books));

	assert_non_null(books);
	oprofile_path_tables_init(&books->tables, &lock);
	books->b = oprofile_path_book_new(1, 10, &lock, &waker);
	assert_non_null(books->b);
	return books;
}

static void free_book(struct books *books)
{
	oprofile_path_book_free(books->b);
	free(books);
}

/*
 * Map the files @first to @first + @nr - 1 as @uid. Return the number of files that got an image.
 */
static u32 map_files(struct books *books, u32 uid, bool roots, u32 first, u32 nr)
{
	u32 got = 0;

	sim_cred.uid.val = uid;
	for (u32 i = first; i < first + nr; i++) {
		struct oprofile_place place = { .cookie = 100 + i };
		struct oprofile_file_id file = { .dev = 8, .ino = i, .payer = roots ? 0 : uid };

		got += oprofile_path_image(books->b, &place, &file, 0, oprofile_payer(), &books->tables) != OPROFILE_NO_IMAGE;
	}
	sim_cred.uid.val = 0;
	return got;
}

static void user_gets_limited_images(void **state)
{
	struct books *books = new_book();

	(void)state;
	assert_int_equal(map_files(books, 1000, OWN_FILE, 0, ALL), OPROFILE_USER_IMAGES);
	assert_int_equal(map_files(books, 1001, OWN_FILE, ALL, ALL), OPROFILE_USER_IMAGES);
	free_book(books);
}

/*
 * If there are many images of root's files, each further image is charged to the user who maps the
 * file: a user who maps many files reaches a limit, and other users still get images.
 */
static void root_files_are_charged_to_mapping_user(void **state)
{
	struct books *books = new_book();
	u32 got;

	(void)state;
	got = map_files(books, 1000, ROOTS_FILE, 0, ALL);
	assert_int_equal(got, OPROFILE_ROOT_IMAGES + OPROFILE_USER_IMAGES);
	assert_int_equal(map_files(books, 1001, ROOTS_FILE, ALL, 1000), 1000);
	assert_int_equal(map_files(books, 0, ROOTS_FILE, 2 * ALL, 1000), 1000);
	/* A user who has reached the limit can still map files that already have an image. */
	assert_int_equal(map_files(books, 1000, ROOTS_FILE, ALL, 1000), 1000);
	free_book(books);
}

/* An unwind table is charged to the user who is charged for its file's image. */
static void table_is_charged_like_its_image(void **state)
{
	struct oprofile_file_id file = { .dev = 8 };
	struct books *books = new_book();

	(void)state;
	map_files(books, 1000, ROOTS_FILE, 0, OPROFILE_ROOT_IMAGES + 10);
	file.ino = 5;
	assert_int_equal(oprofile_path_book_payer(books->b, &file), 0);
	file.ino = OPROFILE_ROOT_IMAGES + 5;
	assert_int_equal(oprofile_path_book_payer(books->b, &file), 1000);
	file.ino = ALL;
	assert_int_equal(oprofile_path_book_payer(books->b, &file), 0);
	file.payer = 1002;
	assert_int_equal(oprofile_path_book_payer(books->b, &file), 1002);
	free_book(books);
}

/* A book that is full of images or nodes is replaced, but not immediately. */
static void full_book_is_replaced_after_delay(void **state)
{
	struct books *books = new_book();

	(void)state;
	map_files(books, 1000, OWN_FILE, 0, ALL);
	map_files(books, 1001, OWN_FILE, ALL, ALL);
	map_files(books, 0, ROOTS_FILE, 2 * ALL, ALL);
	assert_int_equal(books->b->nr_images, ALL);
	assert_false(oprofile_path_book_nearly_full(books->b));
	jiffies += 9 * HZ;
	assert_false(oprofile_path_book_nearly_full(books->b));
	jiffies += 2 * HZ;
	assert_true(oprofile_path_book_nearly_full(books->b));
	free_book(books);

	books = new_book();
	for (u64 i = 0; i < 1 << 11; i++)
		oprofile_path_node(&books->b->nodes, OPROFILE_NO_NODE, 1, i * 4);
	assert_false(oprofile_path_book_nearly_full(books->b));
	jiffies += HZ + 1;
	assert_true(oprofile_path_book_nearly_full(books->b));
	free_book(books);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_gets_limited_images),
		cmocka_unit_test(root_files_are_charged_to_mapping_user),
		cmocka_unit_test(table_is_charged_like_its_image),
		cmocka_unit_test(full_book_is_replaced_after_delay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
