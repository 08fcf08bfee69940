/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_tables.h -- unwind tables (doc/unwind-tables.md), found by image.
 *
 * The files of tables are made elsewhere (daemon/store/tables.h), and loaded here when they exist.
 * Until a table is loaded, a stack walk that needs it ends and reports the reason. Not thread-safe.
 */
#ifndef OPD_UNWIND_TABLES_H
#define OPD_UNWIND_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "libcfi/file.h"

struct opd_image;
struct opd_unwind_tables;

struct opd_unwind {
	/* the loaded file; NULL: no file is loaded, for the reason .end */
	const struct cfi_file *file;
	/* the unwind table in the file; NULL: the file contains only the ends of call
	 * instructions */
	const struct oprofile_uw_table *table;
	/* reason why no file is loaded: not loaded yet, too large, or no unwind information */
	enum oprofile_uw_end end;
};

/* Called repeatedly, at limited rate, for an image without a table. The callee loads the table, or
 * makes the table and loads it later. */
typedef void (*opd_unwind_want)(void *arg, const struct opd_image *image);

int opd_unwind_tables_create(struct opd_unwind_tables **ret, opd_unwind_want want, void *arg);
void opd_unwind_tables_destroy(struct opd_unwind_tables *t);	/* @t may be NULL */

/* Set the function that waits for tables that are being made. It waits for @ms milliseconds at
 * most, and does not wait if @ms is 0. It returns whether tables are still being made. */
typedef bool (*opd_unwind_wait)(void *arg, int ms);
void opd_unwind_tables_set_wait(struct opd_unwind_tables *t, opd_unwind_wait wait, void *arg);
/* Call the function of opd_unwind_tables_set_wait() and return its result; return false if no
 * function is set. */
bool opd_unwind_tables_wait(struct opd_unwind_tables *t, int ms);

/* Set the function that is called when a table has been loaded, or when it is certain that there
 * will be no table, with the reason in @unwind->end. NULL: no function. */
typedef void (*opd_unwind_report)(void *arg, const struct opd_image *image,
				const struct opd_unwind *unwind);
void opd_unwind_tables_report(struct opd_unwind_tables *t, opd_unwind_report report, void *arg);

/* Return how often the table of @image was looked up before it was loaded. */
uint64_t opd_unwind_tables_missed(const struct opd_unwind_tables *t, const struct opd_image *image);

/* Call @fn for each image whose table was looked up since the last call, and for each image with
 * samples whose table was passed to the kernel. */
void opd_unwind_tables_each_used(struct opd_unwind_tables *t,
				 void (*fn)(void *arg, const struct opd_image *image), void *arg);

/* Return the table of @image; never NULL. The pointer is valid until the next call for another
 * image. */
const struct opd_unwind *opd_unwind_tables_get(struct opd_unwind_tables *t,
					       const struct opd_image *image);
/* Return the table of the vdso that the kernel maps into programs: the vdso of the daemon's word
 * size, or of 32 bits on x86_64. Never NULL. */
const struct opd_unwind *opd_unwind_tables_vdso(struct opd_unwind_tables *t, bool is_32);

/* Load the table of @image from the file @fd, which the caller keeps. The daemon must own the file,
 * and no process may write to it any more. Return 0 or a negative errno. */
int opd_unwind_tables_load(struct opd_unwind_tables *t, const struct opd_image *image, int fd);
/* Give back the memory that the loaded tables occupy. The tables stay valid: the kernel reads their
 * pages again when they are needed. */
void opd_unwind_tables_relieve(struct opd_unwind_tables *t);
/* Note that there will be no table of @image, for the reason @end. */
void opd_unwind_tables_give_up(struct opd_unwind_tables *t, const struct opd_image *image,
			       enum oprofile_uw_end end);

#endif
