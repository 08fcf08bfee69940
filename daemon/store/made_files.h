/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_files.h -- unwind tables of the JIT code that processes describe in a file jit-PID.dump:
 * requests that the tables are made, and loads them (daemon/image/made_tables.h).
 *
 * A process without rights reads the dump file, as it does binaries (tables.h), and within the same
 * budget of CPU time of the dump's owner. A file with an unwind table is unlinked after the table
 * is loaded.
 */
#ifndef OPD_MADE_FILES_H
#define OPD_MADE_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "daemon/store/tables.h"

/* maximum number of descriptors that opd_made_files_fds() fills in */
#define OPD_MADE_FILES_FDS	72

struct opd_jit;
struct opd_made_files;
struct opd_made_tables;

/* Create *@ret. @jit, which is borrowed, finds the dump files of processes. Return 0 or -ENOMEM. */
int opd_made_files_create(struct opd_made_files **ret, struct opd_jit *jit);
/* Fill in @setup for opd_tables_create(), except for the directory, the limits, the finder and the
 * log. Return the address at which to store the created struct opd_tables, which @f then owns. */
struct opd_tables **opd_made_files_setup(struct opd_made_files *f, struct opd_tables_setup *setup);
/* Destroy @f. This function and the functions below accept NULL. */
void opd_made_files_destroy(struct opd_made_files *f);

/* Return the loaded unwind tables, for stack walks. */
struct opd_made_tables *opd_made_files_tables(struct opd_made_files *f);

/* Wait up to @ms milliseconds for unwind tables that a stack walk needs; do not wait if @ms is 0.
 * Return whether tables are still missing. */
bool opd_made_files_wait(struct opd_made_files *f, int ms);

/* Poll and continue the making of tables; see opd_tables_fds() and opd_tables_turn(). */
size_t opd_made_files_fds(const struct opd_made_files *f, struct pollfd fds[OPD_TABLE_WORKERS]);
void opd_made_files_turn(struct opd_made_files *f);
bool opd_made_files_busy(const struct opd_made_files *f);

#endif
