/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_files.h -- unwind tables of JIT code, made from the jit-PID.dump files of processes:
 * requests and loads them (daemon/image/made_tables.h).
 *
 * An unprivileged helper process reads the dump file, as it reads binaries (tables.h). The CPU time
 * counts against the same budget of the file's owner. When a table was loaded, its file is
 * unlinked.
 */
#ifndef OPD_MADE_FILES_H
#define OPD_MADE_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "daemon/store/tables.h"

/* maximum number of descriptors that this code has open */
#define OPD_MADE_FILES_FDS	72

struct opd_jit;
struct opd_made_files;
struct opd_made_tables;

/* Create *@ret. @jit, borrowed, finds the dump files of processes. Return 0 or -ENOMEM. */
int opd_made_files_create(struct opd_made_files **ret, struct opd_jit *jit);
/*
 * Set the members of @setup for opd_tables_create(), except the directory, the limits, the finder
 * and the log. Return the address at which the caller stores the struct opd_tables that it creates;
 * @f then owns it.
 */
struct opd_tables **opd_made_files_setup(struct opd_made_files *f, struct opd_tables_setup *setup);
/* Destroy @f. This function and the functions below accept NULL. */
void opd_made_files_destroy(struct opd_made_files *f);

/* Return the unwind tables of JIT code, for stack walks. */
struct opd_made_tables *opd_made_files_tables(struct opd_made_files *f);

/* Wait up to @ms milliseconds (0: do not wait) for unwind tables that stack walks need. Return true
 * if some of these tables are still being made. */
bool opd_made_files_wait(struct opd_made_files *f, int ms);

/* Store the descriptors to poll in @fds, as opd_tables_fds() does; return their number. */
size_t opd_made_files_fds(const struct opd_made_files *f, struct pollfd fds[OPD_TABLE_WORKERS]);
/* Load tables that were made, and start further jobs, as opd_tables_turn() does. */
void opd_made_files_turn(struct opd_made_files *f);
/* Return true if a table is being made now. */
bool opd_made_files_busy(const struct opd_made_files *f);

#endif
