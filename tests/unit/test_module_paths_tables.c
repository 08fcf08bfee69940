// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_module_paths_tables.c -- tests the look-up of unwind tables (module/paths/tables.c): the
 * look-up compares all members of a file's identity, and hash chains stay short, whatever
 * modification times the file's owner sets.
 */
#include "config.h"

#include "unit/check.h"

#include "paths/tables.h"

#define FILES	16000	/* number of modification times of one file */

/* A stub of the kernel's random numbers that returns the same bytes in each run. */
void get_random_bytes(void *to, int size)
{
	memset(to, 0x5a, size);
}

static struct oprofile_path_tables *new_tables(void)
{
	static spinlock_t lock;
	struct oprofile_path_tables *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	oprofile_path_tables_init(t, &lock);
	return t;
}

static void free_tables(struct oprofile_path_tables *t)
{
	for (u32 i = 0; i < ARRAY_SIZE(t->by_file); i++)
		while (t->by_file[i].first)
			oprofile_path_table_remove(t, hlist_entry_of(t->by_file[i].first, struct oprofile_path_table, by_file));
	assert_true(!t->nr && !t->size);
	free(t);
}

static u32 longest_chain(const struct oprofile_path_tables *t)
{
	u32 longest = 0;

	for (u32 i = 0; i < ARRAY_SIZE(t->by_file); i++) {
		const struct oprofile_path_table *table;
		u32 length = 0;

		hlist_for_each_entry(table, &t->by_file[i], by_file)
			length++;
		longest = max(longest, length);
	}
	return longest;
}

static void add(struct oprofile_path_tables *t, struct oprofile_file_id file)
{
	struct oprofile_path_table *table = oprofile_path_table_empty(OPROFILE_UW_NO_ROW);

	assert_non_null(table);
	table->file = file;
	assert_true(oprofile_path_table_add(t, table));
}

/*
 * Return the identity of a file whose owner sets its times. With @generations, its owner also
 * recreates the file, which increments its generation.
 */
static struct oprofile_file_id file_version(u32 i, bool generations)
{
	return (struct oprofile_file_id){
		.dev = 8, .ino = 4711, .mtime_sec = generations ? 0 : i, .generation = generations ? i : 1, .payer = 1000,
	};
}

static void chosen_file_ids_do_not_collide(void **state)
{
	(void)state;
	for (int generations = 0; generations < 2; generations++) {
		struct oprofile_path_tables *t = new_tables();

		for (u32 i = 0; i < FILES; i++)
			add(t, file_version(i, generations));
		assert_in_range(longest_chain(t), 1, 32);
		for (u32 i = 0; i < FILES; i++) {
			struct oprofile_file_id file = file_version(i, generations);
			struct oprofile_path_table *table = oprofile_path_table_of(t, &file);

			assert_true(table && oprofile_same_file(&table->file, &file));
		}
		free_tables(t);
	}
}

/* Hash chains have a maximum length, even if all hashes are equal. */
static void hash_chains_have_maximum_length(void **state)
{
	struct oprofile_path_tables *t = new_tables();
	struct oprofile_path_table *same = NULL;
	u32 added = 0;

	(void)state;
	for (bool room = true; room && added < 1000; added += room) {
		same = oprofile_path_table_empty(OPROFILE_UW_NO_ROW);
		assert_non_null(same);
		same->file = file_version(1, false);
		room = oprofile_path_table_add(t, same);
	}
	assert_in_range(added, 16, 100);
	free(same);
	free_tables(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen_file_ids_do_not_collide),
		cmocka_unit_test(hash_chains_have_maximum_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
