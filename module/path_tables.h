/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_tables.h -- tables to walk stacks by, one for each file, whatever names and processes it has.
 *
 * Given by whoever has `buffer` open, looked at wholly, never changed afterwards. Handlers find one through an image
 * (path_book.h) and look it up under RCU. Together they have a limit, and those of one user's files a quarter of that. Whoever
 * has most loses one that was not used for long.
 */
#ifndef OPROFILE_PATH_TABLES_H
#define OPROFILE_PATH_TABLES_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>
#include <linux/types.h>

#include "cookie.h"
#include "uapi/unwind.h"

#define OPROFILE_FILE_BITS	14
#define OPROFILE_TABLE_SHARES	64	/* [0] is root's; users who share one share its limit */

struct oprofile_path_table {
	struct rcu_head rcu;
	struct hlist_node by_file;
	struct list_head list;		/* in the share it belongs to */
	struct oprofile_file_id file;	/* or a vdso */
	u64 size;			/* of what follows */
	u32 used;			/* oprofile_path_tables.turn of its last use, ... */
	u32 queued;			/* ... and when it was put into its place in the list */
	u32 end;			/* 0, or why paths end in this file: no table follows */
	struct oprofile_uw_table table[] __aligned(8);
};

/* What tells a vdso from the other, and from all files: no device has the number 0. */
static inline struct oprofile_file_id oprofile_vdso_id(bool is_32)
{
	return (struct oprofile_file_id){ .ino = is_32 };
}

struct oprofile_path_share {
	struct list_head list;		/* those that come first are looked at first when one is to go */
	u64 size;
	u32 nr;
};

struct oprofile_path_tables {
	spinlock_t *lock;		/* its owner's: of all but reading */
	siphash_key_t key;		/* users choose what files say of themselves */
	struct hlist_head by_file[1 << OPROFILE_FILE_BITS];
	struct oprofile_path_share share[OPROFILE_TABLE_SHARES];
	u32 nr;
	u32 turn;			/* grows now and then */
	u64 size, max;			/* bytes, of all of them together */
	u64 refused, evicted;
};

void oprofile_path_tables_init(struct oprofile_path_tables *t, spinlock_t *lock);

/* A table of its own, checked. *@fault: what is wrong with it, with EINVAL. Process context. */
int oprofile_path_table_new(struct oprofile_path_table **ret, const void __user *from, u64 size, u64 max, u32 *fault);
/* One that says that there is none, and why. */
struct oprofile_path_table *oprofile_path_table_none(u32 end);

/* lock held, all of these. NULL: none. */
struct oprofile_path_table *oprofile_path_table_of(struct oprofile_path_tables *t, const struct oprofile_file_id *file);
/* Return false, and do not add @table, if too many files have the same hash. */
bool oprofile_path_table_add(struct oprofile_path_tables *t, struct oprofile_path_table *table);
/* Who removes one sees to it that no image leads to it any more. Freed when no handler can be looking. */
void oprofile_path_table_remove(struct oprofile_path_tables *t, struct oprofile_path_table *table);
/* How large one for @file may be, when @max is the limit of all. */
static inline u64 oprofile_path_table_max(u64 max, const struct oprofile_file_id *file)
{
	return file->payer ? max / 4 : max;
}

/* The one to go, for there are too many; NULL when there are not. Looks at some of them only. */
struct oprofile_path_table *oprofile_path_table_surplus(struct oprofile_path_tables *t);

#endif
