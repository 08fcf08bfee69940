/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/tables.h -- unwind tables: one for each file, independent of the file's names and
 * processes.
 *
 * The process that has `buffer` open provides the tables. Each is checked completely when it is
 * received, and never changes afterwards. Handlers find a table through an image (paths/book.h) and
 * read it under RCU. The total size of tables is limited, and the files of one user may use a
 * quarter of the limit. When the limit is exceeded, the least recently used table of the user with
 * the most bytes is removed.
 */
#ifndef OPROFILE_PATHS_TABLES_H
#define OPROFILE_PATHS_TABLES_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>
#include <linux/types.h>

#include "cookie.h"
#include "uapi/unwind.h"

#define OPROFILE_FILE_BITS	14
/* number of shares of the size limit; share 0 is root's; users with equal hashes use the same
 * share */
#define OPROFILE_TABLE_SHARES	64

struct oprofile_path_table {
	struct rcu_head rcu;
	struct hlist_node by_file;
	struct list_head list;		/* node in the list of tables of its share */
	struct oprofile_file_id file;	/* the file, or the vDSO, to which the table belongs */
	u64 size;			/* size of the unwind table in bytes */
	/* value of the coarse clock oprofile_path_tables.turn when this table was last used */
	u32 used;
	/* value of the coarse clock when this table was last appended to the list */
	u32 queued;
	/* for an entry without a table: the reason why paths end in this file; otherwise 0 */
	u32 end;
	struct oprofile_uw_table table[] __aligned(8);
};

/* Return an id that no file and no other vDSO has, because no device has the number 0. */
static inline struct oprofile_file_id oprofile_vdso_id(bool is_32)
{
	return (struct oprofile_file_id){ .ino = is_32 };
}

struct oprofile_path_share {
	/* list of tables, in the order in which they are considered for eviction */
	struct list_head list;
	u64 size;
	u32 nr;
};

struct oprofile_path_tables {
	spinlock_t *lock;		/* lock of all unwind tables; must be held to change them */
	/* secret key of the hash, because users choose the files' ids */
	siphash_key_t key;
	struct hlist_head by_file[1 << OPROFILE_FILE_BITS];
	struct oprofile_path_share share[OPROFILE_TABLE_SHARES];
	u32 nr;
	u32 turn;			/* coarse clock, by which recently used tables are
					 * recognised */
	u64 size, max;			/* total size of all unwind tables, and its limit */
	u64 refused, evicted;
};

void oprofile_path_tables_init(struct oprofile_path_tables *t, spinlock_t *lock);

/* Copy a table from user space and check it, in process context. Return 0 or a negative errno;
 * -EINVAL: *@fault describes the defect of the table. */
int oprofile_path_table_new(struct oprofile_path_table **ret, const void __user *from, u64 size,
			    u64 max, u32 *fault);
/* Return an entry that records that a file has no table. @end: the reason why paths end in the
 * file. Return NULL if memory is short. */
struct oprofile_path_table *oprofile_path_table_empty(u32 end);

/* Return the unwind table of a file, or NULL. The caller of this function and of each function
 * below holds the tables' lock. */
struct oprofile_path_table *oprofile_path_table_of(struct oprofile_path_tables *t,
						   const struct oprofile_file_id *file);
/* Add @table. Return false if the hash chain of the table's file is too long. */
bool oprofile_path_table_add(struct oprofile_path_tables *t, struct oprofile_path_table *table);
/* Remove a table, and free it after an RCU grace period. The caller must have removed it from all
 * images. */
void oprofile_path_table_remove(struct oprofile_path_tables *t, struct oprofile_path_table *table);
/* Return the maximum size of an unwind table of @file. @max: limit of the total size of all
 * tables. */
static inline u64 oprofile_path_table_max(u64 max, const struct oprofile_file_id *file)
{
	return file->payer ? max / 4 : max;
}

/* Return a table to evict, or NULL if the total size of all tables is within the limit. Examines
 * only a few tables. */
struct oprofile_path_table *oprofile_path_table_surplus(struct oprofile_path_tables *t);

#endif
