/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_files.h -- has rows made of the code that processes describe in their jit-PID.dump, and loads them
 * (daemon/image/made_tables.h).
 *
 * A process without rights reads the dump, as it reads binaries (tables.h), within the same budget of its user. A file of rows has
 * no name any more once it is loaded.
 */
#ifndef OPD_MADE_FILES_H
#define OPD_MADE_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "daemon/store/tables.h"

#define OPD_MADE_FILES_FDS	72	/* that may be open at once, at most */

struct opd_jit;
struct opd_made_files;
struct opd_made_tables;

/* @jit, which is borrowed, finds dumps. Return 0 or -ENOMEM. */
int opd_made_files_create(struct opd_made_files **ret, struct opd_jit *jit);
/*
 * Fill in @setup for opd_tables_create(), but for the directory, the limits, the finder and the log. Return where the result belongs; @f owns it
 * then.
 */
struct opd_tables **opd_made_files_setup(struct opd_made_files *f, struct opd_tables_setup *setup);
/* The rest takes NULL. */
void opd_made_files_destroy(struct opd_made_files *f);

/* The rows that are loaded, for walks. */
struct opd_made_tables *opd_made_files_tables(struct opd_made_files *f);

/* Wait for rows that a walk needs, for @ms milliseconds at most, with 0 not at all. Return whether any are still to come. */
bool opd_made_files_wait(struct opd_made_files *f, int ms);

/* As opd_tables_fds() and opd_tables_turn(). */
size_t opd_made_files_fds(const struct opd_made_files *f, struct pollfd fds[OPD_TABLE_WORKERS]);
void opd_made_files_turn(struct opd_made_files *f);
bool opd_made_files_busy(const struct opd_made_files *f);

#endif
