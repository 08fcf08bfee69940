/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_tables.h -- tables for unwinding stacks (doc/unwind-tables.md), by image.
 *
 * Another room makes the files (daemon/store/tables.h); this one loads them when they exist. Until
 * then a walk that needs the table ends and reports the reason. Not thread-safe.
 */
#ifndef OPD_UNWIND_TABLES_H
#define OPD_UNWIND_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "libcfi/file.h"

struct opd_image;
struct opd_unwind_tables;

struct opd_unwind {
	const struct cfi_file *file;	/* NULL: no file; @end is the reason */
	/* NULL: the file contains only the exits of calls */
	const struct oprofile_uw_table *table;
	/* reason for the absence: not loaded yet, too large, nothing to make it from */
	enum oprofile_uw_end end;
};

/* Called repeatedly, at limited rate, for an image without a table: the callee loads the table, or
 * makes it and loads it later. */
typedef void (*opd_unwind_want)(void *arg, const struct opd_image *image);

int opd_unwind_tables_create(struct opd_unwind_tables **ret, opd_unwind_want want, void *arg);
void opd_unwind_tables_destroy(struct opd_unwind_tables *t);	/* @t may be NULL */

/* Set the function that waits for tables being made: for @ms milliseconds at most, or not at all
 * with 0. It returns whether tables are still being made. */
typedef bool (*opd_unwind_wait)(void *arg, int ms);
void opd_unwind_tables_set_wait(struct opd_unwind_tables *t, opd_unwind_wait wait, void *arg);
/* Call the wait function; return false if none is set. */
bool opd_unwind_tables_wait(struct opd_unwind_tables *t, int ms);

/* Set the function called when a table has been loaded, or when it is certain that no table will
 * come: @unwind->end is the reason. NULL: no function. */
typedef void (*opd_unwind_report)(void *arg, const struct opd_image *image,
				const struct opd_unwind *unwind);
void opd_unwind_tables_report(struct opd_unwind_tables *t, opd_unwind_report report, void *arg);

/* Return how often a path led through @image while it had no table. */
uint64_t opd_unwind_tables_missed(const struct opd_unwind_tables *t, const struct opd_image *image);

/* Call @fn for each image whose table was looked up since the last call, and for each image with
 * samples whose table was passed to the kernel. */
void opd_unwind_tables_each_used(struct opd_unwind_tables *t,
				 void (*fn)(void *arg, const struct opd_image *image), void *arg);

/* Return the table of @image, never NULL. The pointer is valid until the next call for another
 * image. */
const struct opd_unwind *opd_unwind_tables_get(struct opd_unwind_tables *t,
					       const struct opd_image *image);
/* Like opd_unwind_tables_get(), for the vdso that the kernel maps into programs: of the daemon's
 * word size, or of 32 bits on x86_64. */
const struct opd_unwind *opd_unwind_tables_vdso(struct opd_unwind_tables *t, bool is_32);

/* Load a table. The caller keeps @fd, a file of the daemon that no process writes to any more.
 * Return 0 or a negative errno. */
int opd_unwind_tables_load(struct opd_unwind_tables *t, const struct opd_image *image, int fd);
/* Note that no table will come, and the reason. */
void opd_unwind_tables_give_up(struct opd_unwind_tables *t, const struct opd_image *image,
			       enum oprofile_uw_end end);

#endif
