/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_tables.h -- the tables that stacks are walked by (doc/unwind-tables.md), of the images that have turned up.
 *
 * Files of them are made by somebody else (daemon/store/tables.h), and loaded here when they are there. Until then a walk
 * that needs one ends, and says so. One thread.
 */
#ifndef OPD_UNWIND_TABLES_H
#define OPD_UNWIND_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "libcfi/file.h"

struct opd_image;
struct opd_unwind_tables;

struct opd_unwind {
	const struct cfi_file *file;	/* NULL: there is none; @end says why */
	const struct oprofile_uw_table *table;	/* NULL: the file tells only where calls end */
	/* why there is none: not loaded yet, too large, nothing to make it from */
	enum oprofile_uw_end end;
};

/* Called now and then for an image without a table: whoever is asked loads it, or makes it and
 * loads it later. */
typedef void (*opd_unwind_want)(void *arg, const struct opd_image *image);

int opd_unwind_tables_create(struct opd_unwind_tables **ret, opd_unwind_want want, void *arg);
void opd_unwind_tables_destroy(struct opd_unwind_tables *t);	/* takes NULL */

/* Sets who can wait for tables that are being made: for @ms milliseconds at most, with 0 not at all. Returns whether any
 * still is. */
typedef bool (*opd_unwind_wait)(void *arg, int ms);
void opd_unwind_tables_set_wait(struct opd_unwind_tables *t, opd_unwind_wait wait, void *arg);
/* The same; false where nobody can wait. */
bool opd_unwind_tables_wait(struct opd_unwind_tables *t, int ms);

/* Sets who is told when a table has been loaded, or there will be none: @unwind->end says why. NULL: nobody. */
typedef void (*opd_unwind_tell)(void *arg, const struct opd_image *image, const struct opd_unwind *unwind);
void opd_unwind_tables_tell(struct opd_unwind_tables *t, opd_unwind_tell tell, void *arg);

/* Return how often a path led through @image while it had no table. */
uint64_t opd_unwind_tables_missed(const struct opd_unwind_tables *t, const struct opd_image *image);

/* Call @fn for each image whose table was looked up since the last call, or which has samples and the kernel has its table. */
void opd_unwind_tables_each_used(struct opd_unwind_tables *t, void (*fn)(void *arg, const struct opd_image *image), void *arg);

/* Never NULL. Valid until the next call for another image. */
const struct opd_unwind *opd_unwind_tables_get(struct opd_unwind_tables *t, const struct opd_image *image);
/* The same for the vdso that programs have: those with the daemon's word size, or on x86_64 those of 32 bits. */
const struct opd_unwind *opd_unwind_tables_vdso(struct opd_unwind_tables *t, bool is_32);

/* Loads a table. @fd stays the caller's; it is a file of the daemon's own that nobody writes to
 * any more. 0 or negative errno. */
int opd_unwind_tables_load(struct opd_unwind_tables *t, const struct opd_image *image, int fd);
/* Tells that there will be no table, and why. */
void opd_unwind_tables_give_up(struct opd_unwind_tables *t, const struct opd_image *image, enum oprofile_uw_end end);

#endif
