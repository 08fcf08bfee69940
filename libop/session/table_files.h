/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_files.h -- a directory of symbol and unwind tables whose total size is limited by a budget.
 *
 * Several processes may use one directory: a table gets its name when it is complete, and each
 * process counts all tables again after it has added a sixteenth of the budget. The name of a table
 * ends with "-UID" and a suffix without a dash; UID is the owner of the table's binary. The
 * directory contains only tables.
 *
 * When the budget is exceeded, tables of one user are evicted, least recently used first. This is
 * the user with the largest tables; root's tables are spared unless no other user has more than a
 * quarter of the budget. So a user cannot cause the eviction of all other users' tables.
 */
#ifndef OP_TABLE_FILES_H
#define OP_TABLE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/id_ranges.h"

struct op_table_files {
	/* rename a copy of the complete table instead of the table itself, because the process that
	 * has written the table may still be able to change it */
	bool copied;
	/* let a new table be written to memory, and then copy it to the disk. Needed if the writer
	 * does not respect the limit of disk space (libop/base/quota.h). Implies .copied */
	bool in_memory;
	int dir_fd;		/* descriptor of the directory of tables; -1: not open */
	/* .max_bytes: limit of the total size of all tables; .bytes: total size when the tables
	 * were last counted */
	uint64_t max_bytes, bytes;
	/* number of bytes that this process has added since the tables were last counted */
	uint64_t added_bytes;
	/* .nr: number of tables when they were last counted; .added_nr: number of tables that this
	 * process has added since then */
	size_t nr, added_nr;
	/* suffix in the names of the tables that this process writes; these tables have their own
	 * limit .own_max_bytes */
	const char *suffix;
	uint64_t own_max_bytes;
	/* ranges of user ids; all ids of a range count as one user */
	struct op_id_ranges ranges;
};

/* A symbol or unwind table that is being written. */
struct op_new_table {
	int fd;
	char name[32];
};

/*
 * Initialize *@f for the directory of tables @dir_fd. Return 0 or -ENOMEM. In both cases the caller
 * must call op_table_files_close(), which closes @dir_fd. @subuid: path of the file of subordinate
 * user ids (libop/base/id_ranges.h).
 */
int op_table_files_open(struct op_table_files *f, int dir_fd, uint64_t max_bytes,
			const char *subuid);
void op_table_files_close(struct op_table_files *f);

/*
 * Compute the total size of all tables. If it exceeds the budget, evict tables until it is one
 * eighth below the budget, so that the next table fits. Remove the unfinished tables of killed
 * processes.
 */
void op_table_files_make_room(struct op_table_files *f);

/* Return whether the table @name exists. If so, set the table's time of use to the present time,
 * but at most once an hour. */
bool op_table_files_use(const struct op_table_files *f, const char *name);

/* Set the time of use of the table @fd to the present time; ignore errors. */
void op_table_use(int fd);

/* Create a file for a new table. Return 0 or a negative errno. */
int op_table_files_begin(struct op_table_files *f, struct op_new_table *new);
/*
 * Rename the complete table @new to @name, and replace an existing table of this name. @name NULL:
 * discard @new. The function closes @new in both cases. Return 0 or a negative errno; -EFBIG: the
 * table is larger than half of the budget.
 */
int op_table_files_end(struct op_table_files *f, struct op_new_table *new, const char *name);

/*
 * Link or copy the table @name from the directory @from_fd. If the directory of @f has a table of
 * this name, do nothing. Return 0 or a negative errno; -ENOENT: @from_fd has no such table; -EFBIG:
 * see op_table_files_end().
 */
int op_table_files_link(struct op_table_files *f, int from_fd, const char *name);

#endif
