// SPDX-License-Identifier: GPL-2.0
/*
 * path_tables.c -- tables of files: copied, checked, found, counted.
 */
#include "path_tables.h"

#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define MAX_TABLES	65536		/* tables, also those that only say that there is none */
#define PIECE		4096		/* buckets that are looked at without a pause */
#define MAX_SIZE	(sizeof(struct oprofile_uw_table) + ((u64)OPROFILE_UW_MAX_BUCKETS + 1 + OPROFILE_UW_MAX_ROWS) * 4 + \
			 (u64)OPROFILE_UW_MAX_RULES * sizeof(struct oprofile_uw_rule))

void oprofile_path_tables_init(struct oprofile_path_tables *t, spinlock_t *lock)
{
	t->lock = lock;
	get_random_bytes(&t->key, sizeof(t->key));
	INIT_LIST_HEAD(&t->list);
	t->max = 64 << 20;
}

/* Checks the whole table, but with pauses: it may have many millions of rows. */
static u32 check(const struct oprofile_uw_table *table, u64 size)
{
	u32 fault = oprofile_uw_check_header(table, size), first;

	for (first = 0; !fault && first < table->nr_buckets; first += PIECE) {
		fault = oprofile_uw_check_buckets(table, first, min(first + PIECE, table->nr_buckets));
		cond_resched();
	}
	return fault ?: oprofile_uw_check_rest(table);
}

int oprofile_path_table_new(struct oprofile_path_table **ret, const void __user *from, u64 size, u64 max, u32 *fault)
{
	struct oprofile_path_table *table;

	if (size > max)
		return -E2BIG;
	if (size < sizeof(struct oprofile_uw_table) || size > MAX_SIZE) {
		*fault = OPROFILE_UW_FAULT_SIZE;
		return -EINVAL;
	}
	table = kvmalloc(sizeof(*table) + size, GFP_KERNEL_ACCOUNT);
	if (!table)
		return -ENOMEM;
	memset(table, 0, sizeof(*table));
	if (copy_from_user(table->table, from, size)) {
		kvfree(table);
		return -EFAULT;
	}
	*fault = check(table->table, size);
	if (*fault) {
		kvfree(table);
		return -EINVAL;
	}
	table->size = size;
	*ret = table;
	return 0;
}

struct oprofile_path_table *oprofile_path_table_none(u32 end)
{
	struct oprofile_path_table *table = kvzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);

	if (table)
		table->end = end;
	return table;
}

static struct hlist_head *chain_of(struct oprofile_path_tables *t, const struct oprofile_file_id *file)
{
	return &t->by_file[siphash_3u64(file->dev, file->ino, file->mtime_nsec, &t->key) >> (64 - OPROFILE_FILE_BITS)];
}

struct oprofile_path_table *oprofile_path_table_of(struct oprofile_path_tables *t, const struct oprofile_file_id *file)
{
	struct oprofile_path_table *table;

	lockdep_assert_held(t->lock);
	hlist_for_each_entry(table, chain_of(t, file), by_file) {
		if (oprofile_same_file(&table->file, file))
			return table;
	}
	return NULL;
}

void oprofile_path_table_add(struct oprofile_path_tables *t, struct oprofile_path_table *table)
{
	lockdep_assert_held(t->lock);
	table->used = t->turn;
	hlist_add_head(&table->by_file, chain_of(t, &table->file));
	list_add_tail(&table->list, &t->list);
	t->size += table->size;
	t->nr++;
}

void oprofile_path_table_remove(struct oprofile_path_tables *t, struct oprofile_path_table *table)
{
	lockdep_assert_held(t->lock);
	hlist_del(&table->by_file);
	list_del(&table->list);
	t->size -= table->size;
	t->nr--;
	kvfree_rcu(table, rcu);
}

struct oprofile_path_table *oprofile_path_table_surplus(struct oprofile_path_tables *t)
{
	struct oprofile_path_table *table, *oldest = NULL;

	lockdep_assert_held(t->lock);
	if (t->size <= t->max && t->nr <= MAX_TABLES)
		return NULL;
	list_for_each_entry(table, &t->list, list) {
		if (!oldest || t->turn - READ_ONCE(table->used) > t->turn - oldest->used)
			oldest = table;
	}
	return oldest;
}
