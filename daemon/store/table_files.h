/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_files.h -- the directory of symbol tables, within a budget.
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

#include "daemon/base/id_ranges.h"

struct opd_table_files {
	const char *suffix;	/* of their names */
	bool copied;		/* what gets a name is a copy: who made it could write to the other one for longer */
	int dir_fd;		/* -1: not open */
	uint64_t max_bytes, bytes;	/* on disk; counted anew when there are too many */
	size_t nr;
	struct opd_id_ranges ranges;	/* ranges of uids that are one user */
	int new_fd;		/* of the one that is being made; -1: none is */
	char new_name[32];
};

/*
 * Return 0 or a negative errno; close the struct in both cases. @samples_fd: the parent directory of @dir. @subuid: the
 * file of subordinate ids (daemon/base/id_ranges.h).
 */
int opd_table_files_open(struct opd_table_files *f, int samples_fd, const char *dir, const char *suffix,
			 uint64_t max_bytes, const char *subuid);
void opd_table_files_close(struct opd_table_files *f);

/* Is there one with that name? Then it has been used now. */
bool opd_table_files_use(const struct opd_table_files *f, const char *name);

/* A new one, to be written to new_fd: 0 or negative errno. One at a time. */
int opd_table_files_begin(struct opd_table_files *f);
/* It is complete and on the disk: it gets its name, or negative errno tells why not. NULL: it is none. */
int opd_table_files_end(struct opd_table_files *f, const char *name);

#endif
