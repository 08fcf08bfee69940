// SPDX-License-Identifier: GPL-2.0
/*
 * paths/tables.c -- copying, checking, finding and charging unwind tables.
 */
#include "paths/tables.h"

#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

/* maximum number of tables, including the entries that record that a file has no table */
#define MAX_TABLES	65536
/* maximum length of a hash chain; reached only if the secret key has been guessed */
#define MAX_CHAIN	64
/* maximum number of tables to examine in search of a table that was not used recently */
#define LOOKED_AT	64
/* The check of a table calls cond_resched() after this many buckets. */
#define PIECE		4096
/* The check of a table calls cond_resched() after this many rows. A bucket has at most as many
 * rows. */
#define PIECE_ROWS	65536
#define MAX_SIZE	(sizeof(struct oprofile_uw_table) + ((u64)OPROFILE_UW_MAX_BUCKETS + 1 + OPROFILE_UW_MAX_ROWS) * 4 + \
			 (u64)OPROFILE_UW_MAX_RULES * sizeof(struct oprofile_uw_rule))

void oprofile_path_tables_init(struct oprofile_path_tables *t, spinlock_t *lock)
{
	int i;

	t->lock = lock;
	get_random_bytes(&t->key, sizeof(t->key));
	for (i = 0; i < ARRAY_SIZE(t->share); i++)
		INIT_LIST_HEAD(&t->share[i].list);
	t->max = 64 << 20;
}

/* Return the index after the last of the buckets, from @first on, that are checked without calling
 * cond_resched(). The buckets may be invalid. */
static u32 piece_end(const struct oprofile_uw_table *table, u32 first)
{
	const u32 *buckets = oprofile_uw_buckets(table);
	u32 end = first;

	do {
		end++;
	} while (end < table->nr_buckets && end - first < PIECE &&
		 buckets[end] - buckets[first] < PIECE_ROWS);
	return end;
}

/* Check the whole table in pieces, with cond_resched() between them, because the table may have
 * many millions of entries. */
static u32 check(const struct oprofile_uw_table *table, u64 size)
{
	u32 fault = oprofile_uw_check_header(table, size), first, end;

	for (first = 0; !fault && first < table->nr_buckets; first = end) {
		end = piece_end(table, first);
		fault = oprofile_uw_check_buckets(table, first, end);
		cond_resched();
	}
	return fault ?: oprofile_uw_check_rest(table);
}

int oprofile_path_table_new(struct oprofile_path_table **ret, const void __user *from, u64 size,
			    u64 max, u32 *fault)
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

struct oprofile_path_table *oprofile_path_table_empty(u32 end)
{
	struct oprofile_path_table *table = kvzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);

	if (table)
		table->end = end;
	return table;
}

static struct hlist_head *chain_of(struct oprofile_path_tables *t,
				   const struct oprofile_file_id *file)
{
	return &t->by_file[oprofile_hash_file(file, &t->key) >> (64 - OPROFILE_FILE_BITS)];
}

struct oprofile_path_table *oprofile_path_table_of(struct oprofile_path_tables *t,
						   const struct oprofile_file_id *file)
{
	struct oprofile_path_table *table;

	lockdep_assert_held(t->lock);
	hlist_for_each_entry(table, chain_of(t, file), by_file) {
		if (oprofile_same_file(&table->file, file))
			return table;
	}
	return NULL;
}

static struct oprofile_path_share *share_of(struct oprofile_path_tables *t,
					    const struct oprofile_file_id *file)
{
	return &t->share[file->payer ? 1 + siphash_1u64(file->payer, &t->key) %
						       (OPROFILE_TABLE_SHARES - 1) :
				       0];
}

bool oprofile_path_table_add(struct oprofile_path_tables *t, struct oprofile_path_table *table)
{
	struct oprofile_path_share *share = share_of(t, &table->file);
	const struct oprofile_path_table *other;
	u32 length = 0;

	lockdep_assert_held(t->lock);
	hlist_for_each_entry(other, chain_of(t, &table->file), by_file) {
		if (++length == MAX_CHAIN)
			return false;
	}
	table->used = table->queued = t->turn;
	hlist_add_head(&table->by_file, chain_of(t, &table->file));
	list_add_tail(&table->list, &share->list);
	share->size += table->size;
	share->nr++;
	t->size += table->size;
	t->nr++;
	return true;
}

void oprofile_path_table_remove(struct oprofile_path_tables *t, struct oprofile_path_table *table)
{
	struct oprofile_path_share *share = share_of(t, &table->file);

	lockdep_assert_held(t->lock);
	hlist_del(&table->by_file);
	list_del(&table->list);
	share->size -= table->size;
	share->nr--;
	t->size -= table->size;
	t->nr--;
	kvfree_rcu(table, rcu);
}

/* Return a table of @share that was not used since it was appended to the share's list. If the
 * first LOOKED_AT tables of the list were used, return the next one. */
static struct oprofile_path_table *unused(struct oprofile_path_share *share)
{
	struct oprofile_path_table *table = NULL;
	int i;

	for (i = 0; i < LOOKED_AT; i++) {
		table = list_first_entry(&share->list, struct oprofile_path_table, list);
		if (READ_ONCE(table->used) == table->queued)
			break;
		table->queued = READ_ONCE(table->used);
		list_move_tail(&table->list, &share->list);
	}
	return table;
}

struct oprofile_path_table *oprofile_path_table_surplus(struct oprofile_path_tables *t)
{
	struct oprofile_path_share *most = &t->share[0], *s;

	lockdep_assert_held(t->lock);
	for (s = t->share + 1; s < t->share + ARRAY_SIZE(t->share); s++) {
		if (s->size > t->max / 4 || s->nr > MAX_TABLES / 4)
			return unused(s);
		if (t->nr > MAX_TABLES ? s->nr > most->nr : s->size > most->size)
			most = s;
	}
	return t->size > t->max || t->nr > MAX_TABLES ? unused(most) : NULL;
}
