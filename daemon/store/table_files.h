/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_files.h -- a directory of tables, within a budget.
 *
 * Several daemons may use one directory: a table gets its name when it is complete, and each daemon counts the tables of
 * all anew after it has added a sixteenth of the budget.
 *
 * When the budget is exceeded, a user whose files' tables take more than a quarter of it loses tables first, then the
 * user with the most, so that no user evicts the tables of others. The least recently used tables of that user are
 * evicted.
 */
#ifndef OPD_TABLE_FILES_H
#define OPD_TABLE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/id_ranges.h"

struct opd_table_files {
	const char *suffix;	/* of their names */
	bool copied;		/* what gets a name is a copy: who made it could write to the other one for longer */
	int dir_fd;		/* -1: not open */
	uint64_t max_bytes, bytes;	/* on disk, with what other daemons had added when they were counted last */
	uint64_t added_bytes;	/* since they were counted */
	size_t nr, added_nr;	/* likewise */
	struct op_id_ranges ranges;	/* ranges of uids that are one user */
};

/* A table that is being made. */
struct opd_new_table {
	int fd;
	char name[32];
};

/*
 * Return 0 or a negative errno; close the struct in both cases. @parent_fd: the parent directory of @dir. @subuid: the
 * file of subordinate ids (libop/base/id_ranges.h).
 */
int opd_table_files_open(struct opd_table_files *f, int parent_fd, const char *dir, const char *suffix,
			 uint64_t max_bytes, const char *subuid);
void opd_table_files_close(struct opd_table_files *f);

/* Is there one with that name? Then it has been used now. */
bool opd_table_files_use(const struct opd_table_files *f, const char *name);

/* Create a file to write a new table to. Return 0 or a negative errno. */
int opd_table_files_begin(struct opd_table_files *f, struct opd_new_table *new);
/*
 * Give the complete table @new the name @name, in place of any other table of that name; discard @new if @name is NULL.
 * Close @new in both cases. Return 0 or a negative errno.
 */
int opd_table_files_end(struct opd_table_files *f, struct opd_new_table *new, const char *name);

#endif
