/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_files.h -- a directory of tables, within a budget.
 *
 * Several processes may use one directory: a table gets its name when it is complete, and each
 * process counts all tables again after it has added a sixteenth of the budget. The name of a
 * table ends with "-UID" and a suffix that has no dash, where UID is the owner of the table's
 * binary. The directory holds nothing else.
 *
 * When the budget is exceeded, a user whose files' tables take more than a quarter of it loses
 * tables first, then the user with the most, so that no user evicts the tables of others. The least
 * recently used tables of that user are evicted.
 */
#ifndef OP_TABLE_FILES_H
#define OP_TABLE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/id_ranges.h"

struct op_table_files {
	/* give the name to a copy: the maker of the table may still have the original open for
	 * writing */
	bool copied;
	/* have new tables made in memory and copied, because their maker does not ask the limit of
	 * the disk space (libop/base/quota.h); implies .copied */
	bool in_memory;
	int dir_fd;		/* descriptor of the directory; -1: not open */
	/* limit, and bytes of all tables on disk at the last count */
	uint64_t max_bytes, bytes;
	/* size in bytes of the tables that this process has added since the last count */
	uint64_t added_bytes;
	size_t nr, added_nr;	/* tables at the last count, and added since by this process */
	/* suffix of this process's kind of tables, which have their own limit */
	const char *suffix;
	uint64_t own_max_bytes;
	/* ranges of user ids; all ids of a range count as one user */
	struct op_id_ranges ranges;
};

/* A table that is being made. */
struct op_new_table {
	int fd;
	char name[32];
};

/*
 * Open a directory of tables. Return 0 or -ENOMEM; the caller must close the struct in both cases,
 * which closes @dir_fd. @subuid: the file of subordinate user ids (libop/base/id_ranges.h).
 */
int op_table_files_open(struct op_table_files *f, int dir_fd, uint64_t max_bytes,
			const char *subuid);
void op_table_files_close(struct op_table_files *f);

/*
 * Count the size of the tables. If it exceeds the limit, remove tables until the size is one eighth
 * below the limit, so that the next table has room. Remove the unfinished tables of killed
 * processes.
 */
void op_table_files_make_room(struct op_table_files *f);

/* Return whether a table has the name @name, and note that the table is used now. A use is noted
 * once an hour at most. */
bool op_table_files_use(const struct op_table_files *f, const char *name);

/* Note that the table that is open as @fd is used now; ignore errors. */
void op_table_use(int fd);

/* Create a file to write a new table to. Return 0 or a negative errno. */
int op_table_files_begin(struct op_table_files *f, struct op_new_table *new);
/*
 * Give the complete table @new the name @name, and replace an existing table of that name. If @name
 * is NULL, discard @new. Close @new in both cases. Return 0 or a negative errno. -EFBIG: the table
 * is larger than half of the budget.
 */
int op_table_files_end(struct op_table_files *f, struct op_new_table *new, const char *name);

/*
 * Link the table @name of the directory @from_fd, or copy it if it cannot be linked. Do nothing if
 * the directory of @f has a table of this name. Return 0 or a negative errno, among them -ENOENT:
 * @from_fd has no such table; -EFBIG as for op_table_files_end().
 */
int op_table_files_link(struct op_table_files *f, int from_fd, const char *name);

#endif
